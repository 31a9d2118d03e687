import { carryOut } from '../engine/effects.ts'
import { evaluate } from '../engine/evaluate.ts'
import type { Decision, Evaluation } from '../engine/evaluation.ts'
import type { WorkflowSource } from '../engine/events.ts'
import type { EnginePorts } from '../engine/ports.ts'
import { type ClientPayload, EVENT_TYPE, HEADER } from '../protocol/dispatch.ts'
import { type Problem, UserError } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'
import { parseWebhookPath } from '../protocol/webhook-path.ts'

/** What became of one request, evaluated here as the action would on GitHub. */
export interface DevEvent {
  readonly delivery: string
  readonly method: string
  /** Path and query as they were forwarded. */
  readonly path: string
  /** Names that the path addresses, whether or not there is such a workflow or trigger. */
  readonly workflow: string
  readonly trigger: string
  readonly decisions: readonly Decision[]
  /** One `on` context per item, as the action's output `items`. */
  readonly items: Evaluation['contexts']
  readonly count: number
  /** Why nothing fired. */
  readonly reason: string | undefined
  /** Mistakes in the workflow file that was addressed. */
  readonly problems: readonly Problem[]
  readonly milliseconds: number
}

export interface LocalPlatformPorts {
  /** The workflows as they are now: a changed file takes effect with the next request. */
  readonly workflows: (event: Json) => WorkflowSource
  readonly engine: EnginePorts
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** Stands where GitHub would: evaluates a dispatched payload at once, in this process. */
export async function runLocally(
  payload: ClientPayload,
  { workflows, engine, now }: LocalPlatformPorts,
): Promise<DevEvent> {
  const started = now()
  const { workflow, trigger } = parseWebhookPath(payload.path)
  const event = {
    action: EVENT_TYPE,
    client_payload: { ...payload, headers: { ...payload.headers } },
  }
  const run = { id: payload.headers[HEADER.delivery] ?? '', at: engine.triggers.now() }
  const result = await evaluated(event, workflows, { ...engine, run })
  return {
    delivery: payload.headers[HEADER.delivery] ?? '',
    method: payload.method,
    path: payload.path,
    workflow,
    trigger,
    ...result,
    milliseconds: now() - started,
  }
}

type Result = Pick<DevEvent, 'decisions' | 'items' | 'count' | 'reason' | 'problems'>

async function evaluated(
  payload: Json,
  workflows: LocalPlatformPorts['workflows'],
  engine: EnginePorts,
): Promise<Result> {
  try {
    const event = { name: 'repository_dispatch', payload }
    const source = workflows(payload)
    const evaluation = await evaluate(event, source, engine)
    // There is no job that could fail: what was handed on is done.
    await carryOut(evaluation.effects, (name) => source.find(name), engine)
    const { decisions, contexts, items, reason } = evaluation
    return { decisions, items: contexts, count: items.length, reason, problems: [] }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const reason = 'the workflow has mistakes'
    return { decisions: [], items: [], count: 0, reason, problems: error.problems }
  }
}

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
