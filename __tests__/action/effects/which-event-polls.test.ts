import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../../src/engine/evaluate-event.ts'
import { type Evaluation, runEffects } from '../../../src/engine/evaluation.ts'
import type { StateStore } from '../../../src/state/store.ts'
import type { GitHubEvent } from '../../../src/wire/payload.ts'
import { testPorts } from '../../support/ports.ts'
import {
  dispatch,
  memoryStore,
  poll,
  Queue,
  queueOf,
  queueWorkflow,
  scheduleEvent,
  sourceOf,
} from '../../support/queue-trigger.ts'

/** The workflow of each item. */
const ownersOf = ({ runs }: Evaluation) =>
  runs.flatMap(({ workflow, items }) => items.map(() => workflow.name))

describe('which event polls', () => {
  test.each<[string, GitHubEvent, object, boolean]>([
    ['schedule', scheduleEvent(), {}, true],
    ['schedule, skipped', scheduleEvent(), { skipSchedule: true }, false],
    ['workflow_dispatch', dispatch, {}, true],
    ['workflow_dispatch, not wanted', dispatch, { manualRunEvent: [] }, false],
    ['push', { name: 'push', payload: {} }, {}, false],
    ['push, wanted', { name: 'push', payload: {} }, { manualRunEvent: ['push'] }, true],
    [
      'another dispatch, wanted',
      { name: 'repository_dispatch', payload: { action: 'poll' } },
      { manualRunEvent: 'repository_dispatch' },
      true,
    ],
    ['not active', dispatch, { active: false }, false],
  ])('%s', async (_, event, config, polls) => {
    const queue = queueOf(1)
    expect((await poll(queue, config, event)).items).toHaveLength(polls ? 1 : 0)
    expect(queue.polls).toBe(polls ? 1 : 0)
  })

  test('an event of its own that gives nothing has no items, nor has another one', async () => {
    const nothing = await poll(new Queue())
    expect([nothing.contexts, nothing.reason]).toEqual([[], 'queue: '])
    const native = await poll(new Queue(), {}, { name: 'push', payload: {} })
    expect(native.contexts).toEqual([])
    expect(native.unfired).toMatchObject({ queue: { outcome: 'skipped' } })
  })

  test('where several workflows poll, each item, decision and reason has the name of its own', async () => {
    const named = (name: string, queue: Queue) => ({ ...queueWorkflow(queue), name })
    const run = (...all: readonly ReturnType<typeof named>[]) => {
      const names = all.map(({ name }) => name)
      const find = (name: string) => all.find((one) => one.name === name)
      const workflows = { calling: 'a', names: () => names, polled: () => names, find }
      return evaluate(scheduleEvent(), workflows, testPorts())
    }
    const both = await run(named('a', queueOf(1)), named('b', queueOf(2)))
    expect(ownersOf(both)).toEqual(['a', 'b', 'b'])
    expect(both.decisions.map(({ workflow }) => workflow)).toEqual(['a', 'b'])
    const none = await run(named('a', new Queue()), named('b', new Queue()))
    expect(none.reason).toBe('a/queue: ; b/queue: ')
    const alone = await run(named('a', queueOf(1)))
    expect(alone.decisions[0]).not.toHaveProperty('workflow')
  })

  test('all of them together cost the store one read, one claim and one commit', async () => {
    const inner = memoryStore()
    const calls: string[] = []
    const told = (what: string, all: readonly { readonly workflow: string }[]) =>
      calls.push([what, ...all.map(({ workflow }) => workflow)].join(' '))
    const store: StateStore = {
      read(ids) {
        told('read', ids)
        return inner.read(ids)
      },
      claim(wanted, run) {
        told('claim', wanted)
        return inner.claim(wanted, run)
      },
      commit(triggers, run) {
        told('commit', triggers)
        return inner.commit(triggers, run)
      },
    }
    const queues = { a: queueOf(1), b: new Queue(), c: queueOf(2) }
    const all = Object.entries(queues).map(([name, queue]) => ({ ...queueWorkflow(queue), name }))
    const names = Object.keys(queues)
    const find = (name: string) => all.find((one) => one.name === name)
    const workflows = { calling: 'a', names: () => names, polled: () => names, find }
    const ports = testPorts({ store })
    const evaluation = await evaluate(scheduleEvent(), workflows, ports)
    expect(ownersOf(evaluation)).toEqual(['a', 'c', 'c'])
    await runEffects(evaluation.effects, find, ports)
    expect(calls).toEqual(['read a b c', 'claim a c', 'commit a c'])
    expect((await evaluate(scheduleEvent(), workflows, ports)).items).toEqual([])
  })

  test('a trigger whose options say so does not poll, and says why', async () => {
    const workflows = sourceOf(queueWorkflow(queueOf(1), {}, 'webhook is true'))
    const { contexts, reason } = await evaluate(scheduleEvent(), workflows, testPorts())
    expect([contexts, reason]).toEqual([[], 'queue: webhook is true'])
  })

  test('beside one that polls, each other trigger says why it does not', async () => {
    const workflow = queueWorkflow(queueOf(1))
    const { triggers: skipping } = queueWorkflow(new Queue(), { skipSchedule: true })
    const triggers = [
      ...workflow.triggers,
      ...skipping.map((one) => ({ ...one, name: 'skipped' })),
      ...workflow.triggers.map((one) => ({ ...one, poll: undefined, name: 'never' })),
    ]
    const workflows = sourceOf({ ...workflow, triggers })
    const { decisions } = await evaluate(scheduleEvent(), workflows, testPorts())
    expect(decisions.map(({ trigger, fired, reason }) => [trigger, fired, reason])).toEqual([
      ['queue', true, ''],
      ['skipped', false, 'config.skipSchedule is true'],
      ['never', false, 'it does not poll on this event'],
    ])
  })

  test('a webhook addresses it by its alias, and its context keeps the name as declared', async () => {
    const workflows = sourceOf(queueWorkflow(new Queue()))
    const payload = { action: 'webhook', client_payload: { path: 'hook/line' } }
    const event = { name: 'repository_dispatch', payload }
    const { trigger, contexts } = await evaluate(event, workflows, testPorts())
    expect(trigger).toBe('queue')
    expect(contexts).toMatchObject([{ queue: { outputs: { text: 'received' } } }])
  })
})
