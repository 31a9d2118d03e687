import { isMap, stringify } from 'yaml'
import type { Json } from '../wire/json.ts'
import { type DispatchEvent, EVENT_TYPE, WORKFLOW_INPUT } from '../wire/payload.ts'
import type { Forge } from '../wire/settings.ts'
import { fileExpressions, referencesIn } from '../workflow/file-expressions.ts'
import { type SourceTrigger, urlNames } from '../workflow/on.ts'
import { namedEntries } from '../workflow/patch.ts'
import { indent, type Lines, singleQuoted } from '../workflow/spans.ts'
import { type NodePair, pairKey, pairsOf } from '../workflow/yaml.ts'
import type { CompileSettings } from './compiler-settings.ts'
import { listensTo, namesIn, type SourceFile } from './source-file.ts'

/** The parts of the job `on`; lines begin at column 0. */
interface OnJob {
  readonly workflow: string
  readonly runsOn: Json
  /** The lines of its `if:`; none if it runs for every event. */
  readonly condition: Lines
  /** Comment lines above its `if:`. */
  readonly conditionComment: Lines
  readonly env: Lines
  /** Names of the outputs of the action that later jobs read. */
  readonly outputs: readonly string[]
  /** The inputs of the action, as keys of `with:`. */
  readonly actionInputs: Lines
  /** The action to run: `hookline/hookline@v1`. */
  readonly uses: string
  /** Runs of the job wait for each other. */
  readonly isSerial: boolean
  readonly forge: Forge
  readonly writesState: boolean
}

/** The lines of the job `on`, which runs the action. */
export function onJobLines(job: OnJob): string[] {
  return [
    'on:',
    ...indent(
      [
        ...stringify(
          { 'runs-on': job.runsOn },
          { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 },
        )
          .trimEnd()
          .replace(/^\{(.*)\}$/s, '$1')
          .split('\n'),
        ...job.conditionComment,
        ...conditionLines(job.condition),
        'timeout-minutes: 10',
        'permissions:',
        `  contents: ${job.writesState ? 'write' : 'read'}`,
        // The action reads runs to release the items of a failed run immediately.
        ...(job.writesState ? ['  actions: read'] : []),
        // By default GitHub cancels a waiting run for a newer one, and its event is lost.
        ...(job.isSerial
          ? [
              'concurrency:',
              `  group: hookline-${job.workflow}`,
              ...(job.forge === 'github' ? ['  queue: max'] : []),
            ]
          : []),
        ...(job.env.length > 0 ? ['env:', ...indent(job.env, 2)] : []),
        'outputs:',
        ...job.outputs.map((name) => `  ${name}: \${{ steps.on.outputs.${name} }}`),
        'steps:',
        '  - id: on',
        `    uses: ${job.uses}`,
        '    with:',
        ...indent(job.actionInputs, 6),
      ],
      2,
    ),
  ]
}

/** The lines of `if:` of a job, at column 0; none without parts. */
export function conditionLines(parts: Lines): Lines {
  // An unquoted YAML string cannot begin with "!".
  const isBlock = parts.length > 1 || parts[0]?.startsWith('!')
  return isBlock ? ['if: >-', ...indent(parts, 2)] : parts.map((only) => `if: ${only}`)
}

const PATH = 'github.event.client_payload.path'

/** The facts that separate webhooks from native events. */
interface WebhookStarts {
  readonly starting: DispatchEvent | undefined
  /** The triggers that webhooks reach. */
  readonly webhooks: readonly SourceTrigger[]
  readonly file: SourceFile
}

/**
 * Returns the lines of a condition, joined by "or", that holds for webhooks to this workflow and its
 * triggers. A webhook to another workflow then starts no runner.
 */
export function pathLines({ webhooks, file }: WebhookStarts): string[] {
  const others = file.triggers.filter((trigger) => !webhooks.includes(trigger))
  return pathTests(file.name, webhooks.flatMap(urlNames), others.flatMap(urlNames))
}

/**
 * The same for a workflow by its name, and for triggers by every name that they have. A path may begin
 * with a slash, because senders that call GitHub directly may write one.
 *
 * @param others names of triggers of the same workflow that webhooks must not start
 */
export function pathTests(
  workflow: string,
  triggers: readonly string[],
  others: readonly string[] = [],
): string[] {
  const tests = triggers.flatMap((trigger) =>
    [`${workflow}/${trigger}`, `/${workflow}/${trigger}`].flatMap((path) =>
      isPrefixOf(trigger, others) ? exactTests(path) : [`startsWith(${PATH}, '${path}')`],
    ),
  )
  return tests.map((test, at) => (at < tests.length - 1 ? `${test} ||` : test))
}

function isPrefixOf(trigger: string, others: readonly string[]): boolean {
  return others.some((other) => other.toLowerCase().startsWith(trigger.toLowerCase()))
}

/** Behind the name of a trigger a path ends, or continues with `/` or `?`. */
function exactTests(path: string): string[] {
  return [`startsWith(format('{0}/', ${PATH}), '${path}/')`, `startsWith(${PATH}, '${path}?')`]
}

/** The comment above a condition with exact tests, because these tests look needlessly long. */
export function exactPathComment({ webhooks, file }: WebhookStarts): Lines {
  const others = file.triggers.filter((one) => !webhooks.includes(one)).flatMap(urlNames)
  const names = webhooks.flatMap(urlNames).filter((name) => isPrefixOf(name, others))
  return names.map((name) => {
    const other = others.find((one) => isPrefixOf(name, [one]))
    return `# Exact, because the name of the trigger "${other}" begins with "${name}".`
  })
}

/**
 * The condition that holds for native events of the source; `undefined` if it has none. In a called
 * workflow the event is the caller's, so the condition tests the name of the file.
 */
export function nativeCondition({ starting, file }: WebhookStarts): string | undefined {
  if (file.native.length === 0) return undefined
  const isCalled = listensTo(file, 'workflow_call')
    ? [`!contains(github.workflow_ref, '/${file.name}.yml@')`]
    : []
  if (starting === 'workflow_dispatch') {
    if (listensTo(file, starting)) return `!inputs.${WORKFLOW_INPUT}`
    return [`github.event_name != 'workflow_dispatch'`, ...isCalled].join(' || ')
  }
  return [
    `github.event_name != 'repository_dispatch'`,
    ...(listensTo(file, 'repository_dispatch') ? [`github.event.action != '${EVENT_TYPE}'`] : []),
    ...isCalled,
  ].join(' || ')
}

/** The condition of the job `on` in the one-file form: it runs for webhooks to this workflow only. */
export function onJobCondition(starts: WebhookStarts): Lines {
  const { starting, file } = starts
  if (starting === undefined) return ['false']
  if (starting === 'workflow_dispatch') return [`inputs.${WORKFLOW_INPUT} != ''`]
  const paths = pathLines(starts)
  if (file.native.length === 0) return paths
  const inner = paths.map((line, at) => (at === 0 ? `(${line}` : line))
  return [
    `github.event_name == 'repository_dispatch' &&`,
    ...(listensTo(file, 'repository_dispatch')
      ? [`github.event.action == '${EVENT_TYPE}' &&`]
      : []),
    ...(listensTo(file, 'workflow_call')
      ? [`contains(github.workflow_ref, '/${file.name}.yml@') &&`]
      : []),
    ...inner.slice(0, -1),
    `${inner.at(-1)})`,
  ]
}

/** The context `on` of a run that a native event started. */
export function skippedContext(triggers: readonly SourceTrigger[]): string {
  const skipped = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
  return JSON.stringify(Object.fromEntries(triggers.map(({ name }) => [name, skipped])))
}

/**
 * The inputs of the action: the triggers inline, so that no checkout is needed, and the secrets and
 * variables that their expressions read, by name. The action evaluates these expressions, not
 * GitHub, so each `${{` is escaped.
 */
export function actionInputLines(
  file: SourceFile,
  { state, relayUrl }: Pick<CompileSettings, 'state' | 'relayUrl'>,
): string[] {
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
    ...jsonInput('secrets', readByTriggers(file, 'secrets')),
    ...jsonInput('vars', readByTriggers(file, 'vars')),
    ...(state === 'none' ? [] : [`state: ${singleQuoted(state)}`]),
    ...(relayUrl === undefined ? [] : [`relay-url: ${relayUrl}`]),
  ]
}

/** The names that the triggers read from a context. */
export function readByTriggers({ source, triggers }: SourceFile, context: string): string[] {
  return [...new Set(triggers.flatMap(({ nodes }) => namesIn(source.text, nodes.value, context)))]
}

function jsonInput(context: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const members = names.map((name) => `"${name}": \${{ toJSON(${context}.${name}) }}`)
  return [`${context}: '{${members.join(', ')}}'`]
}

/** Variables that change how programs run; the values for the user's programs must not affect the action. */
const STEERING = ['NODE_OPTIONS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'BASH_ENV', 'ENV']

/** The variables of the workflow that the job `on` sets to the empty string. */
export function emptiedEnv(file: SourceFile): string[] {
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

/** The variables of the workflow, as written. */
export function envPairs({ sections }: SourceFile): NodePair[] {
  const env = sections.get('env')?.value
  return isMap(env) ? pairsOf(env) : []
}

export function readsContext(
  { source }: SourceFile,
  { value }: NodePair,
  context: string,
): boolean {
  return fileExpressions(source.text, value, []).some(
    ({ text }) => referencesIn(text, context).length > 0,
  )
}
