import type { EventStore } from '../delivery/accept-old.ts'
import type { DeliveryView } from '../delivery/delivery-list.ts'
import type { QueueName } from '../delivery/queue-name.ts'
import { askObject, type ObjectNamespace, storeInObject } from './object-call.ts'
import type { ObjectIndex } from './object-index.ts'

/** The object of a queue, as the relay and the index call it. */
export interface QueueCalls extends DeliveryView, Pick<EventStore, 'put' | 'collect' | 'settle'> {
  deleteCopies(bytes: number): Promise<void>
  /** Reports the usage to the index. */
  reportUsage(name: QueueName): Promise<void>
}

export function queueIn(namespace: ObjectNamespace, queue: string): QueueCalls {
  return storeInObject((body) => askObject(namespace, queue, '/queue', { method: 'POST', body }))
}

/** The index, as the relay and the objects of queues call it. */
export type IndexCalls = Pick<ObjectIndex, keyof ObjectIndex>

export const INDEX_PATH = '/index'

/** Name of the index object; no queue has it, since a queue names a repository. */
const INDEX = 'index'

/** Milliseconds after which a call of the index is given up; the index may still do its work. */
const INDEX_TIME = 5000

export function indexIn(namespace: ObjectNamespace): IndexCalls {
  return storeInObject((body) =>
    askObject(namespace, INDEX, INDEX_PATH, { method: 'POST', body }, INDEX_TIME),
  )
}

/** Asks every queue that has events, in the order of their names. */
export async function askAll<Result>(
  namespace: ObjectNamespace,
  ask: (queue: QueueCalls) => Promise<Result>,
): Promise<readonly Result[]> {
  const queues = await indexIn(namespace).queues()
  return Promise.all(queues.map((queue) => ask(queueIn(namespace, queue))))
}
