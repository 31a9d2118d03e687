import { EVENT_TYPE } from '../protocol/dispatch.ts'
import type { Fits } from '../triggers/trigger.ts'
import type { DeclaredTrigger } from '../workflow/workflow.ts'
import { decide } from './decisions.ts'
import { type Evaluation, NOTHING } from './evaluation.ts'
import type { Addressed, PlatformEvent, WorkflowSource } from './events.ts'
import { type Firing, firePolled, notFired, together } from './firing.ts'
import { nativeContext } from './on-context.ts'
import type { EnginePorts } from './ports.ts'
import { besides } from './room.ts'

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
  const firings: Firing[] = []
  for (const at of pollers) firings.push(await poll(at, ports, besides(firings, at)))
  const decisions = [...new Set(pollers.map(({ workflow }) => workflow))].flatMap((workflow) =>
    decide(
      workflow,
      'it does not poll on this event',
      firings.filter((firing) => firing.workflow === workflow).map(({ decision }) => decision),
    ),
  )
  return { ...NOTHING, ...together(firings), decisions }
}

function evaluateNative({ name }: PlatformEvent, workflows: WorkflowSource): Evaluation {
  const workflow = workflows.find(workflows.calling)
  const reason = `a webhook arrives as repository_dispatch of type ${EVENT_TYPE}, this event is ${name}`
  const decisions = decide(workflow, 'the event is none of its own')
  return { ...NOTHING, contexts: [nativeContext(workflow)], decisions, reason }
}

function pollersOn({ name }: PlatformEvent, workflows: WorkflowSource): Addressed[] {
  return (workflows.polled ?? [workflows.calling]).flatMap((workflowName) => {
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

async function poll(at: Addressed, ports: EnginePorts, fits: Fits): Promise<Firing> {
  const { config, poll, whyNotPolled = 'it does not poll' } = at.trigger
  if (!config.active) return notFired(at, 'config.active is false')
  return poll ? firePolled(at, await poll(ports.triggers, fits)) : notFired(at, whyNotPolled)
}
