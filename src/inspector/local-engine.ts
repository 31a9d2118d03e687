import { setTimeout as sleep } from 'node:timers/promises'
import { stepOutputs } from '../action/outputs.ts'
import { runEffects } from '../engine/effects.ts'
import { evaluate } from '../engine/evaluate.ts'
import { filterMisses, missText } from '../engine/filter-misses.ts'
import type { EnginePorts, WorkflowSource } from '../engine/ports.ts'
import type { Evaluation, OnContext } from '../engine/result.ts'
import type { ExampleRequest, Proof } from '../triggers/trigger.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type ClientPayload, EVENT_TYPE, HEADER, type PlatformEvent } from '../wire/payload.ts'
import { counted, printable } from '../wire/printable.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { Reader, ShownJobs } from './api.ts'
import { curlLine } from './curl.ts'
import { type ExplainedEvent, formatJobs } from './jobs.ts'
import { offers, onExpression, type Place } from './page/expression.ts'

/** What became of one request, or of one poll, evaluated here as the action would on GitHub. */
export interface DevEvent
  extends Pick<
      Evaluation,
      'decisions' | 'found' | 'fields' | 'errors' | 'warnings' | 'notices' | 'reason'
    >,
    Pick<ExplainedEvent, 'origin'> {
  /** Empty for a poll. */
  readonly delivery: string
  /** `POLL` for a poll. */
  readonly method: string
  /** Path and query as they were forwarded; empty for a poll. */
  readonly path: string
  /** Names that the path addresses, whether or not there is such a workflow or trigger. */
  readonly workflow: string
  readonly trigger: string
  /** One `on` context per item, as the action's output `items`. */
  readonly items: Evaluation['contexts']
  readonly count: number
  /** Mistakes in the workflow file that was addressed, and what else the user can mend. */
  readonly problems: readonly Problem[]
  readonly milliseconds: number
}

export interface LocalPlatformPorts {
  /** The workflows as they are now: a changed file takes effect with the next request. */
  readonly workflows: (event: Json) => WorkflowSource
  /** For one run; each has an id of its own. */
  readonly engine: () => EnginePorts
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** Stands where GitHub would: evaluates a dispatched payload at once, in this process. */
export async function runLocally(
  payload: ClientPayload,
  ports: LocalPlatformPorts,
): Promise<DevEvent> {
  const { workflow, trigger } = parseWebhookPath(payload.path)
  const event = {
    action: EVENT_TYPE,
    client_payload: { ...payload, headers: { ...payload.headers } },
  }
  const open = () => ports.workflows(event)
  const result = await evaluateLocally({ name: 'repository_dispatch', payload: event }, open, ports)
  const { method, path, headers } = payload
  const isBinary = headers[HEADER.bodyEncoding] === 'base64'
  const notices = isBinary ? [...result.notices, BINARY] : result.notices
  const named = { delivery: headers[HEADER.delivery] ?? '', method, path, workflow, trigger }
  return { ...named, ...result, notices }
}

const BINARY = 'body: is no text; what is shown, and handed on, is its base64'

/** Lets a workflow poll, as a schedule of GitHub would, each trigger when its `every` says so. */
export async function pollLocally(workflow: string, ports: LocalPlatformPorts): Promise<DevEvent> {
  const open = () => ({ ...ports.workflows({}), calling: workflow, polled: () => [workflow] })
  const result = await evaluateLocally({ name: 'schedule', payload: {} }, open, ports)
  const { decisions, problems } = result
  // What went wrong stands in no file: the service did.
  const hasFailed = problems.length > 0 && problems.every(({ position }) => position === undefined)
  const decided = decisions.find(({ fired }) => fired) ?? decisions[0]
  return {
    delivery: '',
    method: 'POLL',
    path: '',
    workflow,
    trigger: decided?.trigger ?? '',
    ...result,
    reason: hasFailed ? 'the poll failed' : result.reason,
  }
}

type Result = Omit<DevEvent, 'delivery' | 'method' | 'path' | 'workflow' | 'trigger'>

async function evaluateLocally(
  event: PlatformEvent,
  open: () => WorkflowSource,
  { engine, now }: LocalPlatformPorts,
): Promise<Result> {
  const started = now()
  try {
    const workflows = open()
    const ports = engine()
    const evaluation = await evaluate(event, workflows, ports)
    // Here every job succeeds, so what is left for its end is done at once.
    await runEffects(evaluation.effects, (name) => workflows.find(name), ports)
    const { contexts, items, found, fields, files, reason } = evaluation
    const decisions = await withMisses(evaluation)
    const outputs = { items: contexts, count: items.length, found, fields, reason }
    const { errors, notices } = evaluation
    const warnings = [...evaluation.warnings, ...(files.length > 0 ? [UNWRITTEN] : [])]
    const messages = { errors, warnings, notices, problems: [] }
    const origin = { event, outputs: Object.fromEntries(stepOutputs(evaluation)) }
    return { decisions, ...outputs, ...messages, origin, milliseconds: now() - started }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const { problems } = error
    const nothing = { decisions: [], items: [], count: 0, found: [], fields: [] }
    const messages = { errors: [], warnings: [], notices: [], problems }
    // What has no place in a file is not a mistake of it: there may be none.
    const hasPlace = problems.some(({ position }) => position !== undefined)
    const reason = hasPlace ? 'the workflow has mistakes' : problems[0]?.message
    return { ...nothing, ...messages, reason, milliseconds: now() - started }
  }
}

/** The decisions with what a filter found and wanted: here alone, since logs are read by others. */
async function withMisses({ decisions, runs }: Evaluation): Promise<DevEvent['decisions']> {
  return Promise.all(
    decisions.map(async (decision) => {
      const run = runs.find(({ trigger }) => trigger.name === decision.trigger)
      const { filter } = run?.trigger.config ?? {}
      if (!decision.tally || !run || filter === undefined) return decision
      const missed = await Promise.all(run.found.map((item) => filterMisses(filter, item)))
      const lines = [...new Set(missed.flat().map(missText))].slice(0, SHOWN_MISSES)
      const steps = [...decision.tally.steps, ...lines]
      return { ...decision, tally: { ...decision.tally, steps } }
    }),
  )
}

const SHOWN_MISSES = 20

/** No step of a job runs here that could read it. */
const UNWRITTEN = 'config.exportOutputs: the action writes the file at "path"; here none is written'

/** An event as `--json` prints it, on one line: of messages, the kinds of which there are any. */
export function eventJson(event: DevEvent, jobs: readonly ShownJobs[] = []): string {
  const { delivery, workflow, trigger, count, items, reason = null } = event
  const { errors, warnings, notices } = event
  const problems = event.problems.map(({ message, position, hint }) => ({
    message,
    ...(position && {
      file: position.source.file,
      line: position.line,
      column: position.column,
    }),
    ...(hint && { hint }),
  }))
  const told = { delivery, workflow, trigger, triggered: count > 0, count, items, reason }
  const messages = Object.entries({ errors, warnings, notices, problems })
  const decided = jobs.map(({ file, jobs: all }) => {
    return { file, jobs: all.map(({ id, verdict, why }) => ({ id, verdict, why })) }
  })
  const given = [...messages, ['jobs', decided] as const].filter(([, list]) => list.length > 0)
  return JSON.stringify({ ...told, ...Object.fromEntries(given) })
}

/**
 * Polls every workflow that has a trigger for it, once.
 *
 * @param tell of what is news: items, what was left out for good, the first poll of a workflow, and a
 * failure that was not there the time before
 */
export function poller(
  ports: LocalPlatformPorts,
  tell: (event: DevEvent) => void,
): () => Promise<void> {
  const before = new Map<string, string>()
  return async () => {
    const { found } = readAllWorkflows(() => ports.workflows({}))
    const polling = found.filter(({ triggers }) => triggers.some(({ poll }) => poll))
    for (const { name } of polling) {
      const event = await pollLocally(name, ports)
      const failure = JSON.stringify([event.problems.map(({ message }) => message), event.warnings])
      const isNews = event.count > 0 || event.errors.length > 0 || before.get(name) !== failure
      if (isNews) tell(event)
      before.set(name, failure)
    }
  }
}

/**
 * Does something again and again, with a pause in between, until it is stopped. A failure is
 * reported, and ends nothing.
 *
 * @returns what stops it, and waits for what is in the works
 */
export function repeat(
  work: () => Promise<void>,
  pause: number,
  report: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async () => {
    while (!signal.aborted) {
      await work().catch(report)
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  const ended = loop()
  return () => {
    stopping.abort()
    return ended
  }
}

/** All workflows that can be read, and the mistakes of the others. */
interface AllWorkflows {
  readonly found: readonly Workflow[]
  readonly problems: readonly Problem[]
}

/** Reads every workflow there is: one wrong file does not hide the others. */
export function readAllWorkflows(open: () => WorkflowSource): AllWorkflows {
  const opened = attempt(() => {
    const source = open()
    return { source, names: source.names() }
  })
  if ('problems' in opened) return { found: [], problems: opened.problems }
  const { source, names } = opened.value
  const results = names.map((name) => attempt(() => source.find(name)))
  return {
    found: results.flatMap((result) => ('value' in result ? (result.value ?? []) : [])),
    problems: results.flatMap((result) => ('problems' in result ? result.problems : [])),
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] }

function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof UserError) return { problems: error.problems }
    throw error
  }
}

/** A trigger that waits for requests, with the address that it answers to. */
export interface FoundTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly url: string
  /** `undefined` when only its sender can make a request that fires it. */
  readonly example: ExampleRequest | undefined
  readonly proofs: readonly Proof[]
}

/** The triggers of workflows that take webhooks, as addresses below `base`. */
export function foundTriggers(base: string, workflows: readonly Workflow[]): FoundTrigger[] {
  return workflows.flatMap(({ name: workflow, triggers }) =>
    triggers.flatMap(({ name: trigger, takesWebhooks, example, proofs }) => {
      const url = `${base}/webhook/${encodeURIComponent(workflow)}/${trigger}`
      return takesWebhooks ? [{ workflow, trigger, url, example, proofs }] : []
    }),
  )
}

/** The triggers of workflows that poll: `bot/messaging_bot`. */
export function polledTriggers(workflows: readonly Workflow[]): string[] {
  return workflows.flatMap(({ name, triggers }) =>
    triggers.flatMap((trigger) => (trigger.poll ? [`${name}/${trigger.name}`] : [])),
  )
}

/** A trigger as a list shows it: how to call it, and where. */
export function listLine({ url, example }: FoundTrigger): string {
  return `${(example?.method ?? 'signed').padEnd(7)} ${url}${example?.path ?? ''}`
}

/** What fires a trigger that asks for nothing else. */
export const ANY_REQUEST: ExampleRequest = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: '{"hello":"world"}',
}

/**
 * A line for a shell that fires a trigger.
 *
 * @param credential what a relay is brought, or the shell's variable for it, `$HOOKLINE_TOKEN`; absent
 * where none is needed
 */
export function exampleLine(
  url: string,
  { method, path, contentType, body }: ExampleRequest,
  credential?: string,
): string {
  const headers = {
    ...(credential !== undefined && { 'X-Platform-Authorization': `Bearer ${credential}` }),
    ...(contentType !== undefined && { 'content-type': contentType }),
  }
  const variables = credential?.startsWith('$') ? [credential] : []
  return curlLine({ method, url: url + path, headers, body: body ?? '', variables })
}

/** Characters of a value that are shown; the rest is counted. */
const SHOWN_LENGTH = 500

function indented(text: string): string {
  return `  ${visible(text)}`
}

/** Of messages, the worst first. */
const KINDS = ['error', 'warning', 'notice'] as const

/**
 * An event as a person reads it on a terminal: the request, what fired or why not, and the outputs,
 * each under the expression that reads it.
 *
 * @param readers who can read the outputs
 * @param jobs what the workflow's jobs do with it
 */
export function formatEvent(
  event: DevEvent,
  readers: readonly Reader[] = [],
  jobs: readonly ShownJobs[] = [],
): string {
  const { method, path, workflow, trigger, count, reason, problems, milliseconds } = event
  const place = path === '' ? `${workflow}/${trigger}` : `/webhook/${visible(path)}`
  const outcome = count > 0 ? `fired, ${counted(count, 'item')}` : 'skipped'
  return [
    `${method} ${place}  ${outcome}  ${milliseconds.toFixed(0)} ms`,
    ...(reason === undefined || problems[0]?.message === reason ? [] : [`  ${reason}`]),
    ...event.decisions.flatMap(({ tally }) =>
      (tally?.steps ?? []).filter((step) => reason?.includes(step) !== true).map(indented),
    ),
    ...KINDS.flatMap((kind) => event[`${kind}s`].map((text) => `  ${kind}: ${visible(text)}`)),
    ...problems.map((problem) => renderProblem(problem).replace(/^/gm, '  ')),
    ...event.items.flatMap((context, at) => outputLines(context, at, event.fields, readers)),
    formatJobs(jobs),
  ].join('\n')
}

function outputLines(
  context: OnContext,
  item: number,
  fields: readonly string[],
  readers: readonly Reader[],
): string[] {
  return Object.entries(context).flatMap(([trigger, { outcome, outputs }]) => {
    if (outcome !== 'success') return []
    return Object.entries(outputs).flatMap(([name, value]) => {
      const isStructure = typeof value === 'object' && value !== null
      const place = { trigger, path: [name], value: isStructure ? '' : value, item, fields }
      const text = visible(JSON.stringify(value))
      const shown =
        text.length <= SHOWN_LENGTH
          ? text
          : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`
      const line = `  ${visible(expressionIn(place, readers))} = ${shown}`
      return [line, ...laterJobLines(place, readers)]
    })
  })
}

/** As a source is written; in a native workflow, for later steps of the job that runs the action. */
function expressionIn(place: Place, readers: readonly Reader[]): string {
  const kinds = ['source', 'steps'] as const
  const reader = kinds.flatMap((kind) => readers.find((one) => one.kind === kind) ?? [])[0]
  const [offer] = reader ? offers(place, [reader]) : []
  return unwrapped(offer?.expression ?? onExpression(place))
}

/** What later jobs of a native workflow write: where it is handed on to them, or in their matrix. */
function laterJobLines(place: Place, readers: readonly Reader[]): string[] {
  if (readers.some(({ kind }) => kind === 'source')) return []
  const jobs = new Map<string, string[]>()
  const later = readers.filter(({ kind }) => kind === 'needs' || kind === 'matrix')
  for (const { expression, where, missing } of offers(place, later)) {
    if (!missing) jobs.set(expression, [...(jobs.get(expression) ?? []), where])
  }
  return [...jobs].map(
    ([expression, where]) => `    ${visible(`${where.join(', ')}: ${unwrapped(expression)}`)}`,
  )
}

function unwrapped(expression: string): string {
  return expression.replace(/^\$\{\{ (.*) \}\}$/s, '$1')
}

/** On one line, whatever it holds. */
function visible(text: string): string {
  return printable(text.replace(/[\t\r\n\u2028\u2029]/g, '\ufffd'))
}
