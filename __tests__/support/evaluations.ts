import { combineRuns, type Evaluation, type TriggerRun } from '../../src/engine/evaluation.ts'
import { notFired } from '../../src/engine/run-trigger.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import type { Workflow } from '../../src/workflow/workflow.ts'
import { Queue, queueWorkflow } from './queue-trigger.ts'

type Facts = NonNullable<Parameters<typeof combineRuns>[1]>

type Made = Partial<
  Pick<TriggerRun, 'decision' | 'items' | 'failed' | 'contexts' | 'fields' | 'effects'>
>

interface Names {
  readonly workflow?: string
  readonly trigger?: string
}

/** The run of one trigger, built from its outputs. */
export function runOf({ workflow = 'w', trigger = 't', ...made }: Names & Made): TriggerRun {
  const declared = queueWorkflow(new Queue())
  const [queue] = declared.triggers
  if (!queue) throw new Error('the workflow has no trigger')
  const named: Workflow = { ...declared, name: workflow }
  const definition = TRIGGERS.get(trigger) ?? queue.definition
  const ref = { workflow: named, trigger: { ...queue, name: trigger, definition } }
  return { ...notFired(ref, ''), ...made }
}

/** The evaluation of an event for which one trigger ran. */
export function evaluationOf(made: Names & Made & Facts = {}): Evaluation {
  const { unfired, decisions, miss, reason, delivery, receivedAt, messages, ...run } = made
  const facts = { unfired, decisions, miss, reason, delivery, receivedAt, messages }
  const given = Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Facts
  return combineRuns(Object.keys(run).length > 0 ? [runOf(run)] : [], given)
}
