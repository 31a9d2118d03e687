// The room `delivery/` is what becomes of an event: a request sends or stores it, the delivery loop sends what waits,
// the follower looks for runs, and notifications and alarms tell an admin. This file puts these over one database.

import { RelayError } from '../errors.ts'
import type { Credential, Credentials } from '../github/credential.ts'
import type { Packer } from '../github/payload.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import { detailsReader, runFinder, runReader } from '../github/runs.ts'
import {
  type Dispatch,
  type DispatchOptions,
  dispatchTo,
  type LimitedCall,
} from '../github/send.ts'
import type { RelayMetrics } from '../metrics.ts'
import type { Runtime } from '../runtime.ts'
import { type Database, StorageError } from '../store/database.ts'
import { CHUNK, type DeliveryTable, FIRST_LOOKUP } from '../store/deliveries.ts'
import type {
  Bound,
  Delivery,
  DeliveryFilter,
  DeliveryState,
  NewDelivery,
} from '../store/delivery-rows.ts'
import { isDeleted } from '../store/delivery-sql.ts'
import { type Encryption, rowsByKey } from '../store/encryption.ts'
import { endpointOf } from '../store/endpoint-records.ts'
import type { EndpointTable } from '../store/endpoint-table.ts'
import { isOwnQueue } from '../store/queue-name.ts'
import { type Alarm, Alarms } from './alarms.ts'
import type { AttemptOutcome } from './answers.ts'
import { RunFollower } from './follow-runs.ts'
import { type ChangeLine, deadLine, namesOf } from './log-lines.ts'
import { DeliveryLoop } from './loop.ts'
import { NotificationSender, type NotifySettings, type PostNotification } from './notify.ts'
import type { Rest } from './queue.ts'
import { Schedule, type Task } from './schedule.ts'

/** The deliveries as requests and the admin API use them. Arguments and results are JSON: on Workers, they are calls. */
export type DeliveryStore = Omit<
  Deliveries,
  'start' | 'stop' | 'schedule' | 'openCalls' | 'table'
> & {
  readonly table: Pick<
    DeliveryTable,
    'list' | 'find' | 'members' | 'lastSeq' | 'replayable' | 'figures'
  >
}

interface DeliveriesPorts extends Runtime {
  readonly database: Database
  readonly table: DeliveryTable
  readonly endpoints: Pick<EndpointTable, 'of' | 'onChange'>
  readonly encryption: Encryption
  readonly credentials: Pick<Credentials, 'own' | 'ofEndpoint' | 'restore'>
  readonly limiters: RateLimiters
  readonly github: Omit<DispatchOptions, 'govern' | 'retryTime'>
  readonly pack: Packer
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
  readonly notify: NotifySettings | undefined
  /** Sends a notification; needed with `notify`. */
  readonly post?: PostNotification
  readonly metrics: RelayMetrics
  /** What else recurs in the database. */
  readonly tasks?: readonly Task[]
  /** To be told that `schedule.next()` may have another value. */
  changed(): void
  log(line: ChangeLine): void
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The most that an endpoint stores while GitHub refuses its token. */
const MOST_REFUSED: Bound = { events: 1000, bytes: 16 * 1024 * 1024 }

/** The deliveries of one database: of all owners on Node, of one owner in a Durable Object. */
export class Deliveries {
  readonly #ports: DeliveriesPorts
  readonly table: DeliveryTable
  readonly #alarms: Alarms
  readonly #loop: DeliveryLoop
  readonly #follower: RunFollower
  readonly #sender: NotificationSender | undefined
  /** Everything that recurs: to be run at its `next()`. */
  readonly schedule: Schedule
  #checkedAt: number
  #expiredAt = Number.NEGATIVE_INFINITY
  #loggedLate = Number.NEGATIVE_INFINITY
  /** False for a table without rows. */
  #hasRows = true

  constructor(ports: DeliveriesPorts) {
    this.#ports = ports
    const { table, endpoints, limiters, github, metrics, notify } = ports
    this.table = table
    this.#checkedAt = ports.now()
    const notified = () => this.#sender?.stored()
    this.#alarms = new Alarms({ ...ports, notified })
    const lookups = (task: () => Pick<RunFollower, 'budget'>) => ({
      ...github,
      retryTime: 0,
      govern: limiters.lookup,
      call: (request: Parameters<typeof github.call>[0]) => {
        task().budget?.use()
        return github.call(request)
      },
    })
    this.#loop = new DeliveryLoop({
      ...ports,
      send: dispatchTo({ ...github, retryTime: 0, govern: limiters.granted }, metrics),
      findRuns: listsRuns(github) ? runFinder(lookups(() => this.#loop)) : undefined,
      follows: (dispatch) => isFollowed(dispatch, github),
      delivered: (follows) => this.#follows(follows),
    })
    const { post } = ports
    this.#sender =
      notify && post && new NotificationSender({ ...ports, secret: notify.secret, post })
    this.#follower = new RunFollower({
      ...ports,
      table,
      credentialOf: (delivery) => this.#credentialOf(delivery),
      readRuns: runReader(lookups(() => this.#follower)),
      readDetails: detailsReader(lookups(() => this.#follower)),
      alarms: this.#alarms,
      notified,
      counted: (outcome) => metrics.ran(outcome),
    })
    this.schedule = new Schedule(this.#tasks(), ports)
    endpoints.onChange(() => void this.#endpointsChanged())
  }

  /** Reads the disk, and continues with its events. To be called once, before all else. */
  async start(): Promise<void> {
    const { table, log } = this.#ports
    await table.open()
    await this.#sender?.start()
    await this.#alarms.look()
    await this.#loop.start()
    const { unreadable } = await table.figures()
    if (unreadable > 0) log({ change: 'unreadable', events: unreadable })
    this.#ports.changed()
  }

  /** Starts no more calls; resolves when the open ones have ended. Events stay on disk. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.schedule.stop()])
  }

  get openCalls(): number {
    return this.#loop.openCalls
  }

  /**
   * True while events of a queue are due, or the queue fails: a new event must wait behind them. Also
   * true while the credential is in doubt, unless the queue is the one to try.
   */
  async waits(queue: string): Promise<boolean> {
    return this.#loop.waits(queue)
  }

  /** Until when events of the named queues wait because of an earlier attempt, and for what. */
  async rests(queues: readonly string[]): Promise<Readonly<Record<string, Rest>>> {
    return this.#loop.rests(queues)
  }

  /**
   * Stores events that are answered with 202: all or none. All are of one endpoint, or of one token.
   *
   * @param replaces id of the filtered request that they replay, which leaves in the same transaction
   * @returns false if there is no room, the disk fails, or there is no such filtered request any more
   */
  async put(rows: readonly NewDelivery[], replaces?: string): Promise<boolean> {
    const { table, report } = this.#ports
    const isRefused = rows.some(({ queue, endpoint }) => {
      return endpoint !== null && !isOwnQueue(queue) && this.#loop.isRefused(queue)
    })
    try {
      const most = isRefused ? MOST_REFUSED : undefined
      if (!(await table.put(rows, { most, replaces }))) return false
    } catch (error) {
      report(error)
      if (!(error instanceof StorageError)) throw error
      return false
    }
    this.#hasRows = true
    for (const row of rows) this.#loop.stored(row)
    return true
  }

  /** Records deliveries after the response: delivered, filtered, refused or dead. Never rejects. */
  async record(rows: readonly NewDelivery[]): Promise<void> {
    this.#hasRows = true
    try {
      await this.table.record(rows)
    } catch (error) {
      this.#alarms.unrecorded()
      this.#ports.report(error)
    }
    if (rows.some(({ state, follows }) => state === 'delivered' && follows)) this.#follows(true)
    this.#ports.changed()
  }

  /** Records how a call ended that was open when its event was stored. On Workers, the queue names the object. */
  settle({ id }: Pick<Delivery, 'id' | 'queue'>, outcome: AttemptOutcome): Promise<void> {
    return this.#loop.settle(id, outcome)
  }

  /** Remembers that GitHub accepted the credential of a queue now. */
  noteAccepted(queue: string): Promise<void> {
    return this.table.noteAccepted(queue)
  }

  /** True if GitHub accepted the credential of a queue within 30 days. */
  wasAccepted(queue: string): Promise<boolean> {
    return this.table.wasAccepted(queue)
  }

  /**
   * Queues deliveries again under their ids, because GitHub never accepted their events: dead letters, and
   * uncertain or waiting events before their time.
   *
   * @returns how many events
   */
  async replay(ids: readonly string[], state: DeliveryState): Promise<number> {
    const rows = ids.length === 0 ? [] : await this.table.replayed(ids, state)
    for (const { queue } of rows) this.#loop.replayed(queue)
    return rows.length
  }

  /** The same for all that the filter selects; those of deleted endpoints have no credential any more. */
  async replayAll(
    filter: DeliveryFilter & { readonly state: DeliveryState },
  ): Promise<{ readonly replayed: number; readonly missing: number }> {
    // An event that waits stays in the state that the filter selects.
    const last = await this.table.lastSeq()
    let [replayed, missing] = [0, 0]
    for (let after = 0; ; ) {
      const page = await this.table.replayable(filter, CHUNK, { after, last })
      const ids = page.filter((event) => !isDeleted(event)).map(({ id }) => id)
      replayed += await this.replay(ids, filter.state)
      missing += page.length - ids.length
      after = page.at(-1)?.seq ?? last
      if (page.length < CHUNK) return { replayed, missing }
    }
  }

  /** Deletes what the filter selects. @returns how many deliveries */
  async delete(filter: DeliveryFilter): Promise<number> {
    let count = 0
    for (;;) {
      const deleted = await this.table.delete(filter, CHUNK)
      count += deleted
      if (deleted < CHUNK) return count
    }
  }

  /** Makes dead letters of the undelivered events of a deleted endpoint. @returns how many */
  async endDeleted(owner: string, endpoint: string): Promise<number> {
    const ended = await this.table.endDeleted(owner, endpoint)
    for (const event of ended) this.#ports.log(deadLine({ ...event, endpoint }))
    return ended.length
  }

  /** Rows by the id of the relay key that encrypted them. */
  rowsByKey(): Promise<Readonly<Record<string, number>>> {
    return rowsByKey(this.#ports.database)
  }

  async alarms(): Promise<readonly Alarm[]> {
    return this.#alarms.active()
  }

  /** A changed endpoint may expect events. */
  async #endpointsChanged(): Promise<void> {
    await this.#alarms.look().catch(this.#ports.report)
    this.#ports.changed()
  }

  #tasks(): readonly Task[] {
    return [
      this.#loop,
      this.#follower,
      this.#alarms,
      { next: () => this.#nextCheck(), run: () => this.#check() },
      ...(this.#sender ? [this.#sender] : []),
      ...(this.#ports.tasks ?? []),
    ]
  }

  #nextCheck(): number | undefined {
    if (!this.#hasRows) return undefined
    return this.#checkedAt + (this.#loop.isIdle ? HOUR : MINUTE)
  }

  /** Ends and deletes events by age, counts the room, and logs events that wait too long. Never rejects. */
  async #check(): Promise<void> {
    const { table, now, log, report } = this.#ports
    this.#checkedAt = now()
    try {
      await table.room.count()
      await this.#loop.endOld()
      if (now() - this.#expiredAt >= HOUR) {
        this.#expiredAt = now()
        for (const event of await table.deleteExpired()) {
          log({ change: 'expired', ...namesOf(event) })
        }
      }
      const { oldest, states } = await table.figures()
      this.#hasRows = Object.values(states).some((count) => count > 0)
      if (oldest * SECOND < HOUR || now() - this.#loggedLate < HOUR) return
      this.#loggedLate = now()
      log({ change: 'late', seconds: oldest, events: states.waiting + states.uncertain })
    } catch (error) {
      // A full disk cannot delete by age, and delivers all the same.
      report(error)
    }
  }

  #follows(isFollowed: boolean): void {
    if (isFollowed) this.#follower.follows(this.#ports.now() + FIRST_LOOKUP)
  }

  async #credentialOf(
    delivery: Pick<Delivery, 'queue' | 'owner' | 'endpoint'>,
  ): Promise<Credential> {
    const { credentials, endpoints: stores, encryption } = this.#ports
    if (isOwnQueue(delivery.queue)) return credentials.own()
    const found = await endpointOf(delivery, { stores, encryption })
    if (!found) throw new RelayError('endpoint_deleted')
    return credentials.ofEndpoint(found)
  }
}

export function isSelected(
  { owner, endpoint, state }: Delivery,
  filter: Pick<DeliveryFilter, 'owner' | 'endpoints' | 'state'>,
): boolean {
  const isOwn = filter.endpoints?.includes(`${owner}/${endpoint}`) ?? true
  const isOfOwner = filter.owner === undefined || filter.owner === owner
  return isOwn && isOfOwner && (filter.state === undefined || filter.state === state)
}

/** True if the relay looks for the run of an event: not for a token URL, or for its own notification. */
export function isFollowed(
  { credential, isNotification = false }: LimitedCall & Pick<Dispatch, 'isNotification'>,
  github: Pick<DispatchOptions, 'apiUrl' | 'forge'>,
): boolean {
  return listsRuns(github) && credential.endpoint !== undefined && !isNotification
}

/** False for Forgejo and Gitea, whose API does not list runs as GitHub's does. */
function listsRuns({ apiUrl, forge }: Pick<DispatchOptions, 'apiUrl' | 'forge'>): boolean {
  if (forge !== undefined) return forge === 'github'
  return !/\/api\/v1\/*$/.test(apiUrl.pathname)
}
