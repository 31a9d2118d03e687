import { isMap } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { type NodePair, pairsOf } from '../workflow/document.ts'
import { type FileExpression, keyOf } from '../workflow/file-expressions.ts'
import type { NativeEvent } from '../workflow/on.ts'
import { patch } from '../workflow/patch.ts'
import {
  columnOf,
  dedent,
  type Edit,
  entryTexts,
  indent,
  type Lines,
  singleQuoted,
} from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { callOutputLines, entryKey, eventLines, onComment, type Plan } from './events.ts'
import { changedJob, isMovedInto, movedEntries, movedSettings } from './job-edits.ts'
import {
  actionInputLines,
  envPairs,
  nativeCondition,
  onJobCondition,
  onJobLines,
  pathLines,
  readByTriggers,
  readsContext,
  skippedContext,
} from './on-job.ts'
import { type Permissions, permissionUnion } from './permissions.ts'
import { expressionEdits, IN_JOBS_FILE } from './rewrite.ts'
import {
  aliasProblems,
  isInTrigger,
  isWithinNode,
  jobsOf,
  type SourceFile,
  withoutOwnKey,
} from './source-file.ts'

/** Keys that speak of the whole workflow, and so stand in the listening file alone. */
const LISTENING_KEYS = ['name', 'run-name']

/** Two files where one event may bring many items: one listens, and calls the other for each. */
interface TwoFiles {
  /** The whole text of the file that listens, but for its first line. */
  readonly listening: string
  /** What makes the source the file with the jobs. */
  readonly edits: readonly Edit[]
  readonly problems: readonly Problem[]
  readonly notices: readonly Problem[]
}

export function twoFiles(
  file: SourceFile,
  plan: Plan,
  expressions: readonly FileExpression[],
  options: { readonly uses: string; readonly state: string; readonly runsOn: Json },
): TwoFiles {
  const pairs = inputPairs(file)
  const declared = pairs.map((pair): WorkflowInput => {
    const input = pair.value?.toJS(file.document) as Json // YAML 1.2 core is JSON
    const type = isObject(input) ? input.type : undefined
    const isText = type !== 'boolean' && type !== 'number'
    return { name: keyOf(pair), type: isText ? 'string' : type }
  })
  const inputs = [...new Map(declared.map((one) => [one.name.toLowerCase(), one])).values()]
  const { union, notices } = permissionsOf(file)
  const started = startedBy(file, plan)
  const jobsFile = jobsFileEdits(file, expressions, inputs)
  const entries = plan.polled.flatMap(({ schedule }) => schedule ?? [])
  const schedule = [...new Map(entries.map((entry) => [entryKey(entry), entry])).values()]
  const lines = [
    ...LISTENING_KEYS.flatMap((key) => {
      const section = file.sections.get(key)
      if (!section) return []
      const { text } = file.source
      const written = text.slice(section.start, section.end).replace(/\n$/, '').split('\n')
      return dedent(written, columnOf(text, rangeOf(file.on.key)[0]))
    }),
    `on:${onComment(file)}`,
    ...indent(eventLines(file, { starting: plan.starting, schedule }), 2),
    '',
    'jobs:',
    ...indent(
      onJobLines({
        ...options,
        workflow: file.name,
        condition: started.condition,
        env: readEnv(file),
        outputs: ['items'],
        actionInputs: actionInputLines(file, options.state),
        isSerial: plan.polled.length > 0 || options.state !== 'none',
        writesState: options.state.startsWith('branch:'),
      }),
      2,
    ),
    '',
    ...indent(eachJob(file, started, parallelOf(file, plan), union, inputs), 2),
  ]
  return {
    listening: `${lines.join('\n')}\n`,
    edits: jobsFile.edits,
    problems: [
      ...pairs
        .filter((pair) => keyOf(pair).toLowerCase() === 'on')
        .map(({ key }) => ({
          message: 'an input cannot be named "on": the compiled jobs get their event by this name',
          position: positionAt(file.source, ...rangeOf(key)),
        })),
      ...strayAliases(file),
      ...jobsFile.problems,
    ],
    notices,
  }
}

/** How the events that a file listens to start its jobs. */
interface Started {
  /** When the job `on` runs, by lines; none where it always does. */
  readonly condition: Lines
  /**
   * What holds, where the job `on` was skipped, for an event of GitHub's own that no trigger polls on:
   * it brings no item, and the jobs run once for it. `undefined` where there is no such event.
   */
  readonly native: string | undefined
}

/**
 * By example, of a file with a trigger that polls (`schedule` is added), where a webhook comes as
 * `repository_dispatch`:
 *
 * | in `on:` besides             | `on` runs for                      | the jobs run without it for      |
 * | ---------------------------- | ---------------------------------- | -------------------------------- |
 * | nothing                      | every event                        | none: `native` is `undefined`    |
 * | a webhook                    | all but other workflows' webhooks  | none                             |
 * | `push`                       | `schedule`                         | `push`                           |
 * | `push`, and a webhook        | `schedule`, and its own webhooks   | `push`, not for other webhooks   |
 * | `push`, a `manualRunEvent`   | every event                        | none                             |
 */
function startedBy(file: SourceFile, { starting, webhooks, polled }: Plan): Started {
  const configs = polled.map(({ trigger }) => trigger.config)
  const polling = new Set([
    ...(configs.every(({ skipSchedule }) => skipSchedule) ? [] : ['schedule']),
    ...configs.flatMap(({ manualRunEvent }) => manualRunEvent),
  ])
  const starts = { file, webhooks, starting }
  if (file.native.every(({ name }) => polling.has(name))) {
    // Only a webhook can be another's: the triggers are asked of every other event.
    if (starting !== 'repository_dispatch') return { condition: [], native: undefined }
    const others = nativeCondition(starts) ?? `github.event_name != '${starting}'`
    const lines = others.split(' || ').map((part) => `${part} ||`)
    return { condition: [...lines, ...pathLines(starts)], native: undefined }
  }
  const isCalled = file.native.some(({ name }) => name === 'workflow_call')
  const heard = ['schedule', ...file.native.map(({ name }) => name)]
  const polls = [...polling]
    .filter((name) => isCalled || heard.includes(name))
    .map((name) => `github.event_name == '${name}'`)
  const hooks = starting || polls.length === 0 ? onJobCondition(starts) : []
  const own = starting === 'repository_dispatch' ? nativeCondition(starts) : undefined
  const isLast = (at: number) => hooks.length === 0 && at === polls.length - 1
  return {
    condition: [...polls.map((test, at) => (isLast(at) ? test : `${test} ||`)), ...hooks],
    native: ["needs.on.result == 'skipped'", ...(own ? [`(${own})`] : [])].join(' && '),
  }
}

/** How many items run at once; messages of a bot are answered in their order where nothing is said. */
function parallelOf({ maxParallel }: SourceFile, { polled }: Plan): number | undefined {
  const isBot = polled.some(({ trigger }) => trigger.definition.name === 'messaging_bot')
  return maxParallel ?? (isBot ? 1 : undefined)
}

function eachJob(
  { name: workflow, triggers }: SourceFile,
  { native }: Started,
  maxParallel: number | undefined,
  permissions: Permissions | undefined,
  inputs: readonly WorkflowInput[],
): string[] {
  const hasItems = `needs.on.outputs.items != '[]'`
  const skipped = native === undefined ? '' : ` || ${singleQuoted(`[${skippedContext(triggers)}]`)}`
  return [
    'each:',
    `  name: item \${{ strategy.job-index }}`,
    '  needs: on',
    ...(native === undefined
      ? [`  if: ${hasItems}`]
      : [
          '  if: >-',
          `    !cancelled() && (${native} ||`,
          `    needs.on.result == 'success' && ${hasItems})`,
        ]),
    '  strategy:',
    '    fail-fast: false',
    ...(maxParallel === undefined ? [] : [`    max-parallel: ${maxParallel}`]),
    '    matrix:',
    `      on: \${{ fromJSON(needs.on.outputs.items${skipped}) }}`,
    ...indent(permissionLines(permissions), 2),
    `  uses: ./.github/workflows/${workflow}.jobs.yml`,
    '  with:',
    `    on: \${{ toJSON(matrix.on) }}`,
    ...indent(inputs.map(handOnLine), 4),
    '  secrets: inherit',
  ]
}

function permissionLines(permissions: Permissions | undefined): string[] {
  if (permissions === undefined) return []
  if (typeof permissions === 'string') return [`permissions: ${permissions}`]
  const scopes = Object.entries(permissions).filter(([, access]) => access !== 'none')
  if (scopes.length === 0) return ['permissions: {}']
  return ['permissions:', ...scopes.map(([scope, access]) => `  ${scope}: ${access}`)]
}

/** What the job `each` must hold; and which jobs get less by it than the repository's default. */
function permissionsOf({ document, sections, source }: SourceFile) {
  const value = (key: string) => sections.get(key)?.value?.toJS(document) as Json | undefined
  const workflow = value('permissions')
  const jobs = value('jobs')
  const declared = Object.entries(isObject(jobs) ? jobs : {}).map(([id, job]) => ({
    id,
    permissions: isObject(job) ? (job.permissions as Json | undefined) : undefined,
  }))
  const union = permissionUnion(
    workflow,
    declared.map(({ permissions }) => permissions),
  )
  const silent =
    workflow === undefined ? declared.filter((job) => job.permissions === undefined) : []
  const asking = silent.length < declared.length && union !== undefined ? silent : []
  const nodes = sections.get('jobs')?.value
  const keys = isMap(nodes) ? pairsOf(nodes) : []
  const notices = asking.map(({ id }): Problem => {
    const key = keys.find((pair) => keyOf(pair) === id)?.key
    return {
      message: `job "${id}" asks for no permissions, and another one does: it gets at most those of "each"`,
      ...(key && { position: positionAt(source, ...rangeOf(key)) }),
      hint: 'give it a "permissions:" of its own',
      notes: [
        `"each" holds ${
          permissionLines(union)
            .slice(1)
            .map((line) => line.trim())
            .join(', ') || union
        }`,
      ],
    }
  })
  return { union, notices }
}

/** The variables of the workflow that the triggers read, and no others. */
function readEnv(file: SourceFile): string[] {
  const { text } = file.source
  const read = readByTriggers(file, 'env').map((name) => name.toLowerCase())
  const entries = envPairs(file)
    .filter((pair) => read.includes(keyOf(pair).toLowerCase()) && !readsContext(file, pair, 'on'))
    .map(({ key, value }) => ({ key, options: value }))
  const all = envPairs(file).map(({ key, value }) => ({ key, options: value }))
  const texts = entryTexts(text, file.sections.get('env')?.value ?? null, all)
  return texts
    .filter(({ nodes }) => entries.some(({ key }) => key === nodes.key))
    .flatMap(({ lines }) => lines)
}

/** The source stays as it stands, but for its head, its rewritten expressions, and what they move. */
function jobsFileEdits(
  file: SourceFile,
  expressions: readonly FileExpression[],
  inputs: readonly WorkflowInput[],
): { readonly edits: readonly Edit[]; readonly problems: readonly Problem[] } {
  const column = columnOf(file.source.text, rangeOf(file.on.key)[0])
  const call = [
    'on:',
    '  workflow_call:',
    '    inputs:',
    '      on:',
    '        description: The on context of one item, as JSON.',
    '        required: true',
    '        type: string',
    ...inputs.flatMap(({ name, type }) => [`      ${name}:`, `        type: ${type}`]),
    ...indent(callOutputLines(file), 4),
  ]
  const moved = movedSettings(file, ['defaults'])
  const { defaults } = movedEntries(file, moved, IN_JOBS_FILE)
  const changed = jobsOf(file)
    .filter((job) => isMovedInto(moved, job))
    .map((job) => changedJob(file, job, { needs: undefined, parts: undefined, env: [], defaults }))
  const stays = ({ path, found }: FileExpression) =>
    !LISTENING_KEYS.includes(String(path[0])) &&
    !moved.pairs.some(({ value }) => value === found.scalar)
  return {
    edits: [
      { start: file.on.start, end: file.on.end, text: [...indent(call, column), ''].join('\n') },
      ...LISTENING_KEYS.flatMap((key) => {
        const section = file.sections.get(key)
        return section ? [{ start: section.start, end: section.end, text: '' }] : []
      }),
      ...patch(file.document, file.source.text, [
        ...withoutOwnKey(file),
        ...moved.operations,
        ...changed.flatMap(({ operations }) => operations),
      ]),
      ...expressionEdits(file, expressions.filter(stays), IN_JOBS_FILE),
    ],
    problems: changed.flatMap(({ problems }) => problems),
  }
}

/** An input of a manual run, or of a call, that the jobs read as `inputs.<name>`. */
interface WorkflowInput {
  readonly name: string
  /** Types that only the form knows are text in a called workflow. */
  readonly type: 'string' | 'boolean' | 'number'
}

/** The events whose runs carry inputs. */
const EVENTS_WITH_INPUTS = ['workflow_dispatch', 'workflow_call']

export function inputPairs(file: SourceFile): NodePair[] {
  return file.native
    .filter(({ name }) => EVENTS_WITH_INPUTS.includes(name))
    .flatMap(({ nodes: { options } }: NativeEvent) => {
      const inputs = isMap(options) ? options.get('inputs', true) : undefined
      return isMap(inputs) ? pairsOf(inputs) : []
    })
}

/**
 * Hands an input on. In a run without inputs it is null, which a called workflow takes for no
 * boolean and no number.
 */
function handOnLine({ name, type }: WorkflowInput): string {
  if (type === 'string') return `${name}: \${{ inputs.${name} }}`
  const empty = type === 'boolean' ? 'false' : '0'
  return `${name}: \${{ fromJSON(inputs.${name} || '${empty}') }}`
}

/** Aliases whose anchors come to stand in another file. */
function strayAliases(file: SourceFile): Problem[] {
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
