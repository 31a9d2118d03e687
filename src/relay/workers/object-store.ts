import { BoundedCache } from '../bounded-cache.ts'
import type { AcceptPorts, EventStore } from '../delivery/accept-old.ts'
import type { ObjectNamespace } from './object-call.ts'
import { indexIn, queueIn } from './object-calls.ts'
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
