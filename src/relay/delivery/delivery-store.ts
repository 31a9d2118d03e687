import type {
  Bound,
  Delivery,
  DeliveryFilter,
  DeliveryQuery,
  Figures,
  NewDelivery,
  StoredDelivery,
} from '../store/delivery-rows.ts'
import type { AttemptOutcome } from './outcome.ts'

/**
 * The deliveries of a relay: of all owners on Node, of one owner in a RelayObject. Arguments and results are
 * JSON. All methods throw StorageError, but for `put`.
 */
export interface DeliveryStore {
  /** True while events of the queue are due, or it fails: another event must wait behind them. */
  waits(queue: string): Promise<boolean>
  /**
   * Stores events whose response is 202: all or none.
   *
   * @param most the most that their endpoint may store
   * @returns false if there is no room, or the disk fails
   */
  put(rows: readonly NewDelivery[], most?: Bound): Promise<boolean>
  /** Records requests after their response. */
  record(rows: readonly NewDelivery[]): Promise<void>
  /** Records how a call ended that was open when its event was stored. */
  settle(id: string, outcome: AttemptOutcome): Promise<void>
  /** Remembers that GitHub accepted the credential of a queue now. */
  noteAccepted(queue: string): Promise<void>
  /** True if GitHub accepted the credential of a queue within the last 30 days. */
  wasAccepted(queue: string): Promise<boolean>
  /** Newest first, without content. */
  list(query: DeliveryQuery): Promise<readonly Delivery[]>
  find(id: string): Promise<StoredDelivery | undefined>
  /** The stored members of a batch in order, or the one delivery with this id. */
  members(id: string): Promise<readonly StoredDelivery[]>
  /**
   * Queues a delivery again under its id, because GitHub never accepted its event: a dead letter, or an
   * uncertain or waiting event before its time.
   *
   * @returns how many events: all of its batch
   */
  replay(id: string, filter: DeliveryFilter): Promise<number>
  /** The same for all that the filter selects; `state` is set. */
  replayAll(filter: DeliveryFilter): Promise<number>
  /** @returns how many deliveries were deleted */
  delete(id: string, filter: DeliveryFilter): Promise<number>
  /** The same for all that the filter selects; `state` is set. */
  deleteAll(filter: DeliveryFilter): Promise<number>
  /**
   * Makes dead letters of the waiting events of a deleted endpoint, so that a later endpoint of the same
   * name sends none of them.
   *
   * @returns how many events became dead letters
   */
  endDeleted(owner: string, endpoint: string): Promise<number>
  figures(): Promise<Figures>
  /** Rows by the id of the relay key that encrypted them. */
  rowsByKey(): Promise<Readonly<Record<string, number>>>
}
