import type { ListedUnit, OutboxView } from '../admin/outbox.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { ObjectNamespace } from '../database/object-call.ts'
import type { AcceptPorts, EventStore } from './accept.ts'
import { NO_FIGURES, type OutboxFigures } from './event.ts'
import { indexIn, type QueueCalls, queueIn } from './object-calls.ts'
import type { ObjectPorts } from './queue-object.ts'

const HOUR = 3_600_000

const KNOWN_CREDENTIALS = 10_000

/** Milliseconds for which an isolate uses what the index said of an empty queue. */
const FRESH = 1000

/** The queues in their objects, as the relay stores events in them. */
export function objectStore(
  namespace: ObjectNamespace,
  { now, report }: Pick<ObjectPorts, 'now' | 'report'>,
): EventStore & Pick<AcceptPorts, 'accepted'> {
  /** When this isolate told the index of an acceptance last. */
  const noted = new BoundedCache<string, number>(KNOWN_CREDENTIALS)
  const accepted = new BoundedCache<string, boolean>(KNOWN_CREDENTIALS)
  /** When the index said that a queue has no waiting events. */
  const empty = new BoundedCache<string, number>(KNOWN_CREDENTIALS)
  const index = indexIn(namespace)
  return {
    waits: async ({ queue, holder }) => {
      if (now() - (empty.get(queue) ?? Number.NEGATIVE_INFINITY) < FRESH) return false
      try {
        const found = await index.look({ queue, holder })
        accepted.set(queue, found.accepted)
        if (!found.waits && found.accepted) empty.set(queue, now())
        return found.waits
      } catch (error) {
        // GitHub can be called all the same.
        report(error)
        return false
      }
    },
    put: async (event) => {
      empty.delete(event.queue)
      try {
        return await queueIn(namespace, event.queue).put(event)
      } catch (error) {
        report(error)
        return false
      }
    },
    collect: async (event) => {
      const batch = await queueIn(namespace, event.event.queue).collect(event).catch(report)
      return batch ?? undefined
    },
    settle: (event, outcome) => queueIn(namespace, event.queue).settle(event, outcome),
    accepted: {
      has: async (queue) => noted.get(queue) !== undefined || accepted.get(queue) === true,
      note: async (queue) => {
        if (now() - (noted.get(queue) ?? 0) < HOUR) return
        noted.set(queue, now())
        await index.noteAccepted(queue).catch(report)
      },
    },
  }
}

/** Asks every queue that has events, in the order of their names. */
async function askAll<Result>(
  namespace: ObjectNamespace,
  ask: (queue: QueueCalls) => Promise<Result>,
): Promise<readonly Result[]> {
  const queues = await indexIn(namespace).queues()
  return Promise.all(queues.map((queue) => ask(queueIn(namespace, queue))))
}

/** Selects the deliveries that some queue has. @throws Error if a queue does not respond */
export async function deliveriesInObjects(
  namespace: ObjectNamespace,
  deliveries: readonly string[],
): Promise<readonly string[]> {
  return (await askAll(namespace, (queue) => queue.among(deliveries))).flat()
}

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
