// The alarms of a relay: an endpoint that hears nothing, and events without runs.

import type { Runtime } from '../runtime.ts'
import type { Database } from '../store/database.ts'
import type { AlarmKind, ChangeLine } from './log-lines.ts'
import {
  insertNotification,
  type Notification,
  type NotifySettings,
  newNotification,
} from './notify.ts'

const MINUTE = 60_000

export interface Alarm {
  readonly kind: AlarmKind
  /** The endpoint: `<owner>/<name>`. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly since: number
}

interface AlarmPorts extends Pick<Runtime, 'now' | 'report'> {
  readonly database: Database
  /** Absent if no notifications are sent. */
  readonly notify: NotifySettings | undefined
  /** To be told that notifications may have been stored. */
  notified(): void
  log(line: ChangeLine): void
}

export class Alarms {
  readonly #ports: AlarmPorts
  /** True if an endpoint expects events, or an alarm lasts. */
  #isNeeded = false
  #checkedAt: number
  /** When a delivery could not be recorded: which endpoints had an event before is not known. */
  #unrecordedAt = 0

  constructor(ports: AlarmPorts) {
    this.#ports = ports
    this.#checkedAt = ports.now()
  }

  /** The alarms that last, the oldest first. */
  async active(): Promise<readonly Alarm[]> {
    const text = 'SELECT kind, subject, since FROM alarm ORDER BY since'
    // The columns are the fields.
    return (await this.#ports.database.read(text)) as unknown as readonly Alarm[]
  }

  /** The time of the next check; `undefined` without expecting endpoints and alarms. */
  next(): number | undefined {
    return this.#isNeeded ? this.#checkedAt + MINUTE : undefined
  }

  /** To be called at the start, and after an endpoint was created, changed or deleted. */
  async look(): Promise<void> {
    const text = `SELECT 1 FROM endpoint WHERE expect IS NOT NULL
      UNION ALL SELECT 1 FROM alarm LIMIT 1`
    this.#isNeeded = (await this.#ports.database.read(text)).length > 0
  }

  /** Begins and ends the alarms of endpoints. Never rejects. */
  async run(): Promise<void> {
    const { now, report, notified } = this.#ports
    this.#checkedAt = now()
    try {
      await this.#checkEndpoints()
      await this.look()
    } catch (error) {
      report(error)
    }
    notified()
  }

  /** To be told that deliveries could not be recorded, and with them the times of their endpoints' events. */
  unrecorded(): void {
    this.#unrecordedAt = this.#ports.now()
  }

  /** Begins or ends an alarm, with its notification; an alarm that is so already does not change. */
  async change(kind: AlarmKind, subject: string, active: boolean): Promise<void> {
    const { database, notify, now, log } = this.#ports
    const text = 'SELECT kind, subject, since FROM alarm WHERE kind = ? AND subject = ?'
    // The columns are the fields.
    const [known] = (await database.read(text, kind, subject)) as unknown as readonly Alarm[]
    if ((known !== undefined) === active) return
    const alarm = known ?? { kind, subject, since: now() }
    await database.write([
      active
        ? ['INSERT INTO alarm VALUES (?, ?, ?) ON CONFLICT DO NOTHING', kind, subject, alarm.since]
        : ['DELETE FROM alarm WHERE kind = ? AND subject = ?', kind, subject],
      ...(notify ? [insertNotification(alarmNotification(alarm, active, now()))] : []),
    ])
    if (active) this.#isNeeded = true
    log({ change: 'alarm', ...(active && { level: 'error' }), alarm: kind, subject, active })
  }

  async #checkEndpoints(): Promise<void> {
    const { database, now } = this.#ports
    // `expect` is `null` if the endpoint expects no events.
    const text = `SELECT owner || '/' || name AS subject, expect,
      max(changed, coalesce(lastEvent, 0)) AS heard FROM endpoint`
    const rows = await database.read(text)
    const all = rows.map(({ subject, expect, heard }) => {
      return { subject: String(subject), expect: Number(expect ?? Infinity), heard: Number(heard) }
    })
    const silent = all.filter(({ heard, expect }) => now() - heard > expect)
    const subjects = new Set(silent.map(({ subject }) => subject))
    const known = new Set(all.map(({ subject }) => subject))
    const lasting = await this.active()
    for (const { kind, subject } of lasting) {
      const isOver =
        kind === 'silent'
          ? !subjects.has(subject)
          : // The events of a deleted endpoint will have no run.
            !known.has(subject.split(' ', 1)[0] ?? '')
      if (isOver) await this.change(kind, subject, false)
    }
    for (const { kind, subject } of lasting) if (kind === 'silent') subjects.delete(subject)
    for (const { subject, expect } of silent) {
      const isKnown = now() - this.#unrecordedAt > expect
      if (isKnown && subjects.has(subject)) await this.change('silent', subject, true)
    }
  }
}

export function alarmNotification(alarm: Alarm, isActive: boolean, now: number): Notification {
  const { kind, subject } = alarm
  const since = new Date(alarm.since).toISOString()
  const type = `alarm.${kind}${isActive ? '' : '.ended'}`
  return newNotification(type, { alarm: kind, subject, since, active: isActive }, now)
}
