import { isMap } from 'yaml'
import { asFindings, type Mistake } from '../../workflow/mistakes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { namedEntries } from '../../workflow/patch.ts'
import type { Lines } from '../../workflow/spans.ts'
import { pairKey, pairsOf, positionAt, rangeOf } from '../../workflow/yaml.ts'
import { callingJobLines, permissionsOf, startConditions } from '../calling-job.ts'
import {
  actionInputLines,
  emptiedEnv,
  envPairs,
  exactPathComment,
  onJobCondition,
  onJobLines,
  readByTriggers,
  readsContext,
} from '../on-job.ts'
import type { Pass, Plan } from '../plan.ts'
import {
  aliasProblems,
  isInTrigger,
  isWithinNode,
  jobsOf,
  LISTENING_KEYS,
  type SourceFile,
} from '../source-file.ts'

/**
 * Adds the job `on` before all others; if it brings several items, also `each`, which calls them.
 */
export const addOnJob: Pass = {
  run(plan, part) {
    if (part === 'jobs') return {}
    const { file } = plan
    if (part === 'whole') {
      const obstacles = [
        ...reservedJobNames(file),
        ...aliasProblems(file, (node) => (isInTrigger(file, node) ? 'action' : 'file')),
      ]
      return {
        operations: [inserted(plan, [...wholeJob(plan), ''])],
        findings: asFindings(obstacles, 'error'),
        isBlocked: obstacles.length > 0,
      }
    }
    const started = startConditions(plan)
    const job = listeningJob(plan, started.condition)
    const stray = strayAliases(file)
    return {
      operations: [inserted(plan, [...job, '', ...callingJobLines(plan, started)])],
      findings: [
        ...asFindings(stray, 'error'),
        ...asFindings(permissionsOf(file).notices, 'warning'),
      ],
      isBlocked: stray.length > 0,
    }
  },
}

function inserted({ file: { jobs }, isOne }: Plan, lines: Lines): Operation {
  const first = isOne && isMap(jobs.value) ? pairsOf(jobs.value)[0] : undefined
  const where = first ? { before: pairKey(first) } : 'first'
  return { op: 'insert', path: ['jobs'], lines, where }
}

function wholeJob(plan: Plan): Lines {
  const { file, options } = plan
  return onJobLines({
    ...commonParts(plan),
    condition: onJobCondition(plan),
    env: emptiedEnv(file),
    outputs: ['triggered', 'on'],
    isSerial: options.state !== 'none',
  })
}

function listeningJob(plan: Plan, condition: Lines): Lines {
  const { file, options, polled } = plan
  return onJobLines({
    ...commonParts(plan),
    condition,
    env: readEnv(file),
    outputs: ['items'],
    isSerial: polled.length > 0 || options.state !== 'none',
  })
}

function commonParts(plan: Plan) {
  const { file, starting } = plan
  const { uses, state, runsOn, forge } = plan.options
  return {
    conditionComment: starting === 'repository_dispatch' ? exactPathComment(plan) : [],
    uses,
    runsOn,
    forge,
    workflow: file.name,
    actionInputs: actionInputLines(file, plan.options),
    writesState: state.startsWith('branch:'),
  }
}

/** Only the variables of the workflow that the triggers read. */
function readEnv(file: SourceFile): Lines {
  const read = readByTriggers(file, 'env').map((name) => name.toLowerCase())
  const names = envPairs(file)
    .filter((pair) => read.includes(pairKey(pair).toLowerCase()) && !readsContext(file, pair, 'on'))
    .map(pairKey)
  if (names.length === 0) return []
  return namedEntries(file.lines, ['env'])
    .filter(({ name }) => names.includes(name))
    .flatMap(({ lines }) => lines)
}

function reservedJobNames(file: SourceFile): Mistake[] {
  return jobsOf(file)
    .filter(({ id }) => id.toLowerCase() === 'on')
    .map(({ pair: { key } }) => ({
      code: 'reserved-name',
      message: 'a job cannot be named "on": the compiled file has a job with this name',
      position: positionAt(file.source, ...rangeOf(key)),
      hint: 'give it another name',
    }))
}

/** Aliases whose anchors move to another file. */
function strayAliases(file: SourceFile): Mistake[] {
  const { sections, on } = file
  return aliasProblems(file, (node) => {
    if (isInTrigger(file, node)) return 'action'
    if (isWithinNode(on.value, node)) return 'listening'
    const isHead = LISTENING_KEYS.some((key) =>
      isWithinNode(sections.get(key)?.value ?? null, node),
    )
    return isHead ? 'listening' : 'jobs'
  })
}
