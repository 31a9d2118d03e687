import { isMap, isScalar, isSeq, Scalar, stringify } from 'yaml'
import type { Json } from '../../wire/json.ts'
import { asFindings, type Mistake } from '../../workflow/mistakes.ts'
import { urlNames } from '../../workflow/on.ts'
import type { Operation } from '../../workflow/operations.ts'
import { namedEntries } from '../../workflow/patch.ts'
import { indent, type Lines, singleQuoted } from '../../workflow/spans.ts'
import { pairKey, pairsOf, positionAt, rangeOf } from '../../workflow/yaml.ts'
import { callingJobLines, permissionsOf, startConditions } from '../calling-job.ts'
import {
  conditionLines,
  envPairs,
  isPrefixOf,
  onJobCondition,
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
  return onJobLines(plan, {
    condition: onJobCondition(plan),
    env: emptiedEnv(file),
    outputs: ['triggered', 'on'],
    isSerial: options.state !== 'none',
  })
}

function listeningJob(plan: Plan, condition: Lines): Lines {
  const { file, options, polled } = plan
  return onJobLines(plan, {
    condition,
    env: readEnv(file),
    outputs: ['items'],
    isSerial: polled.length > 0 || options.state !== 'none',
  })
}

/** The parts of the job `on` in which the two forms differ; lines begin at column 0. */
interface OnJob {
  /** The lines of its `if:`; none if it runs for every event. */
  readonly condition: Lines
  readonly env: Lines
  /** Names of the outputs of the action that later jobs read. */
  readonly outputs: readonly string[]
  /** Runs of the job wait for each other. */
  readonly isSerial: boolean
}

function onJobLines(plan: Plan, { condition, env, outputs, isSerial }: OnJob): string[] {
  const { file, starting } = plan
  const { uses, state, runsOn, forge } = plan.options
  const writesState = state.startsWith('branch:')
  const lines = [
    ...runsOnLines(runsOn),
    ...(starting === 'repository_dispatch' ? exactPathComment(plan) : []),
    ...conditionLines(condition),
    'timeout-minutes: 10',
    'permissions:',
    `  contents: ${writesState ? 'write' : 'read'}`,
    // The action reads runs to release the items of a failed run immediately.
    ...(writesState ? ['  actions: read'] : []),
    // By default GitHub cancels a waiting run for a newer one, and its event is lost.
    ...(isSerial ? ['concurrency:', `  group: hookline-${file.name}`] : []),
    ...(isSerial && forge === 'github' ? ['  queue: max'] : []),
    ...(env.length > 0 ? ['env:', ...indent(env, 2)] : []),
    'outputs:',
    ...outputs.map((name) => `  ${name}: \${{ steps.on.outputs.${name} }}`),
    'steps:',
    '  - id: on',
    `    uses: ${uses}`,
    '    with:',
    ...indent(actionInputLines(file, plan.options), 6),
  ]
  return ['on:', ...indent(lines, 2)]
}

/** `runs-on: [self-hosted, linux]` */
function runsOnLines(runsOn: Json): string[] {
  const flow = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const
  const text = stringify({ 'runs-on': runsOn }, flow).trimEnd()
  return text.replace(/^\{(.*)\}$/s, '$1').split('\n')
}

/** The comment above a condition with exact tests, because these tests look needlessly long. */
function exactPathComment({ webhooks, file }: Plan): Lines {
  const others = file.triggers.filter((one) => !webhooks.includes(one)).flatMap(urlNames)
  const names = webhooks.flatMap(urlNames).filter((name) => isPrefixOf(name, others))
  return names.map((name) => {
    const other = others.find((one) => isPrefixOf(name, [one]))
    return `# Exact, because the name of the trigger "${other}" begins with "${name}".`
  })
}

/**
 * The inputs of the action: the triggers inline, so that no checkout is needed, and the secrets and
 * variables that their expressions read, by name. The action evaluates these expressions, not
 * GitHub, so each `${{` is escaped.
 */
function actionInputLines(file: SourceFile, { state, relayUrl }: Plan['options']): string[] {
  const there = namedEntries(file.lines, ['on'])
  const on = file.triggers.flatMap(
    (trigger) => there.find(({ name }) => name === trigger.name)?.lines ?? [],
  )
  // With a blank first line, the block would need an indentation indicator.
  const begin = on.findIndex((line) => line.trim() !== '')
  const escaped = on.slice(begin).map((line) => line.replaceAll('${{', `\${{ '\${{' }}`))
  return [
    'on: |',
    ...indent(escaped, 2),
    // The block would clip the empty lines at its end.
    ...(endsInEmptyLines(file.triggers.at(-1)?.nodes.value)
      ? ['  # The empty lines above belong to the text.']
      : []),
    ...jsonInput('secrets', readByTriggers(file, 'secrets')),
    ...jsonInput('vars', readByTriggers(file, 'vars')),
    ...(state === 'none' ? [] : [`state: ${singleQuoted(state)}`]),
    ...(relayUrl === undefined ? [] : [`relay-url: ${relayUrl}`]),
  ]
}

/** Whether the last string of a node keeps empty lines at its end, as `|+` does. */
function endsInEmptyLines(node: unknown): boolean {
  if (isMap(node)) return endsInEmptyLines(node.items.at(-1)?.value)
  if (isSeq(node)) return endsInEmptyLines(node.items.at(-1))
  if (!isScalar(node)) return false
  const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED
  return isBlock && /(?:^|\n)\n$/.test(String(node.value))
}

function jsonInput(context: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const members = names.map((name) => `"${name}": \${{ toJSON(${context}.${name}) }}`)
  return [`${context}: '{${members.join(', ')}}'`]
}

/** Variables that change how programs run; the values for the user's programs must not affect the action. */
const STEERING = ['NODE_OPTIONS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'BASH_ENV', 'ENV']

/** The variables of the workflow that the job `on` sets to the empty string. */
function emptiedEnv(file: SourceFile): string[] {
  const read = readByTriggers(file, 'env').map((name) => name.toLowerCase())
  return envPairs(file)
    .filter(
      (pair) => !read.includes(pairKey(pair).toLowerCase()) && !readsContext(file, pair, 'on'),
    )
    .filter(
      (pair) =>
        STEERING.includes(pairKey(pair).toUpperCase()) || readsContext(file, pair, 'secrets'),
    )
    .map((pair) => {
      const name = pairKey(pair)
      return `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}: ''`
    })
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
