import { UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import { type Environment, readSetting } from '../../wire/settings.ts'
import { type AlarmPorts, Alarms } from '../delivery/alarms-old.ts'
import { RunFollower } from '../delivery/follow-runs-old.ts'
import { type PostReceipt, ReceiptSender } from '../delivery/notify-old.ts'
import { ReceiptStore } from '../delivery/receipt-store.ts'
import type { Attempts } from '../errors.ts'
import type { Credentials } from '../github/credential.ts'
import type { ReadRuns } from '../github/find-run.ts'
import type { Dispatch, DispatchPort } from '../github/send.ts'
import type { ReceiptLine } from '../log-lines.ts'
import type { RelayMetrics } from '../metrics.ts'
import type { Database } from '../store/database.ts'
import type { Encryption } from '../store/encryption.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'

/** Where notifications are sent. */
export interface NotifySettings {
  readonly url: URL
  readonly secret: Secret
  /** True if runs that succeeded are reported too. */
  readonly all: boolean
}

/** @throws UserError if a setting is missing */
export function readNotifySettings(env: Environment): NotifySettings | undefined {
  const url = readSetting(env, 'HOOKLINE_NOTIFY_URL')
  const secret = readSetting(env, 'HOOKLINE_NOTIFY_SECRET')
  if ((url === undefined) !== (secret === undefined)) {
    throw new UserError({
      message: `${url ? 'HOOKLINE_NOTIFY_SECRET' : 'HOOKLINE_NOTIFY_URL'} is missing`,
      hint: 'Set both. Create a secret: echo "whsec_$(openssl rand -base64 32)"',
    })
  }
  const all = readSetting(env, 'HOOKLINE_NOTIFY') === 'all'
  return url && secret && { url, secret, all }
}

interface ReceiptParts {
  readonly database: Database
  readonly endpoints: AlarmPorts['endpoints']
  readonly encryption: Encryption
  /** Whether the relay has a GitHub credential of its own, which reads the runs. */
  readonly isFollowing: boolean
  readonly notify: NotifySettings | undefined
  readonly credentials: Credentials
  readonly metrics: RelayMetrics
  readonly readRuns: ReadRuns
  /** Milliseconds since 1970; never jumps. */
  now(): number
  write(line: string): void
  report(error: unknown): void
}

/** Milliseconds between two looks at what is due. */
const CHECK_INTERVAL = 5000

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Receipts and alarms of a relay on Node. */
export class NodeReceipts {
  readonly store: ReceiptStore
  readonly #isFollowing: boolean
  readonly #now: () => number
  readonly #report: (error: unknown) => void
  readonly #alarms: Alarms
  readonly #follower: RunFollower
  readonly #sender: ReceiptSender | undefined
  readonly #writing = new Set<Promise<void>>()
  readonly #timers: NodeJS.Timeout[] = []

  constructor(parts: ReceiptParts) {
    const { database, endpoints, encryption, credentials, metrics, readRuns, now, report } = parts
    const { isFollowing, notify } = parts
    const log = (line: ReceiptLine) =>
      parts.write(JSON.stringify({ time: new Date(now()).toISOString(), ...line }))
    const store = new ReceiptStore(database)
    const shared = { store, now, log, report, sends: notify !== undefined }
    this.store = store
    this.#isFollowing = isFollowing
    this.#now = now
    this.#report = report
    this.#alarms = new Alarms({
      ...shared,
      endpoints,
      encryption,
      shown: (kind, subject, isActive) => metrics.alarm(kind, subject, isActive),
    })
    this.#follower = new RunFollower({
      ...shared,
      readRuns,
      credential: () => credentials.own(),
      reportsSuccess: notify?.all ?? false,
      changeAlarm: this.#alarms.change,
      counted: (outcome) => metrics.ran(outcome),
    })
    this.#sender =
      notify && new ReceiptSender({ ...shared, secret: notify.secret, post: postTo(notify.url) })
  }

  /** To be told of each event that GitHub accepted. */
  accepted(dispatch: Dispatch, attempts: Pick<Attempts, 'run'> = {}): void {
    if (!this.#isFollowing) return
    const writing = this.#follower.follow(dispatch, attempts)
    this.#writing.add(writing)
    void writing.finally(() => this.#writing.delete(writing))
  }

  /** Follows each event that a port sends successfully. */
  following(send: DispatchPort): DispatchPort {
    return async (dispatch) => {
      const attempts = await send(dispatch)
      this.accepted(dispatch, attempts)
      return attempts
    }
  }

  /** To be told of each event that an endpoint accepted. */
  noteEvent(endpoint: Pick<Endpoint, 'owner' | 'name'>): void {
    this.#alarms.noteEvent(endpoint)
  }

  async start(): Promise<void> {
    await this.#alarms.start()
    const every = (milliseconds: number, work: () => Promise<unknown>) => {
      const run = () => void work().catch(this.#report)
      this.#timers.push(setInterval(run, milliseconds).unref())
    }
    if (this.#isFollowing) every(CHECK_INTERVAL, () => this.#follower.check())
    every(CHECK_INTERVAL, async () => this.#sender?.check())
    every(MINUTE, () => this.#alarms.check())
    every(HOUR, () => this.store.deleteOld(this.#now()))
  }

  /** Resolves when everything that is known is on disk. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all([
      ...this.#writing,
      this.#alarms.writeEvents().catch(this.#report),
      this.#sender?.stop(),
    ])
  }
}

/** Milliseconds until the receiver must have responded. */
const RESPONSE_TIME = 15_000

/** A redirect is a failure: the receipt goes to the configured address alone. */
function postTo(url: URL): PostReceipt {
  return async (headers, body) => {
    const signal = AbortSignal.timeout(RESPONSE_TIME)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return response.status
  }
}
