import { readBatch } from '../wire/batch-payload.ts'
import { PayloadError, UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { warning } from '../wire/messages.ts'
import { parseWebhookPath } from '../wire/path.ts'
import {
  type ClientPayload,
  EVENT_TYPE,
  type GitHubEvent,
  HEADER,
  readClientPayload,
  webhookPayload,
} from '../wire/payload.ts'
import { counted } from '../wire/printable.ts'
import type { WebhookRequest } from '../wire/webhook-request.ts'
import type { DeclaredTrigger } from '../workflow/on.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { EnginePorts, TriggerRef, WorkflowSource } from './engine-ports.ts'
import {
  combineRuns,
  type Decision,
  type Evaluation,
  type TriggerRun,
  unfiredOutputs,
} from './evaluation.ts'
import { FULL_BUDGET, remainingBudget } from './output-budget.ts'
import { checkSchedule } from './poll-schedule.ts'
import {
  asksStore,
  claimRuns,
  notFired,
  type PreparedRun,
  placed,
  preparedContexts,
  prepareRun,
  type RunMode,
  triggerId,
} from './run-trigger.ts'
import { fromPoll, receiveBatch, receiveEvent } from './trigger-result.ts'

/**
 * Finds out which trigger an event fires, and with which items. An event that matches nothing is no
 * error.
 *
 * @throws UserError if the workflow that the event addresses has mistakes
 */
export async function evaluate(
  event: GitHubEvent,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  try {
    const dispatched = webhookPayload(event)
    if (dispatched === undefined) return await evaluatePoll(event, workflows, ports)
    return await evaluateWebhook(readClientPayload(dispatched), workflows, ports)
  } catch (error) {
    return combineRuns([], {
      ...unreadablePayload(error),
      unfiredFields: callingFields(workflows),
    })
  }
}

/**
 * The JSON outputs of the calling workflow, for an event that addresses another workflow. Mistakes
 * in the calling workflow do not matter to such an event, so they are ignored.
 */
function callingFields(workflows: WorkflowSource): readonly string[] {
  try {
    return unfiredOutputs(workflows.find(workflows.calling)).unfiredFields
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}

/** @throws any error but a PayloadError */
function unreadablePayload(error: unknown) {
  if (!(error instanceof PayloadError)) throw error
  return {
    miss: 'payload',
    reason: error.message,
    messages: [warning('unreadable-event', error.message)],
  } as const
}

async function evaluateWebhook(
  payload: ClientPayload,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  const relayed = {
    delivery: payload.headers[HEADER.delivery],
    receivedAt: payload.headers[HEADER.receivedAt],
  }
  const path = parseWebhookPath(payload.path)
  const workflow = workflows.find(path.workflow)
  if (!workflow) {
    const reason = otherName('workflow', path.workflow, 'here', workflows.names())
    const unfiredFields = callingFields(workflows)
    return combineRuns([], { ...relayed, unfiredFields, miss: 'workflow', reason })
  }
  const trigger = triggerNamed(workflow, path.trigger)
  const unfired = unfiredOutputs(workflow)
  const others = () => 'the webhook addresses another trigger'
  if (!trigger?.receive) {
    const names = workflow.triggers.map(({ name }) => name)
    const declares = `${shownName(workflow.name)} declares`
    const reason = otherName('trigger', path.trigger, declares, names)
    const facts = { ...relayed, ...unfired, decisions: decisionsFor(workflow, others), reason }
    return combineRuns([], { ...facts, miss: 'trigger' })
  }
  const ref = { workflow, trigger }
  const decided = (run: TriggerRun) => decisionsFor(workflow, others, [run.decision])
  try {
    const run = await receive(ref, payload, ports)
    const { reason } = run.decision
    const facts = { ...relayed, ...unfired, decisions: decided(run), reason }
    return combineRuns([run], { ...facts, miss: 'condition' })
  } catch (error) {
    const miss = unreadablePayload(error)
    const decisions = decided(notFired(ref, miss.reason))
    return combineRuns([], { ...relayed, ...unfired, decisions, ...miss })
  }
}

/** The trigger that is declared under a name, or under another name of the same trigger. */
export function triggerNamed({ triggers }: Workflow, wanted: string): DeclaredTrigger | undefined {
  return (
    triggers.find(({ name }) => name === wanted) ??
    triggers.find(({ definition }) => [definition.name, ...definition.aliases].includes(wanted))
  )
}

async function receive(
  ref: TriggerRef,
  dispatched: ClientPayload,
  ports: EnginePorts,
): Promise<TriggerRun> {
  const { config, receive } = ref.trigger
  if (!config.active || !receive) return notFired(ref, 'config.active is false')
  const payload = (await ports.fetchBody?.(dispatched)) ?? dispatched
  const asks = asksStore(ref)
  const events = await readBatch(payload, ports.unpack)
  if (events && !config.batch) {
    // The step fails, because passing only the first event would lose the others.
    throw new UserError({
      message: `"${ref.trigger.name}" takes one event per run, and the relay sent a batch of ${counted(events.length, 'event')}`,
      position: ref.trigger.positionOf([]),
      notes: [
        'to process them in one run, set "batch: true" under its "config", and run this job again',
        'or remove "batch" from the endpoint of the relay',
      ],
    })
  }
  const receiveOne = (request: WebhookRequest) => receive(request, ports.triggers)
  const look = async () =>
    events
      ? receiveBatch(events, payload.path, receiveOne, asks)
      : receiveEvent(payload, receiveOne, asks)
  const [snapshot] = asks ? ((await ports.store?.read([triggerId(ref)])) ?? []) : []
  const prepared = await prepareRun(ref, look, ports, { isPolled: false, snapshot })
  const [run] = await claimRuns([prepared], ports)
  return run ?? notFired(ref, '')
}

/**
 * Polls for an event that is no webhook: the triggers that poll on it do so one after the other,
 * each within the output quota that the earlier ones left. The store is read once before all of
 * them, and written once after them. If no trigger polls, nothing fires, and the reason says why.
 */
async function evaluatePoll(
  event: GitHubEvent,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  const pollers = (workflows.polled?.() ?? [workflows.calling]).flatMap((name) =>
    pollersOf(workflows.find(name)),
  )
  const wanted = pollers.filter((ref) => pollRefusal(ref, event) === undefined)
  if (wanted.length === 0) return pollsNothing(event, workflows, pollers)
  const asked = wanted.filter(({ trigger }) => trigger.config.active && trigger.poll)
  const snapshots = (asked.length > 0 && (await ports.store?.read(asked.map(triggerId)))) || []
  const prepared: PreparedRun[] = []
  let budget = FULL_BUDGET
  for (const ref of wanted) {
    const snapshot = snapshots[asked.indexOf(ref)]
    const one = await poll(ref, event, ports, { isPolled: true, snapshot, budget })
    const contexts = preparedContexts(one, ports)
    if (contexts.length > 0) budget = remainingBudget(contexts, budget)
    prepared.push(one)
  }
  const runs = await claimRuns(prepared, ports)
  // These are all workflows that polled; if there are several, each decision names its workflow.
  const polled = [...new Set(runs.map(({ workflow }) => workflow))]
  const decisions = polled.flatMap((workflow) => {
    const own = runs.filter((run) => run.workflow === workflow).map(({ decision }) => decision)
    const decided = decisionsFor(workflow, (ref) => whyNot(ref, event), own)
    if (polled.length === 1) return decided
    return decided.map((decision) => ({ workflow: workflow.name, ...decision }))
  })
  const unfired = unfiredOutputs(wanted[0]?.workflow)
  return combineRuns(runs, { decisions, ...unfired, miss: 'poll' })
}

/** The triggers that can poll. One whose options disable polling is included, to report the reason. */
function pollersOf(workflow: Workflow | undefined): TriggerRef[] {
  const triggers = workflow?.triggers ?? []
  return triggers.flatMap((trigger) =>
    workflow && (trigger.poll || trigger.pollDisabledReason !== undefined)
      ? [{ workflow, trigger }]
      : [],
  )
}

/** The option that keeps a trigger from polling on an event; `undefined` if there is none. */
function pollRefusal({ trigger: { config } }: TriggerRef, { name }: GitHubEvent) {
  if (name === 'schedule') return config.skipSchedule ? 'config.skipSchedule is true' : undefined
  return config.manualRunEvent.includes(name)
    ? undefined
    : `config.manualRunEvent does not name ${name}`
}

function whyNot(ref: TriggerRef, event: GitHubEvent): string {
  const [poller] = pollersOf({ ...ref.workflow, triggers: [ref.trigger] })
  return (poller && pollRefusal(poller, event)) ?? 'it does not poll on this event'
}

/**
 * The evaluation of an event on which no trigger polls: GitHub's own event, or an event that
 * options exclude.
 *
 * @throws UserError if the user meant a poll, but the workflow that polls is not among the polled
 * ones
 */
function pollsNothing(
  event: GitHubEvent,
  workflows: WorkflowSource,
  pollers: readonly TriggerRef[],
): Evaluation {
  const workflow = workflows.find(workflows.calling)
  if (pollers.length === 0 && !workflows.polled) refuseForgottenPoller(event, workflows)
  const decisions = decisionsFor(workflow, (ref) => whyNot(ref, event))
  const refusals = pollers.map((ref) => `${ref.trigger.name}: ${whyNot(ref, event)}`)
  const isPoll = refusals.length > 0 && (event.name === 'schedule' || event.name === MANUAL)
  const reason = isPoll ? refusals.join('; ') : explainNoWebhook(event)
  const miss = event.name === 'repository_dispatch' ? 'type' : 'event'
  return combineRuns([], { ...unfiredOutputs(workflow), decisions, miss, reason })
}

const MANUAL = 'workflow_dispatch'

/**
 * Fails if no trigger polls in the file with the name of the calling workflow, but one would in another
 * file. Without the input `workflow`, other files are not polled.
 */
function refuseForgottenPoller(event: GitHubEvent, workflows: WorkflowSource): void {
  const { calling } = workflows
  const isThere = workflows.find(calling) !== undefined
  const polling = workflows.names().filter((name) => {
    try {
      const pollers = pollersOf(workflows.find(name))
      return pollers.some((ref) => ref.trigger.poll && pollRefusal(ref, event) === undefined)
    } catch (error) {
      // If the calling workflow has no file, a file with mistakes may be the one that the user
      // meant.
      if (isThere || !(error instanceof UserError)) return false
      throw error
    }
  })
  if (polling.length === 0) return
  const names = polling.map((name) => `"${name}"`).join(', ')
  const own = isThere ? `"${calling}" has no trigger that polls` : `there is no file "${calling}"`
  throw new UserError({
    message: `this run polls nothing: ${own}, but ${names} would`,
    notes: [
      `only the workflow file named like the calling workflow, "${calling}", is polled`,
      'call the action from a workflow of the name of the file that polls',
      'or name that file in the input "workflow", for example: workflow: workflows/bot.yml',
    ],
  })
}

async function poll(
  ref: TriggerRef,
  event: GitHubEvent,
  ports: EnginePorts,
  mode: RunMode,
): Promise<PreparedRun> {
  const { snapshot } = mode
  const { config, poll, pollDisabledReason = 'it does not poll' } = ref.trigger
  if (!config.active) return { run: notFired(ref, 'config.active is false') }
  if (!poll) return { run: notFired(ref, pollDisabledReason) }
  const { every, timeZone, force } = config
  // Only a schedule checks whether `every` is due; a manual run is due immediately.
  if (event.name === 'schedule' && every && !force) {
    const schedule = isObject(event.payload) ? event.payload.schedule : undefined
    const { due, reason } = await checkSchedule(every, timeZone, {
      now: snapshot?.now ?? ports.run.at,
      ...(snapshot && { lastSuccess: snapshot.state.lastSuccess }),
      schedule: typeof schedule === 'string' ? schedule : undefined,
    }).catch((error: unknown) => {
      throw placed(error, ref)
    })
    if (!due) return { run: notFired(ref, reason) }
  }
  const look = async () => fromPoll(await poll(ports.triggers, snapshot?.state.cursor))
  return prepareRun(ref, look, ports, mode)
}

/** The reason why a webhook for an undeclared name fires nothing. */
function otherName(kind: string, found: string, where: string, names: readonly string[]): string {
  const hint = didYouMean(found, names)
  const list = names.map(shownName).join(', ') || 'none'
  const isCut = kind === 'trigger' && found === ''
  const addressed = isCut ? 'no trigger behind the workflow' : `the ${kind} ${shownName(found)}`
  return `the webhook addresses ${addressed}; ${where}: ${list}${hint ? ` (${hint})` : ''}`
}

function explainNoWebhook({ name, payload }: GitHubEvent): string {
  if (name !== 'repository_dispatch') {
    return `a webhook arrives as repository_dispatch of type "${EVENT_TYPE}", this event is ${name}`
  }
  const type = isObject(payload) ? payload.action : undefined
  const found = typeof type === 'string' ? `of type ${shownName(type)}` : 'without a type'
  return `this repository_dispatch is ${found}, Hookline listens to type "${EVENT_TYPE}"`
}

/** Shows a name only if it looks like a name, because it is untrusted input. */
function shownName(name: string): string {
  return /^[\w.-]{1,100}$/.test(name) ? `"${name}"` : '(not a name)'
}

/** One decision for each declared trigger: a given decision, or else a reason. */
function decisionsFor(
  workflow: Workflow | undefined,
  reason: (ref: TriggerRef) => string,
  decided: readonly Decision[] = [],
): Decision[] {
  if (!workflow) return []
  return workflow.triggers.map((trigger) => {
    const own = decided.find((decision) => decision.trigger === trigger.name)
    return own ?? notFired({ workflow, trigger }, reason({ workflow, trigger })).decision
  })
}
