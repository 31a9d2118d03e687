import { Evaluation, type TriggerRun } from '../../src/engine/result.ts'
import { notFired } from '../../src/engine/run-trigger.ts'
import type { Workflow } from '../../src/workflow/workflow.ts'
import { Queue, queueWorkflow } from './queue-trigger.ts'

type Facts = NonNullable<ConstructorParameters<typeof Evaluation>[1]>

type Made = Partial<Pick<TriggerRun, 'items' | 'contexts' | 'fields' | 'effects'>>

interface Names {
  readonly workflow?: string
  readonly trigger?: string
}

/** What one trigger made of an event, said in the words of its outputs alone. */
export function runOf({ workflow = 'w', trigger = 't', ...made }: Names & Made): TriggerRun {
  const declared = queueWorkflow(new Queue())
  const [queue] = declared.triggers
  if (!queue) throw new Error('the workflow has no trigger')
  const named: Workflow = { ...declared, name: workflow }
  return { ...notFired({ workflow: named, trigger: { ...queue, name: trigger } }, ''), ...made }
}

/** What an event came to of which one trigger made something. */
export function evaluationOf(made: Names & Made & Facts = {}): Evaluation {
  const { unfired, decisions, miss, reason, delivery, receivedAt, messages, ...run } = made
  const facts = { unfired, decisions, miss, reason, delivery, receivedAt, messages }
  const given = Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Facts
  return new Evaluation(Object.keys(run).length > 0 ? [runOf(run)] : [], given)
}
