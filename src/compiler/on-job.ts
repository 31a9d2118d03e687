import { isMap } from 'yaml'
import { type DispatchEvent, EVENT_TYPE, WORKFLOW_INPUT } from '../wire/payload.ts'
import { fileExpressions, referencesIn } from '../workflow/file-expressions.ts'
import { type SourceTrigger, urlNames } from '../workflow/on.ts'
import { indent, type Lines } from '../workflow/spans.ts'
import { type NodePair, pairsOf } from '../workflow/yaml.ts'
import { listensTo, namesIn, type SourceFile } from './source-file.ts'

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

export function isPrefixOf(trigger: string, others: readonly string[]): boolean {
  return others.some((other) => other.toLowerCase().startsWith(trigger.toLowerCase()))
}

/** Behind the name of a trigger a path ends, or continues with `/` or `?`. */
function exactTests(path: string): string[] {
  return [`startsWith(format('{0}/', ${PATH}), '${path}/')`, `startsWith(${PATH}, '${path}?')`]
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

export function readByTriggers({ source, triggers }: SourceFile, context: string): string[] {
  return [...new Set(triggers.flatMap(({ nodes }) => namesIn(source.text, nodes.value, context)))]
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
