import * as v from 'valibot'
import type { EnginePorts, WorkflowSource } from '../../src/engine/engine-ports.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { runEffects } from '../../src/engine/evaluation.ts'
import { memoryBackend } from '../../src/state/memory.ts'
import { createStore, type StateStore } from '../../src/state/store.ts'
import { defineTrigger, type Item } from '../../src/triggers/trigger.ts'
import type { Json } from '../../src/wire/json.ts'
import type { GitHubEvent } from '../../src/wire/payload.ts'
import type { Workflow } from '../../src/workflow/workflow.ts'
import { testPorts } from './ports.ts'

/** A service that returns its items, oldest first, until a prefix of them is forgotten. */
export class Queue {
  items: Item[] = []
  polls = 0

  put(...items: Item[]): void {
    this.items.push(...items)
  }

  forget(below: Json): void {
    this.items = this.items.filter(({ update_id }) => Number(update_id) >= Number(below))
  }
}

/** A workflow `hook` with a trigger that polls a queue; `idle` is its reason for not polling. */
export function queueWorkflow(queue: Queue, config: unknown = {}, idle?: string): Workflow {
  const definition = defineTrigger({
    name: 'queue',
    aliases: ['line'],
    description: 'Polls a queue.',
    options: v.strictObject({}),
    outputs: { text: 'Its text.' },
    key: 'update_id',
    pollDisabledReason: () => idle,
    async poll(_options, _ports, cursor) {
      queue.polls++
      if (cursor !== undefined) queue.forget(cursor)
      const items = [...queue.items]
      const after = Number(items.at(-1)?.update_id ?? 0) + 1
      return {
        checks: [],
        items,
        cursorBefore: (index) =>
          items.length === 0 ? undefined : Number(items[index]?.update_id ?? after),
      }
    },
    async acknowledge(cursor) {
      queue.forget(cursor)
    },
    receive: () => ({ checks: [], items: [{ text: 'received' }] }),
  })
  const bound = definition.bind({ config })
  if ('issues' in bound) throw new Error(bound.issues.map(({ message }) => message).join())
  const source = { name: 'on', text: '', file: '' }
  const positionOf = () => ({ source, line: 1, column: 1, length: 1 })
  return { name: 'hook', triggers: [{ name: 'queue', definition, positionOf, ...bound }] }
}

export function sourceOf(workflow: Workflow): WorkflowSource {
  return {
    calling: workflow.name,
    names: () => [workflow.name],
    find: (name) => (name === workflow.name ? workflow : undefined),
  }
}

export function scheduleEvent(schedule?: string): GitHubEvent {
  return { name: 'schedule', payload: schedule === undefined ? {} : { schedule } }
}

/** A store in memory on a clock that the test sets. */
export interface MemoryStore extends StateStore {
  readonly clock: { now: number }
}

export function memoryStore(): MemoryStore {
  const clock = { now: 0 }
  return { ...createStore(memoryBackend(() => clock.now)), clock }
}

export function updates(
  from: number,
  to: number,
  fields: (n: number) => Item = () => ({}),
): Item[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    update_id: from + index,
    text: `t${from + index}`,
    ...fields(from + index),
  }))
}

/** A manual run. */
export const dispatch: GitHubEvent = { name: 'workflow_dispatch', payload: {} }

/** Evaluates an event for a trigger on this queue; `succeed` does what follows a successful job. */
export async function poll(
  queue: Queue,
  config: unknown = {},
  event = dispatch,
  other: Partial<EnginePorts> & { readonly store?: StateStore & Partial<MemoryStore> } = {},
) {
  const { clock } = other.store ?? {}
  if (clock) clock.now = testPorts(other).run.at
  const workflows = sourceOf(queueWorkflow(queue, config))
  const ports = testPorts(other)
  const evaluation = await evaluate(event, workflows, ports)
  return Object.assign(evaluation, {
    texts: evaluation.items.map(({ text }) => text),
    succeed: () => runEffects(evaluation.effects, (name) => workflows.find(name), ports),
  })
}

export function queueOf(last: number): Queue {
  const queue = new Queue()
  queue.put(...updates(1, last))
  return queue
}
