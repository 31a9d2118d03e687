import { PayloadError } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { parseWebhookPath, type WebhookPath } from '../wire/path.ts'
import { type ClientPayload, EVENT_TYPE, HEADER, readClientPayload } from '../wire/payload.ts'
import { readWebhookRequest } from '../wire/request.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import type { DeclaredTrigger, Workflow } from '../workflow/workflow.ts'
import type { EnginePorts, PlatformEvent, TriggerRef, WorkflowSource } from './event.ts'
import {
  type Decision,
  type Evaluation,
  FULL_BUDGET,
  NOTHING_FIRED,
  type OutputBudget,
  remainingBudget,
  unfiredContext,
} from './result.ts'
import {
  fromReception,
  mergeRuns,
  notFired,
  placed,
  polled,
  runTrigger,
  type TriggerRun,
} from './run-trigger.ts'
import { checkSchedule, type ScheduleDecision } from './schedule.ts'

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
    return { ...NOTHING_FIRED, ...unreadable(error) }
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
    ...NOTHING_FIRED,
    delivery: payload.headers[HEADER.delivery],
    receivedAt: payload.headers[HEADER.receivedAt],
  }
  const path = parseWebhookPath(payload.path)
  const workflow = workflows.find(path.workflow)
  if (!workflow) {
    return { ...relayed, miss: 'workflow', reason: otherWorkflow(path, workflows.names()) }
  }
  const trigger = findTrigger(workflow, path.trigger)
  const unfired = unfiredContext(workflow)
  const others = 'the webhook addresses another trigger'
  if (!trigger?.receive) {
    const decisions = decide(workflow, others)
    return { ...relayed, unfired, decisions, miss: 'trigger', reason: otherTrigger(path, workflow) }
  }
  const decided = (firing: TriggerRun) => decide(workflow, others, [firing.decision])
  const at = { workflow, trigger }
  try {
    const firing = await receive(at, payload, ports)
    const { fired, reason } = firing.decision
    const evaluated = { ...relayed, ...mergeRuns([firing]), unfired, decisions: decided(firing) }
    return fired ? evaluated : { ...evaluated, miss: 'condition', reason }
  } catch (error) {
    const miss = unreadable(error)
    return { ...relayed, unfired, decisions: decided(notFired(at, miss.reason)), ...miss }
  }
}

/** The trigger declared under a name, or else under another name of the same trigger. */
function findTrigger({ triggers }: Workflow, name: string): DeclaredTrigger | undefined {
  return (
    triggers.find((trigger) => trigger.name === name) ??
    triggers.find(({ definition }) => [definition.name, ...definition.aliases].includes(name))
  )
}

async function receive(
  at: TriggerRef,
  payload: ClientPayload,
  ports: EnginePorts,
): Promise<TriggerRun> {
  const { config, receive } = at.trigger
  if (!config.active || !receive) return notFired(at, 'config.active is false')
  const look = async () => {
    const request = await readWebhookRequest(payload)
    return fromReception(await receive(request, ports.triggers), request)
  }
  return runTrigger(at, look, ports, { fromPoll: false })
}

/**
 * An event that is no webhook: the triggers that poll on it do so, one after the other. When there
 * is none, the event is none of Hookline's, and the jobs run once with every trigger skipped.
 */
async function evaluateOther(
  event: PlatformEvent,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  const pollers = pollersOn(event, workflows)
  if (pollers.length === 0) return evaluateNative(event, workflows)
  const firings = await pollAll(pollers, event, ports)
  const decisions = decideAll(firings)
  const unfired = unfiredContext(pollers[0]?.workflow)
  const polled = { ...NOTHING_FIRED, ...mergeRuns(firings), decisions, unfired }
  return polled.items.length > 0 ? polled : { ...polled, miss: 'poll' }
}

/** Of every workflow that polled; each decision names its own where there are several. */
function decideAll(firings: readonly TriggerRun[]): Decision[] {
  const workflows = [...new Set(firings.map(({ workflow }) => workflow))]
  return workflows.flatMap((workflow) => {
    const own = firings.filter((firing) => firing.workflow === workflow)
    const decided = own.map(({ decision }) => decision)
    const decisions = decide(workflow, 'it does not poll on this event', decided)
    if (workflows.length === 1) return decisions
    return decisions.map((decision) => ({ workflow: workflow.name, ...decision }))
  })
}

function evaluateNative(event: PlatformEvent, workflows: WorkflowSource): Evaluation {
  const workflow = workflows.find(workflows.calling)
  const decisions = decide(workflow, 'the event is none of its own')
  const miss = event.name === 'repository_dispatch' ? 'type' : 'event'
  const unfired = unfiredContext(workflow)
  const reason = explainNoWebhook(event)
  return { ...NOTHING_FIRED, contexts: [unfired], unfired, decisions, miss, reason }
}

function pollersOn({ name }: PlatformEvent, workflows: WorkflowSource): TriggerRef[] {
  return (workflows.polled?.() ?? [workflows.calling]).flatMap((workflowName) => {
    const workflow = workflows.find(workflowName)
    const triggers = workflow?.triggers.filter((trigger) => pollsOn(name, trigger)) ?? []
    return workflow ? triggers.map((trigger) => ({ workflow, trigger })) : []
  })
}

/** A trigger whose options tell it not to poll counts too: it says why it did not. */
function pollsOn(event: string, { poll, whyNotPolled, config }: DeclaredTrigger): boolean {
  if (!poll && whyNotPolled === undefined) return false
  return event === 'schedule' ? !config.skipSchedule : config.manualRunEvent.includes(event)
}

/** One after the other, in the room that those before have left. */
async function pollAll(
  pollers: readonly TriggerRef[],
  event: PlatformEvent,
  ports: EnginePorts,
): Promise<TriggerRun[]> {
  const firings: TriggerRun[] = []
  let room = FULL_BUDGET
  for (const at of pollers) {
    const firing = await poll(at, event, ports, room)
    if (firing.contexts.length > 0) room = remainingBudget(firing.contexts, room)
    firings.push(firing)
  }
  return firings
}

async function poll(
  at: TriggerRef,
  event: PlatformEvent,
  ports: EnginePorts,
  room: OutputBudget,
): Promise<TriggerRun> {
  const { config, poll, whyNotPolled = 'it does not poll' } = at.trigger
  if (!config.active) return notFired(at, 'config.active is false')
  if (!poll) return notFired(at, whyNotPolled)
  const { due, reason } = await decideSchedule(at, event, ports)
  if (!due) return notFired(at, reason)
  const look = async () => polled(await poll(ports.triggers))
  return runTrigger(at, look, ports, { fromPoll: true, room })
}

/** Only a schedule asks whether it is time; who starts a run by hand wants it now. */
async function decideSchedule(
  at: TriggerRef,
  event: PlatformEvent,
  ports: EnginePorts,
): Promise<ScheduleDecision> {
  const { config, name: trigger } = at.trigger
  if (event.name !== 'schedule') return { due: true, reason: event.name }
  const asked = ports.store !== undefined && config.every !== undefined
  const state = asked ? await ports.store?.read({ workflow: at.workflow.name, trigger }) : undefined
  const { payload } = event
  const schedule = isObject(payload) && payload.schedule
  try {
    return await checkSchedule(config, {
      now: ports.run.at,
      ...(state && { lastSuccess: state.lastSuccess }),
      schedule: typeof schedule === 'string' ? schedule : undefined,
    })
  } catch (error) {
    throw placed(error, at)
  }
}

/** Why a webhook for another workflow fires nothing here. */
function otherWorkflow({ workflow }: WebhookPath, names: readonly string[]): string {
  const hint = didYouMean(workflow, names)
  const list = names.map(quoted).join(', ') || 'none'
  return `the webhook addresses the workflow ${quoted(workflow)}; here: ${list}${hint ? ` (${hint})` : ''}`
}

/** Why a webhook for a trigger that the workflow does not declare fires nothing. */
function otherTrigger({ trigger }: WebhookPath, workflow: Workflow): string {
  const names = workflow.triggers.map(({ name }) => name)
  const hint = didYouMean(trigger, names)
  const list = names.map(quoted).join(', ') || 'none'
  return `the webhook addresses the trigger ${quoted(trigger)}; ${quoted(workflow.name)} declares: ${list}${hint ? ` (${hint})` : ''}`
}

/** Why an event is not the dispatch of a webhook. */
function explainNoWebhook({ name, payload }: PlatformEvent): string {
  if (name !== 'repository_dispatch') {
    return `a webhook arrives as repository_dispatch of type "${EVENT_TYPE}", this event is ${name}`
  }
  const type = isObject(payload) ? payload.action : undefined
  const found = typeof type === 'string' ? `of type ${quoted(type)}` : 'without a type'
  return `this repository_dispatch is ${found}, Hookline listens to type "${EVENT_TYPE}"`
}

/** A name from outside is shown only when it looks like one: it is the sender's text. */
function quoted(name: string): string {
  return /^[\w.-]{1,100}$/.test(name) ? `"${name}"` : '(not a name)'
}

/** One decision for each declared trigger: the given ones, and for the others the same reason. */
function decide(
  workflow: Workflow | undefined,
  reason: string,
  decided: readonly Decision[] = [],
): Decision[] {
  return (workflow?.triggers ?? []).map(
    ({ name }) =>
      decided.find(({ trigger }) => trigger === name) ?? {
        trigger: name,
        fired: false,
        reason,
        checks: [],
      },
  )
}
