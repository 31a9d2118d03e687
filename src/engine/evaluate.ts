import { PayloadError } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type ClientPayload, EVENT_TYPE, HEADER, readClientPayload } from '../wire/payload.ts'
import { readWebhookRequest } from '../wire/request.ts'
import type { DeclaredTrigger, Workflow } from '../workflow/workflow.ts'
import { received } from './catch.ts'
import { decide } from './decisions.ts'
import { type Evaluation, NOTHING } from './evaluation.ts'
import type { Addressed, PlatformEvent, WorkflowSource } from './events.ts'
import { fire } from './fire.ts'
import { type Firing, notFired, together } from './firing.ts'
import { otherTrigger, otherWorkflow } from './mismatch.ts'
import { unfiredContext } from './on-context.ts'
import { evaluateOther } from './poll-event.ts'
import type { EnginePorts } from './ports.ts'

/**
 * Which trigger an event fires, and with which items. An event that matches nothing is no error.
 *
 * @throws UserError when the workflow that it addresses has mistakes
 */
export async function evaluate(
  event: PlatformEvent,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  const dispatched = webhookPayload(event)
  if (dispatched === undefined) return evaluateOther(event, workflows, ports)
  try {
    return await evaluateWebhook(readClientPayload(dispatched), workflows, ports)
  } catch (error) {
    return { ...NOTHING, ...unreadable(error) }
  }
}

/** @throws any other error than that of a payload */
function unreadable(error: unknown) {
  if (!(error instanceof PayloadError)) throw error
  return { miss: 'payload', reason: error.message, warnings: [error.message] } as const
}

/** The `client_payload` of a dispatched webhook; `undefined` for every other event. */
function webhookPayload({ name, payload }: PlatformEvent): Json | undefined {
  if (name !== 'repository_dispatch' || !isObject(payload)) return undefined
  return payload.action === EVENT_TYPE ? (payload.client_payload ?? null) : undefined
}

async function evaluateWebhook(
  payload: ClientPayload,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  const relayed = {
    ...NOTHING,
    delivery: payload.headers[HEADER.delivery],
    receivedAt: payload.headers[HEADER.receivedAt],
  }
  const path = parseWebhookPath(payload.path)
  const workflow = workflows.find(path.workflow)
  if (!workflow) {
    return { ...relayed, miss: 'workflow', reason: otherWorkflow(path, workflows.names()) }
  }
  const trigger = addressedTrigger(workflow, path.trigger)
  const unfired = unfiredContext(workflow)
  const others = 'the webhook addresses another trigger'
  if (!trigger?.receive) {
    const decisions = decide(workflow, others)
    return { ...relayed, unfired, decisions, miss: 'trigger', reason: otherTrigger(path, workflow) }
  }
  const decided = (firing: Firing) => decide(workflow, others, [firing.decision])
  const at = { workflow, trigger }
  try {
    const firing = await receive(at, payload, ports)
    const { fired, reason } = firing.decision
    const evaluated = { ...relayed, ...together([firing]), unfired, decisions: decided(firing) }
    return fired ? evaluated : { ...evaluated, miss: 'condition', reason }
  } catch (error) {
    const miss = unreadable(error)
    return { ...relayed, unfired, decisions: decided(notFired(at, miss.reason)), ...miss }
  }
}

/** The trigger declared under a name, or else under another name of the same trigger. */
function addressedTrigger({ triggers }: Workflow, name: string): DeclaredTrigger | undefined {
  return (
    triggers.find((trigger) => trigger.name === name) ??
    triggers.find(({ definition }) => [definition.name, ...definition.aliases].includes(name))
  )
}

async function receive(at: Addressed, payload: ClientPayload, ports: EnginePorts): Promise<Firing> {
  const { config, receive } = at.trigger
  if (!config.active || !receive) return notFired(at, 'config.active is false')
  const look = async () => {
    const request = await readWebhookRequest(payload)
    return received(await receive(request, ports.triggers), request)
  }
  return fire(at, look, ports, { polled: false })
}
