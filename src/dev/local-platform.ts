import { carryOut } from '../engine/effects.ts'
import { evaluate } from '../engine/evaluate.ts'
import type { EnginePorts, PlatformEvent, WorkflowSource } from '../engine/event.ts'
import type { Decision, Evaluation } from '../engine/result.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type ClientPayload, EVENT_TYPE, HEADER } from '../wire/payload.ts'

/** What became of one request, or of one poll, evaluated here as the action would on GitHub. */
export interface DevEvent {
  /** Empty for a poll. */
  readonly delivery: string
  /** `POLL` for a poll. */
  readonly method: string
  /** Path and query as they were forwarded; empty for a poll. */
  readonly path: string
  /** Names that the path addresses, whether or not there is such a workflow or trigger. */
  readonly workflow: string
  readonly trigger: string
  readonly decisions: readonly Decision[]
  /** One `on` context per item, as the action's output `items`. */
  readonly items: Evaluation['contexts']
  readonly count: number
  /** Items as the trigger found them, before `config`. */
  readonly found: Evaluation['found']
  /** The fields that are step outputs of their own. */
  readonly fields: readonly string[]
  readonly warnings: readonly string[]
  /** Why nothing fired. */
  readonly reason: string | undefined
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
  const result = await evaluated({ name: 'repository_dispatch', payload: event }, open, ports)
  const { method, path, headers } = payload
  return { delivery: headers[HEADER.delivery] ?? '', method, path, workflow, trigger, ...result }
}

/** Lets a workflow poll, as a schedule of GitHub would, each trigger when its `every` says so. */
export async function pollLocally(workflow: string, ports: LocalPlatformPorts): Promise<DevEvent> {
  const open = () => ({ ...ports.workflows({}), calling: workflow, polled: () => [workflow] })
  const result = await evaluated({ name: 'schedule', payload: {} }, open, ports)
  const { decisions } = result
  const decided = decisions.find(({ fired }) => fired) ?? decisions[0]
  return {
    delivery: '',
    method: 'POLL',
    path: '',
    workflow,
    trigger: decided?.trigger ?? '',
    ...result,
    reason: isOutside(result.problems) ? 'the poll failed' : result.reason,
  }
}

/** Whether what went wrong stands in no file: the service did. */
function isOutside(problems: readonly Problem[]): boolean {
  return problems.length > 0 && problems.every(({ position }) => position === undefined)
}

type Result = Omit<DevEvent, 'delivery' | 'method' | 'path' | 'workflow' | 'trigger'>

async function evaluated(
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
    await carryOut(evaluation.effects, (name) => workflows.find(name), ports)
    return { ...resultOf(evaluation), milliseconds: now() - started }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const { problems } = error
    const nothing = { decisions: [], items: [], count: 0, found: [], fields: [], warnings: [] }
    const reason = 'the workflow has mistakes'
    return { ...nothing, reason, problems, milliseconds: now() - started }
  }
}

function resultOf(evaluation: Evaluation): Omit<Result, 'milliseconds'> {
  const { decisions, contexts, items, found, fields, files, reason } = evaluation
  const outputs = { items: contexts, count: items.length, found, fields }
  const warnings = [...evaluation.warnings, ...(files.length > 0 ? [UNWRITTEN] : [])]
  return { decisions, ...outputs, warnings, reason, problems: [] }
}

/** No step of a job runs here that could read it. */
const UNWRITTEN = 'config.exportOutputs: the action writes the file at "path"; here none is written'

/** An event as `--json` prints it, on one line. */
export function eventJson({ delivery, workflow, trigger, count, items, reason }: DevEvent): string {
  const triggered = count > 0
  return JSON.stringify({
    delivery,
    workflow,
    trigger,
    triggered,
    count,
    items,
    reason: reason ?? null,
  })
}
