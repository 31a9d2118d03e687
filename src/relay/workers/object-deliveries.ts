import type { DeliveryFilter, DeliveryView, ListedDelivery } from '../delivery/delivery-list.ts'
import { NO_FIGURES, type OutboxFigures } from '../delivery/event.ts'
import { ownerOf } from '../delivery/queue-name.ts'
import type { ObjectNamespace } from './object-call.ts'
import { indexIn, type QueueCalls, queueIn } from './object-calls.ts'

/** The deliveries of all queues together, as an admin sees them. */
export function objectDeliveries(namespace: ObjectNamespace): DeliveryView {
  /** Asks the queues of an owner, or all. */
  const ask = async <Result>(
    { owner }: DeliveryFilter,
    one: (queue: QueueCalls) => Promise<Result>,
  ): Promise<readonly Result[]> => {
    const queues = await indexIn(namespace).queues()
    const asked = queues.filter((queue) => owner === undefined || ownerOf(queue) === owner)
    return Promise.all(asked.map((queue) => one(queueIn(namespace, queue))))
  }
  const sum = async (filter: DeliveryFilter, one: (queue: QueueCalls) => Promise<number>) =>
    (await ask(filter, one)).reduce((total, count) => total + count, 0)
  return {
    list: async (query) => {
      const all = (await ask(query, (queue) => queue.list(query))).flat()
      return all.toSorted(newestFirst).slice(0, query.limit)
    },
    find: async (id) => {
      const found = await ask({}, (queue) => queue.find(id))
      return found.find((events) => events.length > 0) ?? []
    },
    replay: (id, filter) => sum(filter, (queue) => queue.replay(id, filter)),
    replayAll: (filter) => sum(filter, (queue) => queue.replayAll(filter)),
    delete: (id, filter) => sum(filter, (queue) => queue.delete(id, filter)),
    deleteAll: (filter) => sum(filter, (queue) => queue.deleteAll(filter)),
    endDeleted: (credential) => {
      const [, owner] = /^endpoint:(.*)\//.exec(credential) ?? []
      return sum({ owner }, (queue) => queue.endDeleted(credential))
    },
    figures: async () => {
      const all = await ask({}, (queue) => queue.figures())
      return all.reduce(addFigures, NO_FIGURES)
    },
    rowsByKey: async () => addCounts(await ask({}, (queue) => queue.rowsByKey())),
  }
}

/** Sums counts by their names. */
export function addCounts(
  all: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const [name, count] of all.flatMap(Object.entries)) {
    sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return Object.fromEntries(sums)
}

function newestFirst(a: ListedDelivery, b: ListedDelivery): number {
  return b.received - a.received || (a.id < b.id ? 1 : -1)
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
