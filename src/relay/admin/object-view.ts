import type { ObjectNamespace } from '../database/object-call.ts'
import { NO_FIGURES, type OutboxFigures } from '../outbox/event.ts'
import { askAll, indexIn, type QueueCalls, queueIn } from '../outbox/object-calls.ts'
import type { ListedUnit, OutboxView } from './outbox.ts'

/** All queues together, as an admin sees them. */
export function objectView(namespace: ObjectNamespace): OutboxView {
  const sum = async (ask: (queue: QueueCalls) => Promise<number>) =>
    (await askAll(namespace, ask)).reduce((total, count) => total + count, 0)
  return {
    list: async ({ filter, cursor = '', limit }) => {
      // Queue by queue: a cursor is how many of them are done, and the cursor in the next one.
      const [, done = 0, rest] = /^(\d+)\.(.*)$/.exec(cursor) ?? []
      const queues = await indexIn(namespace).queues()
      const events: ListedUnit[] = []
      for (const [at, queue] of queues.entries()) {
        if (at < Number(done)) continue
        const within = at === Number(done) ? rest : undefined
        const query = { filter, cursor: within, limit: limit - events.length }
        const page = await queueIn(namespace, queue).list(query)
        events.push(...page.events)
        if (page.next !== undefined) return { events, next: `${at}.${page.next}` }
      }
      return { events, next: undefined }
    },
    find: async (id) => {
      const found = await askAll(namespace, (queue) => queue.find(id))
      return found.find((events) => events.length > 0) ?? []
    },
    replay: (id, separate) => sum((queue) => queue.replay(id, separate)),
    replayAll: (filter) => sum((queue) => queue.replayAll(filter)),
    delete: (id) => sum((queue) => queue.delete(id)),
    deleteAll: (filter) => sum((queue) => queue.deleteAll(filter)),
    endRevoked: (labels) => sum((queue) => queue.endRevoked(labels)),
    figures: async () => {
      const all = await askAll(namespace, (queue) => queue.figures())
      return all.reduce(addFigures, NO_FIGURES)
    },
  }
}

function addFigures(sum: OutboxFigures, one: OutboxFigures): OutboxFigures {
  return {
    events: {
      waiting: sum.events.waiting + one.events.waiting,
      uncertain: sum.events.uncertain + one.events.uncertain,
      delivered: sum.events.delivered + one.events.delivered,
      dead: sum.events.dead + one.events.dead,
    },
    bytes: sum.bytes + one.bytes,
    oldest: Math.max(sum.oldest, one.oldest),
    unreadable: sum.unreadable + one.unreadable,
    imbalance: sum.imbalance + one.imbalance,
  }
}
