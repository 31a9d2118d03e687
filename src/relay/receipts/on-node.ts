import { UsageError, UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import { type Environment, readSetting } from '../../wire/settings.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Database } from '../database/database.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Dispatch, DispatchPort } from '../github/dispatch.ts'
import type { ReadRuns } from '../github/find-run.ts'
import type { ReceiptLine } from '../log-lines.ts'
import type { RelayMetrics } from '../pages/metrics.ts'
import type { Attempts } from '../relay-errors.ts'
import { Alarms } from './alarms.ts'
import { RunFollower } from './follower.ts'
import { type PostReceipt, ReceiptSender } from './sender.ts'
import { ReceiptStore } from './store.ts'

/** How a relay follows events, as the environment says it. */
export interface ReceiptSettings {
  /** Whether the relay follows events to their runs. */
  readonly isFollowing: boolean
  /** Where receipts are sent, if they are. */
  readonly receiver: { readonly url: URL; readonly secret: Secret } | undefined
}

/** @throws UserError or UsageError for settings that do not fit together */
export function readReceiptSettings(
  env: Environment,
  given: { isFollowing: boolean; hasOutbox: boolean; hasCredential: boolean },
): ReceiptSettings {
  const url = readSetting(env, 'HOOKLINE_RECEIPT_URL')
  const secret = readSetting(env, 'HOOKLINE_RECEIPT_SECRET')
  const { isFollowing, hasOutbox, hasCredential } = given
  if ((isFollowing || url) && !hasOutbox) {
    throw new UsageError({
      message: `${isFollowing ? '--receipts' : 'HOOKLINE_RECEIPT_URL'} needs an outbox`,
      hint: 'Start the relay with --outbox <file>.',
    })
  }
  if (isFollowing && !hasCredential) {
    throw new UsageError({
      message: '--receipts needs a GitHub credential of the relay',
      hint: 'Set HOOKLINE_GITHUB_TOKEN, or HOOKLINE_APP_ID and HOOKLINE_APP_KEY, with the permissions "Contents: Read and write" and "Actions: Read".',
    })
  }
  if ((url === undefined) !== (secret === undefined)) {
    throw new UserError({
      message: `${url ? 'HOOKLINE_RECEIPT_SECRET' : 'HOOKLINE_RECEIPT_URL'} is missing`,
      hint: 'Set both. Create a secret with: echo "whsec_$(openssl rand -base64 32)"',
    })
  }
  return { isFollowing, receiver: url && secret && { url, secret } }
}

interface ReceiptParts {
  readonly database: Database
  readonly endpoints: Endpoints
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

  constructor({ isFollowing, receiver }: ReceiptSettings, parts: ReceiptParts) {
    const { database, endpoints, credentials, metrics, readRuns, now, report } = parts
    const log = (line: ReceiptLine) =>
      parts.write(JSON.stringify({ time: new Date(now()).toISOString(), ...line }))
    const store = new ReceiptStore(database)
    const shared = { store, now, log, report, sends: receiver !== undefined }
    this.store = store
    this.#isFollowing = isFollowing
    this.#now = now
    this.#report = report
    this.#alarms = new Alarms({
      ...shared,
      endpoints,
      shown: (kind, subject, isActive) => metrics.alarm(kind, subject, isActive),
    })
    this.#follower = new RunFollower({
      ...shared,
      readRuns,
      credential: () => credentials.own(),
      changeAlarm: this.#alarms.change,
      counted: (outcome) => metrics.ran(outcome),
    })
    this.#sender =
      receiver &&
      new ReceiptSender({ ...shared, secret: receiver.secret, post: postTo(receiver.url) })
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
  noteEvent(endpoint: string): void {
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
