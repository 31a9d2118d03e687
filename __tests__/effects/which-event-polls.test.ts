import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../src/engine/evaluate.ts'
import type { PlatformEvent } from '../../src/engine/events.ts'
import { testPorts } from '../support/ports.ts'
import {
  dispatch,
  poll,
  Queue,
  queueOf,
  queueWorkflow,
  scheduleEvent,
  sourceOf,
} from '../support/queue-trigger.ts'

describe('which event polls', () => {
  test.each<[string, PlatformEvent, object, boolean]>([
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

  test('an event of its own that gives nothing has no items, another one a context of skipped triggers', async () => {
    const nothing = await poll(new Queue())
    expect([nothing.contexts, nothing.reason]).toEqual([[], 'queue: '])
    const native = await poll(new Queue(), {}, { name: 'push', payload: {} })
    expect(native.contexts).toMatchObject([{ queue: { outcome: 'skipped' } }])
  })

  test('a trigger whose options say so does not poll, and says why', async () => {
    const workflows = sourceOf(queueWorkflow(queueOf(1), {}, 'webhook is true'))
    const { contexts, reason } = await evaluate(scheduleEvent(), workflows, testPorts())
    expect([contexts, reason]).toEqual([[], 'queue: webhook is true'])
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
