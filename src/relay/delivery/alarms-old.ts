import { durationSeconds } from '../../wire/duration.ts'
import type { ReceiptLine } from '../log-lines.ts'
import type { SqlStatement } from '../store/database.ts'
import type { Encryption } from '../store/encryption.ts'
import { decryptEndpoint } from '../store/endpoint-records.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import type { EndpointStore } from '../store/endpoint-table.ts'
import { endpointLabel } from './queue-name.ts'
import { newReceipt, type Receipt } from './receipt.ts'
import type { Alarm, ReceiptStore } from './receipt-store.ts'

export interface AlarmPorts {
  readonly store: ReceiptStore
  /** The endpoints of all owners. */
  readonly endpoints: Pick<EndpointStore, 'versions' | 'list'>
  readonly encryption: Encryption
  /** Whether receipts are sent. */
  readonly sends: boolean
  /** Milliseconds since 1970; never jumps. */
  now(): number
  /** Shows an alarm in the metrics, or removes it. */
  shown(kind: string, subject: string, isActive: boolean): void
  log(line: ReceiptLine): void
  report(error: unknown): void
}

/** A change of an alarm: statements for the database, and the rest once they are written. */
export interface AlarmChange {
  readonly statements: readonly SqlStatement[]
  apply(): void
}

interface ExpectingEndpoint {
  /** `endpoint:<owner>/<name>` */
  readonly label: string
  readonly changed: number
  /** Milliseconds; `undefined` if the endpoint expects nothing. */
  readonly expect: number | undefined
}

/** The alarms of a relay: a silent endpoint, and events without runs. */
export class Alarms {
  readonly #ports: AlarmPorts
  readonly #active = new Map<string, Alarm>()
  /** When each endpoint accepted an event that is not on disk yet. */
  readonly #lastEvents = new Map<string, number>()
  /** By the hash of the id. */
  #expecting: ReadonlyMap<string, ExpectingEndpoint> = new Map()

  constructor(ports: AlarmPorts) {
    this.#ports = ports
  }

  /** Reads the alarms that lasted when the relay stopped. */
  async start(): Promise<void> {
    for (const alarm of await this.#ports.store.alarms()) {
      this.#active.set(keyOf(alarm), alarm)
      this.#ports.shown(alarm.kind, alarm.subject, true)
    }
  }

  /** To be told of each event that an endpoint accepted. */
  noteEvent(endpoint: Pick<Endpoint, 'owner' | 'name'>): void {
    this.#lastEvents.set(endpointLabel(endpoint), this.#ports.now())
  }

  /** Begins and ends the alarms of endpoints. To be called once a minute. Never rejects. */
  async check(): Promise<void> {
    try {
      await this.writeEvents()
      await this.#checkEndpoints()
    } catch (error) {
      this.#ports.report(error)
    }
  }

  /** Writes to disk which endpoints accepted events. */
  async writeEvents(): Promise<void> {
    const { store } = this.#ports
    const events = [...this.#lastEvents]
    await store.write(events.map(([endpoint, at]) => store.noteEvent(endpoint, at)))
    for (const [endpoint, at] of events) {
      if (this.#lastEvents.get(endpoint) === at) this.#lastEvents.delete(endpoint)
    }
  }

  readonly change = ({ kind, subject }: Omit<Alarm, 'since'>, isActive: boolean): AlarmChange => {
    const { store, sends, now, shown, log } = this.#ports
    const known = this.#active.get(keyOf({ kind, subject }))
    if ((known !== undefined) === isActive) return { statements: [], apply: () => {} }
    const alarm = known ?? { kind, subject, since: now() }
    const receipt = alarmReceipt(alarm, isActive, now())
    return {
      statements: [store.alarm(alarm, isActive), ...(sends ? [store.receipt(receipt)] : [])],
      apply: () => {
        if (isActive) this.#active.set(keyOf(alarm), alarm)
        else this.#active.delete(keyOf(alarm))
        shown(kind, subject, isActive)
        if (isActive) log({ receipts: kind, level: 'error', subject })
        else log({ receipts: 'ended', reason: kind, subject })
      },
    }
  }

  async #checkEndpoints(): Promise<void> {
    const { store, now } = this.#ports
    await this.#readEndpoints()
    const last = await store.lastEvents()
    const silent = [...this.#expecting.values()].filter(({ label, changed, expect }) => {
      const heard = Math.max(changed, last.get(label) ?? 0)
      return expect !== undefined && now() - heard > expect
    })
    const subjects = new Set(silent.map(({ label }) => label))
    const ended = [...this.#active.values()]
      .filter(({ kind, subject }) => kind === 'silent' && !subjects.has(subject))
      .map(({ subject }) => this.change({ kind: 'silent', subject }, false))
    const begun = [...subjects].map((subject) => this.change({ kind: 'silent', subject }, true))
    const changes = [...ended, ...begun]
    await store.write(changes.flatMap(({ statements }) => statements))
    for (const { apply } of changes) apply()
  }

  /** Decrypts only endpoints that changed. */
  async #readEndpoints(): Promise<void> {
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
      expecting.set(row.hash, { label: endpointLabel(row), changed: row.changed, expect })
    }
    this.#expecting = expecting
  }
}

/** The receipt of an alarm that begins or ends. */
export function alarmReceipt(alarm: Alarm, isActive: boolean, now: number): Receipt {
  const { kind, subject } = alarm
  const since = new Date(alarm.since).toISOString()
  const type = `alarm.${kind}${isActive ? '' : '.ended'}`
  return newReceipt(type, { alarm: kind, subject, since, active: isActive }, now)
}

function keyOf({ kind, subject }: Pick<Alarm, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}
