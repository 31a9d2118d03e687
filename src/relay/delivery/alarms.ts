// The alarms of a relay: an endpoint that hears nothing, and events without runs.

import { durationSeconds } from '../../wire/duration.ts'
import type { SqlStatement } from '../store/database.ts'
import type { Encryption } from '../store/encryption.ts'
import { decryptEndpoint } from '../store/endpoint-records.ts'
import type { EndpointStore } from '../store/endpoint-table.ts'
import type { Alarm, Notification, NotificationTable } from '../store/notifications.ts'
import type { AlarmLine } from './log-lines.ts'
import { newNotification } from './notify.ts'

const MINUTE = 60_000

/** Milliseconds between two checks while no endpoint expects events: its settings may have changed. */
const IDLE_INTERVAL = 15 * MINUTE

export interface AlarmPorts {
  readonly table: NotificationTable
  /** The endpoints of the database: of all owners on Node, of one in a Durable Object. */
  readonly endpoints: Pick<EndpointStore, 'versions' | 'list'>
  readonly encryption: Encryption
  /** Whether notifications are sent. */
  readonly sends: boolean
  /** Milliseconds since 1970; never jumps. */
  now(): number
  log(line: AlarmLine): void
  report(error: unknown): void
}

/** A change of an alarm: statements for the database, and the rest once they are written. */
export interface AlarmChange {
  readonly statements: readonly SqlStatement[]
  apply(): void
}

interface ExpectingEndpoint {
  /** `<owner>/<name>` */
  readonly subject: string
  readonly changed: number
  /** Milliseconds; `undefined` if the endpoint expects nothing. */
  readonly expect: number | undefined
}

export class Alarms {
  readonly #ports: AlarmPorts
  readonly #active = new Map<string, Alarm>()
  /** When each endpoint accepted an event that is not on disk yet: at most a minute ago. */
  readonly #lastEvents = new Map<string, number>()
  /** By the hash of the id. */
  #expecting: ReadonlyMap<string, ExpectingEndpoint> = new Map()
  /** Endpoints that expect nothing: their events are not noted. */
  #unexpecting: ReadonlySet<string> = new Set()
  #checkedAt: number
  #reading: Promise<void> = Promise.resolve()

  constructor(ports: AlarmPorts) {
    this.#ports = ports
    this.#checkedAt = ports.now()
  }

  /** Reads the alarms that lasted when the relay stopped. */
  async start(): Promise<void> {
    for (const alarm of await this.#ports.table.alarms()) {
      this.#active.set(keyOf(alarm), alarm)
    }
    await this.#readEndpoints()
  }

  /** The alarms that last. */
  get active(): readonly Alarm[] {
    return [...this.#active.values()].toSorted((a, b) => a.since - b.since)
  }

  /** The time of the next check; `undefined` without endpoints and alarms. */
  next(): number | undefined {
    const expects = [...this.#expecting.values()].some(({ expect }) => expect !== undefined)
    if (expects || this.#active.size > 0 || this.#lastEvents.size > 0) {
      return this.#checkedAt + MINUTE
    }
    return this.#expecting.size > 0 ? this.#checkedAt + IDLE_INTERVAL : undefined
  }

  /** To be told that an endpoint was created or changed: the next check reads it, without a wait. */
  async endpointsChanged(): Promise<void> {
    await this.#readEndpoints()
  }

  /** To be told of each event that an endpoint accepted. */
  noteEvent(owner: string, endpoint: string): void {
    const subject = `${owner}/${endpoint}`
    if (!this.#unexpecting.has(subject)) this.#lastEvents.set(subject, this.#ports.now())
  }

  /** Begins and ends the alarms of endpoints. Never rejects. */
  async run(): Promise<void> {
    this.#checkedAt = this.#ports.now()
    try {
      await this.writeEvents()
      await this.#checkEndpoints()
    } catch (error) {
      this.#ports.report(error)
    }
  }

  /** Writes to disk which endpoints accepted events. */
  async writeEvents(): Promise<void> {
    const { table } = this.#ports
    const events = [...this.#lastEvents]
    await table.write(events.map(([endpoint, at]) => table.noteEvent(endpoint, at)))
    for (const [endpoint, at] of events) {
      if (this.#lastEvents.get(endpoint) === at) this.#lastEvents.delete(endpoint)
    }
  }

  readonly change = ({ kind, subject }: Omit<Alarm, 'since'>, isActive: boolean): AlarmChange => {
    const { table, sends, now, log } = this.#ports
    const known = this.#active.get(keyOf({ kind, subject }))
    if ((known !== undefined) === isActive) return { statements: [], apply: () => {} }
    const alarm = known ?? { kind, subject, since: now() }
    const notification = alarmNotification(alarm, isActive, now())
    return {
      statements: [
        table.alarm(alarm, isActive),
        ...(sends ? [table.notification(notification)] : []),
      ],
      apply: () => {
        if (isActive) this.#active.set(keyOf(alarm), alarm)
        else this.#active.delete(keyOf(alarm))
        log({
          change: 'alarm',
          ...(isActive && { level: 'error' }),
          alarm: kind,
          subject,
          active: isActive,
        })
      },
    }
  }

  async #checkEndpoints(): Promise<void> {
    const { table, now } = this.#ports
    await this.#readEndpoints()
    const last = await table.lastEvents()
    const all = [...this.#expecting.values()]
    const silent = all.filter(({ subject, changed, expect }) => {
      const heard = Math.max(changed, last.get(subject) ?? 0)
      return expect !== undefined && now() - heard > expect
    })
    const subjects = new Set(silent.map(({ subject }) => subject))
    const known = new Set(all.map(({ subject }) => subject))
    const isOver = ({ kind, subject }: Alarm) =>
      kind === 'silent'
        ? !subjects.has(subject)
        : // The events of a deleted endpoint will have no run.
          !known.has(subject.split(' ', 1)[0] ?? '')
    const ended = [...this.#active.values()]
      .filter(isOver)
      .map((alarm) => this.change(alarm, false))
    const begun = [...subjects].map((subject) => this.change({ kind: 'silent', subject }, true))
    const changes = [...ended, ...begun]
    await table.write(changes.flatMap(({ statements }) => statements))
    for (const { apply } of changes) apply()
  }

  /** One read after the other, so that none replaces the result of a later one. */
  #readEndpoints(): Promise<void> {
    const reading = this.#reading.catch(() => {}).then(() => this.#readChanged())
    this.#reading = reading
    return reading
  }

  /** Decrypts only endpoints that changed. */
  async #readChanged(): Promise<void> {
    const { endpoints, encryption } = this.#ports
    const versions = await endpoints.versions()
    const isKnown = ({ hash, changed }: { hash: string; changed: number }) =>
      this.#expecting.get(hash)?.changed === changed
    const rows = versions.every(isKnown) ? [] : await endpoints.list()
    const expecting = new Map<string, ExpectingEndpoint>()
    for (const version of versions) {
      const known = this.#expecting.get(version.hash)
      if (known && isKnown(version)) expecting.set(version.hash, known)
    }
    for (const row of rows.filter((row) => !isKnown(row))) {
      const endpoint = await decryptEndpoint(row, encryption).catch(() => undefined)
      if (!endpoint) continue
      const seconds = endpoint.expect === undefined ? undefined : durationSeconds(endpoint.expect)
      const expect = seconds === undefined ? undefined : seconds * 1000
      const subject = `${row.owner}/${row.name}`
      expecting.set(row.hash, { subject, changed: row.changed, expect })
    }
    this.#expecting = expecting
    const others = [...expecting.values()].filter(({ expect }) => expect === undefined)
    this.#unexpecting = new Set(others.map(({ subject }) => subject))
  }
}

/** The notification of an alarm that begins or ends. */
export function alarmNotification(alarm: Alarm, isActive: boolean, now: number): Notification {
  const { kind, subject } = alarm
  const since = new Date(alarm.since).toISOString()
  const type = `alarm.${kind}${isActive ? '' : '.ended'}`
  return newNotification(type, { alarm: kind, subject, since, active: isActive }, now)
}

function keyOf({ kind, subject }: Pick<Alarm, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}
