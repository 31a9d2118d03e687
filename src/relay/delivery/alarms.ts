// The alarms of a relay: an endpoint that hears nothing, and events without runs.

import type { Runtime } from '../runtime.ts'
import type { SqlStatement } from '../store/database.ts'
import type { Alarm, Notification, NotificationTable } from '../store/notifications.ts'
import type { AlarmLine } from './log-lines.ts'
import { newNotification } from './notify.ts'

const MINUTE = 60_000

interface AlarmPorts extends Pick<Runtime, 'now' | 'report'> {
  readonly table: NotificationTable
  /** Whether notifications are sent. */
  readonly sends: boolean
  log(line: AlarmLine): void
}

/** A change of an alarm: statements for the database, and the rest once they are written. */
export interface AlarmChange {
  readonly statements: readonly SqlStatement[]
  apply(): void
}

export class Alarms {
  readonly #ports: AlarmPorts
  readonly #active = new Map<string, Alarm>()
  /** When each endpoint, `<owner>/<name>`, accepted an event that is not on disk yet: at most a minute ago. */
  readonly #lastEvents = new Map<string, number>()
  /** True if an endpoint expects events; otherwise no event is noted. */
  #expects = false
  #checkedAt: number

  constructor(ports: AlarmPorts) {
    this.#ports = ports
    this.#checkedAt = ports.now()
  }

  /** Reads the alarms that lasted when the relay stopped. */
  async start(): Promise<void> {
    for (const alarm of await this.#ports.table.alarms()) {
      this.#active.set(keyOf(alarm), alarm)
    }
    await this.endpointsChanged()
  }

  /** The alarms that last. */
  get active(): readonly Alarm[] {
    return [...this.#active.values()].toSorted((a, b) => a.since - b.since)
  }

  /** The time of the next check; `undefined` without expecting endpoints and alarms. */
  next(): number | undefined {
    return this.#expects || this.#active.size > 0 ? this.#checkedAt + MINUTE : undefined
  }

  /** To be told that an endpoint was created, changed or deleted. */
  async endpointsChanged(): Promise<void> {
    const endpoints = await this.#ports.table.endpoints()
    this.#expects = endpoints.some(({ expect }) => expect !== null)
  }

  /** To be told of each event that an endpoint accepted. */
  noteEvent(owner: string, endpoint: string): void {
    if (this.#expects) this.#lastEvents.set(`${owner}/${endpoint}`, this.#ports.now())
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
    const all = await table.endpoints()
    const silent = all.filter(({ heard, expect }) => expect !== null && now() - heard > expect)
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
