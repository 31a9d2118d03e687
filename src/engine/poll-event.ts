import { isObject } from '../wire/json.ts'
import type { DeclaredTrigger } from '../workflow/workflow.ts'
import { polled } from './catch.ts'
import { decide } from './decisions.ts'
import { type Due, isDue } from './due.ts'
import { type Decision, type Evaluation, NOTHING } from './evaluation.ts'
import type { Addressed, PlatformEvent, WorkflowSource } from './events.ts'
import { placed } from './failure.ts'
import { fire } from './fire.ts'
import { type Firing, notFired, together } from './firing.ts'
import { whyNoWebhook } from './mismatch.ts'
import { unfiredContext } from './on-context.ts'
import type { EnginePorts } from './ports.ts'
import { type Room, roomBeside, WHOLE_ROOM } from './room.ts'

/**
 * An event that is no webhook: the triggers that poll on it do so, one after the other. When there
 * is none, the event is none of Hookline's, and the jobs run once with every trigger skipped.
 */
export async function evaluateOther(
  event: PlatformEvent,
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<Evaluation> {
  const pollers = pollersOn(event, workflows)
  if (pollers.length === 0) return evaluateNative(event, workflows)
  const firings = await pollAll(pollers, event, ports)
  const decisions = decideAll(firings)
  const unfired = unfiredContext(pollers[0]?.workflow)
  const polled = { ...NOTHING, ...together(firings), decisions, unfired }
  return polled.items.length > 0 ? polled : { ...polled, miss: 'poll' }
}

/** Of every workflow that polled; each decision names its own where there are several. */
function decideAll(firings: readonly Firing[]): Decision[] {
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
  const reason = whyNoWebhook(event)
  return { ...NOTHING, contexts: [unfired], unfired, decisions, miss, reason }
}

function pollersOn({ name }: PlatformEvent, workflows: WorkflowSource): Addressed[] {
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
  pollers: readonly Addressed[],
  event: PlatformEvent,
  ports: EnginePorts,
): Promise<Firing[]> {
  const firings: Firing[] = []
  let room = WHOLE_ROOM
  for (const at of pollers) {
    const firing = await poll(at, event, ports, room)
    if (firing.contexts.length > 0) room = roomBeside(firing.contexts, room)
    firings.push(firing)
  }
  return firings
}

async function poll(
  at: Addressed,
  event: PlatformEvent,
  ports: EnginePorts,
  room: Room,
): Promise<Firing> {
  const { config, poll, whyNotPolled = 'it does not poll' } = at.trigger
  if (!config.active) return notFired(at, 'config.active is false')
  if (!poll) return notFired(at, whyNotPolled)
  const { due, reason } = await whetherDue(at, event, ports)
  if (!due) return notFired(at, reason)
  const look = async () => polled(await poll(ports.triggers))
  return fire(at, look, ports, { polled: true, room })
}

/** Only a schedule asks whether it is time; who starts a run by hand wants it now. */
async function whetherDue(at: Addressed, event: PlatformEvent, ports: EnginePorts): Promise<Due> {
  const { config, name: trigger } = at.trigger
  if (event.name !== 'schedule') return { due: true, reason: event.name }
  const asked = ports.store !== undefined && config.every !== undefined
  const state = asked ? await ports.store?.read({ workflow: at.workflow.name, trigger }) : undefined
  const { payload } = event
  const schedule = isObject(payload) && payload.schedule
  try {
    return await isDue(config, {
      now: ports.run.at,
      ...(state && { lastSuccess: state.lastSuccess }),
      schedule: typeof schedule === 'string' ? schedule : undefined,
    })
  } catch (error) {
    throw placed(error, at)
  }
}
