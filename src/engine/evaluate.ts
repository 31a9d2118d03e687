import { type ClientPayload, EVENT_TYPE, HEADER, readClientPayload } from '../protocol/dispatch.ts'
import { PayloadError } from '../protocol/errors.ts'
import { isObject, type Json } from '../protocol/json.ts'
import { parseWebhookPath } from '../protocol/webhook-path.ts'
import { readWebhookRequest } from '../protocol/webhook-request.ts'
import type { Reception } from '../triggers/trigger.ts'
import type { DeclaredTrigger, Workflow } from '../workflow/workflow.ts'
import { type Decision, type Evaluation, NOTHING } from './evaluation.ts'
import { otherTrigger, otherWorkflow } from './mismatch.ts'
import { firedContexts, nativeContext } from './on-context.ts'

/** A GitHub event: its name (`GITHUB_EVENT_NAME`) and payload (the file at `GITHUB_EVENT_PATH`). */
export interface PlatformEvent {
  readonly name: string
  readonly payload: Json
}

/** Where workflows come from: the input `on`, or files, read when they are asked for. */
export interface WorkflowSource {
  /** The names of all workflows there are. */
  names(): readonly string[]
  /** @throws UserError when the workflow has mistakes */
  find(name: string): Workflow | undefined
  /** Name of the workflow that GitHub is running, for events that name none. */
  readonly calling: string
}

/**
 * Which trigger an event fires, and with which items. An event that matches nothing is no error.
 *
 * @throws UserError when the workflow that it addresses has mistakes
 */
export async function evaluate(
  event: PlatformEvent,
  workflows: WorkflowSource,
): Promise<Evaluation> {
  const dispatched = webhookPayload(event)
  if (dispatched === undefined) return evaluateNative(event, workflows)
  try {
    return await evaluateWebhook(readClientPayload(dispatched), workflows)
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error
    return { ...NOTHING, reason: error.message, warnings: [error.message] }
  }
}

/** The `client_payload` of a dispatched webhook; `undefined` for every other event. */
function webhookPayload({ name, payload }: PlatformEvent): Json | undefined {
  if (name !== 'repository_dispatch' || !isObject(payload)) return undefined
  return payload.action === EVENT_TYPE ? (payload.client_payload ?? null) : undefined
}

function evaluateNative({ name }: PlatformEvent, workflows: WorkflowSource): Evaluation {
  const workflow = workflows.find(workflows.calling)
  const reason = `a webhook arrives as repository_dispatch of type ${EVENT_TYPE}, this event is ${name}`
  const decisions = decide(workflow, 'the event is none of its own')
  return { ...NOTHING, contexts: [nativeContext(workflow)], decisions, reason }
}

async function evaluateWebhook(
  payload: ClientPayload,
  workflows: WorkflowSource,
): Promise<Evaluation> {
  const relayed = {
    ...NOTHING,
    delivery: payload.headers[HEADER.delivery],
    receivedAt: payload.headers[HEADER.receivedAt],
  }
  const path = parseWebhookPath(payload.path)
  const workflow = workflows.find(path.workflow)
  if (!workflow) return { ...relayed, reason: otherWorkflow(path, workflows.names()) }
  const declared = workflow.triggers.find(({ name }) => name === path.trigger)
  if (!declared?.receive) {
    const decisions = decide(workflow, 'the webhook addresses another trigger')
    return { ...relayed, decisions, reason: otherTrigger(path, workflow) }
  }
  const reception = await declared.receive(await readWebhookRequest(payload))
  return { ...relayed, ...received(workflow, declared, reception) }
}

function received(
  workflow: Workflow,
  { name, definition }: DeclaredTrigger,
  { checks, items }: Reception,
): Partial<Evaluation> {
  const missed = checks.find((check) => !check.held)
  const reason = checks.map((check) => `${check.option}: ${check.found}`).join('; ')
  const decision = { trigger: name, fired: items.length > 0, reason, checks }
  const decisions = decide(workflow, 'the webhook addresses another trigger', decision)
  if (items.length === 0)
    return { decisions, reason: missed ? `${missed.option} ${missed.found}` : reason }
  const contexts = firedContexts(workflow, name, items)
  const fields = Object.keys(definition.outputs)
  return { workflow: workflow.name, trigger: name, items, contexts, fields, decisions }
}

/** One decision for each declared trigger: the given one, and for the others the same reason. */
function decide(workflow: Workflow | undefined, reason: string, decided?: Decision): Decision[] {
  return (workflow?.triggers ?? []).map(({ name }) =>
    name === decided?.trigger ? decided : { trigger: name, fired: false, reason, checks: [] },
  )
}
