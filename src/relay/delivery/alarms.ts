// The alarms of a relay: an endpoint that hears nothing, and events without runs.

import { splitOnce } from '../../wire/path.ts'
import type { Runtime } from '../runtime.ts'
import type { Database, SqlStatement } from '../store/database.ts'
import type { AlarmKind, AlarmLine } from './log-lines.ts'
import { insertNotification, type Notification, newNotification } from './notify.ts'

const MINUTE = 60_000

export interface Alarm {
  readonly kind: AlarmKind
  /** The endpoint: `<owner>/<name>`. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** An endpoint, as its silence is noticed. */
interface HeardEndpoint {
  /** `<owner>/<name>` */
  readonly subject: string
  /** Milliseconds without an event after which its alarm begins; `null` if it expects none. */
  readonly expect: number | null
  /** When it accepted its last event, or was changed. */
  readonly heard: number
}

interface AlarmPorts extends Pick<Runtime, 'now' | 'report'> {
  readonly database: Database
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

  /** Reads the alarms that lasted when the relay stopped, and corrects times that a clock wrote which was ahead. */
  async start(): Promise<void> {
    const { database, now } = this.#ports
    await database.write([['UPDATE endpoint SET lastEvent = ?1 WHERE lastEvent > ?1', now()]])
    const rows = await database.read('SELECT kind, subject, since FROM alarm')
    // The columns are the fields.
    for (const alarm of rows as unknown as readonly Alarm[]) this.#active.set(keyOf(alarm), alarm)
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
    this.#expects = (await this.#endpoints()).some(({ expect }) => expect !== null)
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
    const events = [...this.#lastEvents]
    if (events.length === 0) return
    const text = `UPDATE endpoint SET lastEvent = max(coalesce(lastEvent, 0), ?)
      WHERE owner = ? AND name = ?`
    await this.#ports.database.write(
      events.map(([endpoint, at]) => [text, at, ...splitOnce(endpoint, '/')]),
    )
    for (const [endpoint, at] of events) {
      if (this.#lastEvents.get(endpoint) === at) this.#lastEvents.delete(endpoint)
    }
  }

  readonly change = ({ kind, subject }: Omit<Alarm, 'since'>, isActive: boolean): AlarmChange => {
    const { sends, now, log } = this.#ports
    const known = this.#active.get(keyOf({ kind, subject }))
    if ((known !== undefined) === isActive) return { statements: [], apply: () => {} }
    const alarm = known ?? { kind, subject, since: now() }
    const notification = alarmNotification(alarm, isActive, now())
    return {
      statements: [
        isActive
          ? [
              'INSERT INTO alarm (kind, subject, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
              ...[kind, subject, alarm.since],
            ]
          : ['DELETE FROM alarm WHERE kind = ? AND subject = ?', kind, subject],
        ...(sends ? [insertNotification(notification)] : []),
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

  async #endpoints(): Promise<readonly HeardEndpoint[]> {
    const text = `SELECT owner || '/' || name AS subject, expect,
      max(changed, coalesce(lastEvent, 0)) AS heard FROM endpoint`
    // The columns are the fields.
    return (await this.#ports.database.read(text)) as unknown as readonly HeardEndpoint[]
  }

  async #checkEndpoints(): Promise<void> {
    const { database, now } = this.#ports
    const all = await this.#endpoints()
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
    const statements = changes.flatMap((change) => change.statements)
    if (statements.length > 0) await database.write(statements)
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
