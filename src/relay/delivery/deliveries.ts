// The deliveries of one database: the table, and everything that goes on with it. The delivery loop sends
// what waits, the follower looks for runs, and notifications and alarms tell an admin.

import { endpointDeleted } from '../errors.ts'
import type { Credential, Credentials } from '../github/credential.ts'
import { runFinder, runReader } from '../github/find-run.ts'
import type { Packer } from '../github/payload.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import { detailsReader } from '../github/run-details.ts'
import { countingRefusals, type DispatchOptions, dispatchTo } from '../github/send.ts'
import type { RelayMetrics } from '../metrics.ts'
import { AcceptedCredentials } from '../store/accepted-credentials.ts'
import type { Database } from '../store/database.ts'
import type { DeliveryTable, SeqRange } from '../store/deliveries.ts'
import type {
  Bound,
  Delivery,
  DeliveryFilter,
  DeliveryQuery,
  Figures,
  NewDelivery,
  StoredDelivery,
} from '../store/delivery-rows.ts'
import type { Encryption } from '../store/encryption.ts'
import { decryptEndpoint } from '../store/endpoint-records.ts'
import type { EndpointTable } from '../store/endpoint-table.ts'
import { type Alarm, NotificationTable } from '../store/notifications.ts'
import { rowsOfKeys } from '../store/reencryption.ts'
import { StorageError } from '../store/storage-error.ts'
import { Alarms } from './alarms.ts'
import type { AttemptOutcome } from './answers.ts'
import type { CallBudget } from './call-budget.ts'
import { RunFollower } from './follow-runs.ts'
import { type ChangeLine, deadLine, namesOf } from './log-lines.ts'
import { DeliveryLoop } from './loop.ts'
import {
  LONGEST_PAUSE,
  NotificationSender,
  type NotifySettings,
  type PostNotification,
} from './notify.ts'
import { isOwnQueue } from './queue-name.ts'
import { Schedule, type Task } from './schedule.ts'

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

export interface DeliveriesPorts {
  readonly database: Database
  readonly table: DeliveryTable
  /** The endpoints of the database. */
  readonly endpoints: Pick<EndpointTable, 'all' | 'of' | 'onChange'>
  readonly encryption: Encryption
  readonly credentials: Pick<Credentials, 'own' | 'ofEndpoint' | 'restore'>
  readonly limiters: RateLimiters
  /** How GitHub is asked. */
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
  /** Milliseconds since 1970; must not jump while the process runs. */
  now(): number
  /** From 0, less than 1. */
  random(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, back: () => void): () => void
  /** To be told that `schedule.next()` may have another value. */
  changed(): void
  log(line: ChangeLine): void
  report(error: unknown): void
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds from the acceptance of an event to the first lookup of its run. */
const FIRST_LOOKUP = 10 * SECOND

/** Deliveries that an admin changes in one transaction: live events wait for each. */
const CHUNK = 250

export class Deliveries implements DeliveryStore {
  readonly #ports: DeliveriesPorts
  readonly #accepted: AcceptedCredentials
  readonly #notifications: NotificationTable
  readonly #alarms: Alarms
  readonly #loop: DeliveryLoop
  readonly #follower: RunFollower
  readonly #sender: NotificationSender | undefined
  /** Everything that recurs: to be run at its `next()`. */
  readonly schedule: Schedule
  readonly #listsRuns: boolean
  /** The budgets of the running tasks. */
  readonly #budgets: { loop?: CallBudget; follower?: CallBudget } = {}
  #checkedAt: number
  #expiredAt = Number.NEGATIVE_INFINITY
  #loggedLate = Number.NEGATIVE_INFINITY
  /** False for a table without rows. */
  #hasRows = true

  constructor(ports: DeliveriesPorts) {
    this.#ports = ports
    const { database, table, endpoints, encryption, limiters, github, metrics, notify } = ports
    this.#checkedAt = ports.now()
    this.#listsRuns = listsRuns(github)
    this.#accepted = new AcceptedCredentials(database, ports)
    this.#notifications = new NotificationTable(database)
    this.#alarms = new Alarms({
      ...ports,
      table: this.#notifications,
      endpoints: endpoints.all,
      encryption,
      sends: notify !== undefined,
    })
    const lookups = (task: 'loop' | 'follower') => ({
      ...github,
      retryTime: 0,
      govern: limiters.lookup,
      call: (request: Parameters<typeof github.call>[0]) => {
        this.#budgets[task]?.use()
        return github.call(request)
      },
    })
    this.#loop = new DeliveryLoop({
      ...ports,
      accepted: this.#accepted,
      send: countingRefusals(
        dispatchTo({ ...github, retryTime: 0, govern: limiters.granted }),
        metrics,
      ),
      findRuns: runFinder(lookups('loop')),
      listsRuns: this.#listsRuns,
      delivered: (follows) => this.#follows(follows),
    })
    const { post } = ports
    this.#sender =
      notify &&
      post &&
      new NotificationSender({ ...ports, table: this.#notifications, secret: notify.secret, post })
    this.#follower = new RunFollower({
      ...ports,
      table,
      credentialOf: (delivery) => this.#credentialOf(delivery),
      readRuns: runReader(lookups('follower')),
      readDetails: detailsReader(lookups('follower')),
      changeAlarm: this.#alarms.change,
      notification: notify && ((notification) => this.#notifications.notification(notification)),
      reportsSuccess: notify?.all ?? false,
      counted: (outcome) => metrics.ran(outcome),
    })
    this.schedule = new Schedule(this.#tasks(), ports)
    endpoints.onChange(() => void this.#endpointsChanged())
  }

  /** Reads the disk, and continues with its events. To be called once, before all else. */
  async start(): Promise<void> {
    const { table, now, log } = this.#ports
    await table.open()
    await this.#notifications.correctTimes(now(), LONGEST_PAUSE)
    await this.#alarms.start()
    await this.#loop.start()
    const { unreadable } = await table.figures()
    if (unreadable > 0) log({ change: 'unreadable', events: unreadable })
    this.#ports.changed()
  }

  /** Starts no more calls; resolves when the open ones have ended. Events stay on disk. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.schedule.stop()])
    await this.#alarms.writeEvents().catch(this.#ports.report)
  }

  /** Calls of GitHub that are open, or prepared. */
  get openCalls(): number {
    return this.#loop.openCalls
  }

  /** Whether the run of an event is looked for: not that of a token URL, or of our own notification. */
  follows(event: Parameters<DeliveryLoop['follows']>[0]): boolean {
    return this.#loop.follows(event)
  }

  async waits(queue: string): Promise<boolean> {
    return this.#loop.waits(queue)
  }

  async put(rows: readonly NewDelivery[], most?: Bound): Promise<boolean> {
    const { table, report } = this.#ports
    try {
      if (!(await table.put(rows, most))) return false
    } catch (error) {
      report(error)
      if (!(error instanceof StorageError)) throw error
      return false
    }
    for (const row of rows) {
      this.#noteRow(row)
      this.#loop.stored(row)
    }
    return true
  }

  async record(rows: readonly NewDelivery[]): Promise<void> {
    for (const row of rows) this.#noteRow(row)
    try {
      await this.#ports.table.record(rows)
    } catch (error) {
      this.#ports.report(error)
    }
    if (rows.some(({ state, follows }) => state === 'delivered' && follows)) this.#follows(true)
    this.#ports.changed()
  }

  settle(id: string, outcome: AttemptOutcome): Promise<void> {
    return this.#loop.settle(id, outcome)
  }

  noteAccepted(queue: string): Promise<void> {
    return this.#accepted.note(queue)
  }

  wasAccepted(queue: string): Promise<boolean> {
    return this.#accepted.has(queue)
  }

  async noteEvent(owner: string, endpoint: string): Promise<void> {
    this.#alarms.noteEvent(owner, endpoint)
    this.#ports.changed()
  }

  list(query: DeliveryQuery): Promise<readonly Delivery[]> {
    return this.#ports.table.list(query)
  }

  find(id: string): Promise<StoredDelivery | undefined> {
    return this.#ports.table.find(id)
  }

  members(id: string): Promise<readonly StoredDelivery[]> {
    return this.#ports.table.members(id)
  }

  lastSeq(): Promise<number> {
    return this.#ports.table.lastSeq()
  }

  replayable(
    filter: DeliveryFilter,
    limit: number,
    range: SeqRange,
  ): Promise<readonly StoredDelivery[]> {
    return this.#ports.table.replayable(filter, limit, range)
  }

  async replay(id: string, filter: DeliveryFilter): Promise<number> {
    const members = await this.#ports.table.members(id)
    const selected = members.filter((member) => isSelected(member, filter))
    return this.#again(selected.map((member) => member.id))
  }

  async replayAll(filter: DeliveryFilter): Promise<number> {
    const { table } = this.#ports
    // An event that waits stays in the state that the filter selects.
    const last = await table.lastSeq()
    let count = 0
    for (let after = 0; ; ) {
      const page = await table.replayable(filter, CHUNK, { after, last })
      count += await this.#again(page.map(({ id }) => id))
      after = page.at(-1)?.seq ?? last
      if (page.length < CHUNK) return count
    }
  }

  async delete(id: string, filter: DeliveryFilter): Promise<number> {
    const count = await this.#ports.table.delete(id, filter)
    await this.#loop.recount()
    return count
  }

  async deleteAll(filter: DeliveryFilter): Promise<number> {
    let count = 0
    for (;;) {
      const deleted = await this.#ports.table.deleteAll(filter, CHUNK)
      count += deleted
      if (deleted < CHUNK) break
    }
    await this.#loop.recount()
    return count
  }

  async endDeleted(owner: string, endpoint: string): Promise<number> {
    const ended = await this.#ports.table.endDeleted(owner, endpoint)
    for (const event of ended) this.#ports.log(deadLine({ ...event, endpoint }))
    await this.#loop.recount()
    return ended.length
  }

  figures(): Promise<Figures> {
    return this.#ports.table.figures()
  }

  rowsByKey(): Promise<Readonly<Record<string, number>>> {
    return rowsOfKeys(this.#ports.database)
  }

  async alarms(): Promise<readonly Alarm[]> {
    return this.#alarms.active
  }

  async #again(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0
    const rows = await this.#ports.table.replayed(ids)
    // Events of a batch that ended are collected again.
    await this.#loop.recount()
    for (const { queue } of rows) this.#loop.replayed(queue)
    return rows.length
  }

  /** A changed endpoint may expect events. */
  async #endpointsChanged(): Promise<void> {
    await this.#alarms.endpointsChanged().catch(this.#ports.report)
    this.#ports.changed()
  }

  #tasks(): readonly Task[] {
    const sender = this.#sender
    return [
      {
        isFirst: true,
        next: () => this.#loop.next(),
        run: (budget) => {
          this.#budgets.loop = budget
          return this.#loop.run(budget)
        },
      },
      {
        next: () => this.#follower.next(),
        run: async (budget) => {
          this.#budgets.follower = budget
          await this.#follower.run(budget)
          sender?.stored()
        },
      },
      {
        next: () => this.#alarms.next(),
        run: async () => {
          await this.#alarms.run()
          sender?.stored()
        },
      },
      { next: () => this.#nextCheck(), run: () => this.#check() },
      ...(sender ? [{ next: () => sender.next(), run: () => sender.run() }] : []),
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
      await table.count()
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

  #noteRow({ queue, endpoint, state }: NewDelivery): void {
    this.#hasRows = true
    // A filtered request shows that the sender is alive; a refused one may come from anyone.
    if (endpoint === null || state === 'refused') return
    this.#alarms.noteEvent(queue.slice(0, queue.indexOf('/')), endpoint)
  }

  #follows(isFollowed: boolean): void {
    if (isFollowed) this.#follower.follows(this.#ports.now() + FIRST_LOOKUP)
  }

  async #credentialOf({
    queue,
    owner,
    endpoint,
  }: Pick<Delivery, 'queue' | 'owner' | 'endpoint'>): Promise<Credential> {
    const { credentials, endpoints, encryption } = this.#ports
    if (isOwnQueue(queue)) return credentials.own()
    const row = endpoint === null ? undefined : await endpoints.of(owner).named(endpoint)
    const found = row && (await decryptEndpoint(row, encryption).catch(() => undefined))
    if (!found) throw endpointDeleted()
    return credentials.ofEndpoint(found)
  }
}

/** Whether a filter by owner, endpoints and state selects a delivery. */
export function isSelected(
  { owner, endpoint, state }: Delivery,
  filter: Pick<DeliveryFilter, 'owner' | 'endpoints' | 'state'>,
): boolean {
  const isOwn = filter.endpoints?.includes(`${owner}/${endpoint}`) ?? true
  const isOfOwner = filter.owner === undefined || filter.owner === owner
  return isOwn && isOfOwner && (filter.state === undefined || filter.state === state)
}

/** False for Forgejo and Gitea, whose API does not list runs as GitHub's does. */
export function listsRuns({ apiUrl, forge }: Pick<DispatchOptions, 'apiUrl' | 'forge'>): boolean {
  if (forge !== undefined) return forge === 'github'
  return !/\/api\/v1\/*$/.test(apiUrl.pathname)
}
