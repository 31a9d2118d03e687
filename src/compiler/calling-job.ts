import { isMap } from 'yaml'
import { isObject, type Json } from '../wire/json.ts'
import type { Mistake } from '../workflow/mistakes.ts'
import type { NativeEvent } from '../workflow/on.ts'
import { indent, type Lines, singleQuoted } from '../workflow/spans.ts'
import {
  type NodePair,
  nodeBelow,
  pairKey,
  pairsOf,
  positionAt,
  rangeOf,
} from '../workflow/yaml.ts'
import {
  conditionLines,
  nativeCondition,
  onJobCondition,
  pathLines,
  skippedContext,
} from './on-job.ts'
import { type Permissions, permissionUnion } from './permissions.ts'
import type { Plan, WorkflowStarts } from './plan.ts'
import { listensTo, type SourceFile } from './source-file.ts'

/** The conditions under which the events of a file start its jobs. */
interface Started {
  /** The lines of the condition of the job `on`; none if it always runs. */
  readonly condition: Lines
  /**
   * The lines of the condition of the job `once`, which runs the jobs for a native event without items.
   * No lines mean every event; `undefined` means that no event needs the job.
   */
  readonly native: Lines | undefined
}

/**
 * The conditions by example, for a file with a trigger that polls (so `schedule` and
 * `workflow_dispatch` are added), where a webhook starts `repository_dispatch`:
 *
 * | further events in `on:`      | `on` runs for                      | `once` runs for                  |
 * | ---------------------------- | ---------------------------------- | -------------------------------- |
 * | none                         | every event                        | none: `native` is `undefined`    |
 * | a webhook                    | all but other workflows' webhooks  | none                             |
 * | `push`                       | `schedule`, a manual run           | `push`                           |
 * | `push`, and a webhook        | the same, and its own webhooks     | `push`, not for other webhooks   |
 * | `push`, a `manualRunEvent`   | every event                        | none                             |
 *
 * If nothing polls, but there are batches, `on` runs only for this workflow's webhooks.
 */
export function startConditions({ file, starting, webhooks, polled }: WorkflowStarts): Started {
  const configs = polled.map(({ trigger }) => trigger.config)
  const polling = new Set([
    ...(configs.every(({ skipSchedule }) => skipSchedule) ? [] : ['schedule']),
    ...configs.flatMap(({ manualRunEvent }) => manualRunEvent),
  ])
  const starts = { file, webhooks, starting }
  if (polled.length > 0 && file.native.every(({ name }) => polling.has(name))) {
    // Only a webhook can be for another workflow; for every other event, the triggers decide.
    if (starting !== 'repository_dispatch') return { condition: [], native: undefined }
    const others = nativeCondition(starts) ?? `github.event_name != '${starting}'`
    const lines = others.split(' || ').map((part) => `${part} ||`)
    return { condition: [...lines, ...pathLines(starts)], native: undefined }
  }
  // A called workflow gets the event name of its caller, which this file need not list.
  const isCalled = listensTo(file, 'workflow_call')
  const heard = ['schedule', 'workflow_dispatch', ...file.native.map(({ name }) => name)]
  const polls = [...polling].filter((name) => isCalled || heard.includes(name))
  const hooks = starting || polls.length === 0 ? onJobCondition(starts) : []
  const tests = polls.map((name) => `github.event_name == '${name}'`)
  const isLast = (at: number) => hooks.length === 0 && at === tests.length - 1
  const condition = [...tests.map((test, at) => (isLast(at) ? test : `${test} ||`)), ...hooks]
  if (file.native.length === 0) return { condition, native: undefined }
  const own = starting ? nativeCondition(starts) : undefined
  const others = polls.map((name) => `github.event_name != '${name}'`)
  const all = [...others, ...(own ? [own.includes(' || ') ? `(${own})` : own] : [])]
  return { condition, native: all.map((test, at) => (at < all.length - 1 ? `${test} &&` : test)) }
}

/** How many items run concurrently; a bot has one by default, so that it replies in order. */
export function parallelOf({ options: { maxParallel }, polled }: Plan): number | undefined {
  const isBot = polled.some(({ trigger }) => trigger.definition.name === 'messaging_bot')
  return maxParallel ?? (isBot ? 1 : undefined)
}

/**
 * The jobs that call the jobs file, as lines at column 0: `each` for every item, `once` for a
 * native event. `once` has no `needs`: after `on`, which is skipped for a native event, GitHub
 * could also skip jobs of the called file at any depth.
 */
export function callingJobLines(plan: Plan, { condition, native }: Started): Lines {
  const maxParallel = parallelOf(plan)
  // act evaluates the matrix of a skipped job, too, so the expression must be valid without the output.
  const items =
    condition.length > 0
      ? `needs.on.result == 'success' && needs.on.outputs.items || '[]'`
      : 'needs.on.outputs.items'
  const each = [
    'each:',
    `  name: item \${{ strategy.job-index }}`,
    '  needs: on',
    `  if: needs.on.outputs.items != '[]'`,
    '  strategy:',
    '    fail-fast: false',
    ...(maxParallel === undefined ? [] : [`    max-parallel: ${maxParallel}`]),
    '    matrix:',
    `      on: \${{ fromJSON(${items}) }}`,
    ...indent(callLines(plan, `\${{ toJSON(matrix.on) }}`), 2),
  ]
  if (native === undefined) return each
  return [
    ...each,
    '',
    'once:',
    ...indent(conditionLines(native), 2),
    ...indent(callLines(plan, singleQuoted(skippedContext(plan.file.triggers))), 2),
  ]
}

/** The lines that both calling jobs share. */
function callLines({ file }: Plan, on: string): Lines {
  const { union } = permissionsOf(file)
  return [
    ...permissionLines(union),
    `uses: ./.github/workflows/${file.name}.jobs.yml`,
    'with:',
    `  on: ${on}`,
    ...indent(workflowInputs(file).map(inputLine), 2),
    'secrets: inherit',
  ]
}

function permissionLines(permissions: Permissions | undefined): string[] {
  if (permissions === undefined) return []
  if (typeof permissions === 'string') return [`permissions: ${permissions}`]
  const scopes = Object.entries(permissions).filter(([, access]) => access !== 'none')
  if (scopes.length === 0) return ['permissions: {}']
  return ['permissions:', ...scopes.map(([scope, access]) => `  ${scope}: ${access}`)]
}

/** The permissions of the job `each`, and notices for jobs that get less than the repository's default. */
export function permissionsOf({ document, sections, source }: SourceFile) {
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
  // If no job has permissions, all of them keep the default of the repository, so there is no notice.
  const silent =
    workflow === undefined ? declared.filter((job) => job.permissions === undefined) : []
  const asking = silent.length < declared.length ? silent : []
  const nodes = sections.get('jobs')?.value
  const keys = isMap(nodes) ? pairsOf(nodes) : []
  const notices = asking.map(({ id }): Mistake => {
    const key = keys.find((pair) => pairKey(pair) === id)?.key
    return {
      code: 'less-permissions',
      message: `job "${id}" has no "permissions:" and another job has: it gets at most the permissions of the job "each"`,
      ...(key && { position: positionAt(source, ...rangeOf(key)) }),
      hint: 'add "permissions:" to the job',
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

/** An input of `workflow_dispatch` or `workflow_call`; jobs read it as `inputs.<name>`. */
interface WorkflowInput {
  readonly name: string
  /** `choice` and `environment` are strings in a called workflow. */
  readonly type: 'string' | 'boolean' | 'number'
}

/** The events whose runs carry inputs. */
const EVENTS_WITH_INPUTS = ['workflow_dispatch', 'workflow_call']

export function inputPairs(file: SourceFile): NodePair[] {
  return file.native
    .filter(({ name }) => EVENTS_WITH_INPUTS.includes(name))
    .flatMap(({ nodes: { value: options } }: NativeEvent) => {
      const inputs = nodeBelow(file.document, options, 'inputs')
      return isMap(inputs) ? pairsOf(inputs) : []
    })
}

/**
 * The line that passes an input to the called workflow. In a run without inputs the value is null, which
 * is invalid for a boolean or a number, so these get a default.
 */
function inputLine({ name, type }: WorkflowInput): string {
  if (type === 'string') return `${name}: \${{ inputs.${name} }}`
  const empty = type === 'boolean' ? 'false' : '0'
  return `${name}: \${{ fromJSON(inputs.${name} || '${empty}') }}`
}

/** The inputs that the jobs file declares, once each: names ignore case. */
export function workflowInputs(file: SourceFile): WorkflowInput[] {
  const declared = inputPairs(file).map((pair): WorkflowInput => {
    const input = pair.value?.toJS(file.document) as Json // YAML 1.2 core is JSON
    const type = isObject(input) ? input.type : undefined
    const isText = type !== 'boolean' && type !== 'number'
    return { name: pairKey(pair), type: isText ? 'string' : type }
  })
  return [...new Map(declared.map((one) => [one.name.toLowerCase(), one])).values()]
}
