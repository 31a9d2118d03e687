import { evaluate, type WorkflowSource } from '../engine/evaluate.ts'
import type { Decision, Evaluation } from '../engine/evaluation.ts'
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
  /** Items as the trigger found them, before `config`. */
  readonly found: Evaluation['items']
  /** The fields that are step outputs of their own. */
  readonly fields: readonly string[]
  readonly warnings: readonly string[]
  /** Why nothing fired. */
  readonly reason: string | undefined
  /** Mistakes in the workflow file that was addressed. */
  readonly problems: readonly Problem[]
  readonly milliseconds: number
}

export interface LocalPlatformPorts {
  /** The workflows as they are now: a changed file takes effect with the next request. */
  readonly workflows: (event: Json) => WorkflowSource
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** Stands where GitHub would: evaluates a dispatched payload at once, in this process. */
export async function runLocally(
  payload: ClientPayload,
  { workflows, now }: LocalPlatformPorts,
): Promise<DevEvent> {
  const started = now()
  const { workflow, trigger } = parseWebhookPath(payload.path)
  const event = {
    action: EVENT_TYPE,
    client_payload: { ...payload, headers: { ...payload.headers } },
  }
  const result = await evaluated(event, workflows)
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

type Result = Omit<DevEvent, keyof Addressed | 'milliseconds'>

type Addressed = Pick<DevEvent, 'delivery' | 'method' | 'path' | 'workflow' | 'trigger'>

async function evaluated(
  payload: Json,
  workflows: LocalPlatformPorts['workflows'],
): Promise<Result> {
  try {
    const evaluation = await evaluate({ name: 'repository_dispatch', payload }, workflows(payload))
    const { decisions, contexts, items, fields, warnings, reason } = evaluation
    const outputs = { items: contexts, count: items.length, found: items, fields }
    return { decisions, ...outputs, warnings, reason, problems: [] }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const reason = 'the workflow has mistakes'
    const nothing = { decisions: [], items: [], count: 0, found: [], fields: [], warnings: [] }
    return { ...nothing, reason, problems: error.problems }
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
