import type { SeqRange } from '../store/deliveries.ts'
import type {
  Bound,
  Delivery,
  DeliveryFilter,
  DeliveryQuery,
  Figures,
  NewDelivery,
  StoredDelivery,
} from '../store/delivery-rows.ts'
import type { Alarm } from '../store/notifications.ts'
import type { AttemptOutcome } from './answers.ts'

/**
 * The deliveries of one database: of all owners on Node, of one owner in a Durable Object. Arguments and
 * results are JSON.
 */
export interface DeliveryStore {
  /**
   * True while events of a queue are due, or the queue fails: a new event must wait behind them. Also
   * true while the credential is in doubt, unless the queue is the one to try.
   */
  waits(queue: string): Promise<boolean>
  /** Stores events that are answered with 202: all or none. @returns false if there is no room, or the disk fails */
  put(rows: readonly NewDelivery[], most?: Bound): Promise<boolean>
  /** Records deliveries after the response: delivered, filtered, refused or dead. Never rejects. */
  record(rows: readonly NewDelivery[]): Promise<void>
  /** Records how a call ended that was open when its event was stored. */
  settle(id: string, outcome: AttemptOutcome): Promise<void>
  /** Remembers that GitHub accepted the credential of a queue now. */
  noteAccepted(queue: string): Promise<void>
  /** True if GitHub accepted the credential of a queue within 30 days. */
  wasAccepted(queue: string): Promise<boolean>
  /** To be told of each event that an endpoint accepted, unless `put` or `record` has it. */
  noteEvent(owner: string, endpoint: string): Promise<void>
  list(query: DeliveryQuery): Promise<readonly Delivery[]>
  find(id: string): Promise<StoredDelivery | undefined>
  /** The members of a batch in order, or the one delivery with this id. */
  members(id: string): Promise<readonly StoredDelivery[]>
  /** The last `seq`. */
  lastSeq(): Promise<number>
  /** Deliveries that the filter selects and whose payload is stored, in order of arrival. */
  replayable(
    filter: DeliveryFilter,
    limit: number,
    range: SeqRange,
  ): Promise<readonly StoredDelivery[]>
  /**
   * Queues a delivery again under its id, because GitHub never accepted its event: a dead letter, or an
   * uncertain or waiting event before its time.
   *
   * @returns how many events: all of its batch
   */
  replay(id: string, filter: DeliveryFilter): Promise<number>
  /** The same for all that the filter selects. */
  replayAll(filter: DeliveryFilter): Promise<number>
  /** @returns how many deliveries were deleted */
  delete(id: string, filter: DeliveryFilter): Promise<number>
  deleteAll(filter: DeliveryFilter): Promise<number>
  /** Makes dead letters of the undelivered events of a deleted endpoint. @returns how many */
  endDeleted(owner: string, endpoint: string): Promise<number>
  figures(): Promise<Figures>
  /** Rows by the id of the relay key that encrypted them. */
  rowsByKey(): Promise<Readonly<Record<string, number>>>
  alarms(): Promise<readonly Alarm[]>
}
