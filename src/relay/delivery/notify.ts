// Sends signed notifications to HOOKLINE_NOTIFY_URL, and recognizes its own:
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import { fromBase64, toBase64 } from '../../wire/bytes.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Runtime } from '../runtime.ts'
import type { Database, SqlStatement } from '../store/database.ts'
import type { ChangeLine } from './log-lines.ts'

/** A signed webhook that waits to be sent to `HOOKLINE_NOTIFY_URL`. Times are milliseconds since 1970. */
export interface Notification {
  /** The value of `webhook-id`: the same in each attempt. */
  readonly id: string
  readonly attempts: number
  readonly next: number
  /** JSON with `type`, `timestamp` and `data`. */
  readonly body: string
}

/** Where notifications are sent. */
export interface NotifySettings {
  readonly url: URL
  readonly secret: Secret
  /** True if runs that succeeded are reported too. */
  readonly all: boolean
}

/** Posts a notification. @returns the status; rejects if there is no response */
export type PostNotification = (
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<number>

interface SenderPorts extends Pick<Runtime, 'now' | 'report'> {
  readonly database: Database
  readonly post: PostNotification
  readonly secret: Secret
  log(line: ChangeLine): void
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const IN_HOURS = [2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)
/** Milliseconds before each retry, as the specification of Standard Webhooks proposes. */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...IN_HOURS]

/** Notifications of one run, which are sent concurrently: a Durable Object may make a limited number of requests. */
const MOST_SENT = 8

/** Milliseconds until the others are tried after one that the receiver did not accept. */
const RECEIVER_REST = 5 * SECOND

/** Milliseconds that the clocks of the relay and of what forwards a notification to it may differ. */
const TOLERANCE = 5 * MINUTE

/** Notifications that wait to be sent; while there are more, outcomes are only counted and logged. */
const MOST_NOTIFICATIONS = 100_000

/** A notification about something that happened now. */
export function newNotification(type: string, data: object, now: number): Notification {
  const timestamp = new Date(now).toISOString()
  const body = JSON.stringify({ type, timestamp, data })
  return { id: `hookline_${crypto.randomUUID()}`, attempts: 0, next: now, body }
}

/** A statement that stores a notification, unless too many wait already. */
export function insertNotification(notification: Notification): SqlStatement {
  const { id, attempts, next, body } = notification
  const text = `INSERT INTO notification (id, at, attempts, next, body) SELECT ?, ?, ?, ?, ?
    WHERE (SELECT count(*) FROM notification) < ${MOST_NOTIFICATIONS}`
  return [text, id, next, attempts, next, body]
}

/** Sends the notifications of the database: each until the receiver accepts it with a 2xx. */
export class NotificationSender {
  readonly #ports: SenderPorts
  #next: number | undefined = 0

  constructor(ports: SenderPorts) {
    this.#ports = ports
  }

  /** Corrects times that a clock wrote which was ahead. */
  async start(): Promise<void> {
    const { database, now } = this.#ports
    const text = 'UPDATE notification SET next = ?1 WHERE next > ?1 + ?2'
    await database.write([[text, now(), Math.max(...PAUSES)]])
  }

  /** When a notification is due; `undefined` if none waits. */
  next(): number | undefined {
    return this.#next
  }

  /** To be told that a notification was stored. */
  stored(): void {
    this.#next = Math.min(this.#ports.now(), this.#next ?? Number.POSITIVE_INFINITY)
  }

  /** Sends some of what is due. Never rejects. */
  async run(): Promise<void> {
    const { database, now, report } = this.#ports
    this.#next = undefined
    try {
      const text = `SELECT id, attempts, next, body FROM notification WHERE next <= ?
        ORDER BY next, at LIMIT ?`
      // The columns are the fields.
      const due = (await database.read(
        text,
        now(),
        MOST_SENT,
      )) as unknown as readonly Notification[]
      const accepted = await Promise.all(due.map((notification) => this.#sendOne(notification)))
      const [row] = await database.read('SELECT min(next) AS next FROM notification')
      const next = row?.next
      if (typeof next !== 'number') return
      const earliest = accepted.includes(false) ? Math.max(next, now() + RECEIVER_REST) : next
      this.#next = Math.min(earliest, this.#next ?? earliest)
    } catch (error) {
      report(error)
      this.#next = now() + MINUTE
    }
  }

  /** @returns whether the receiver accepted it */
  async #sendOne(notification: Notification): Promise<boolean> {
    const { database, post, secret, now, log } = this.#ports
    const { id, attempts, body } = notification
    const headers = await notificationHeaders(notification, secret, now())
    const status = await post(headers, body).catch(() => undefined)
    const isAccepted = status !== undefined && status >= 200 && status < 300
    const pause = PAUSES[attempts]
    await database.write([
      isAccepted || pause === undefined
        ? ['DELETE FROM notification WHERE id = ?', id]
        : [
            'UPDATE notification SET attempts = ?, next = ? WHERE id = ?',
            ...[attempts + 1, now() + pause, id],
          ],
    ])
    if (!isAccepted && pause === undefined) {
      const reason = String(status ?? 'no response')
      log({ change: 'notification_given_up', level: 'error', reason })
    }
    return isAccepted
  }
}

export async function notificationHeaders(
  { id, body }: Pick<Notification, 'id' | 'body'>,
  secret: Secret,
  now: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000))
  const key = await signingKey(secret, 'sign')
  const signature = await crypto.subtle.sign('HMAC', key, signedContent(id, timestamp, body))
  return {
    'content-type': 'application/json',
    'user-agent': 'hookline-relay',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${toBase64(new Uint8Array(signature))}`,
  }
}

/**
 * True for a request that is a notification of this relay, by its signature: nobody follows the event that
 * it starts, because its outcome would be the next notification.
 *
 * @param header reads a header of the request by its lower-case name
 * @param now milliseconds since 1970
 */
export async function isOwnNotification(
  header: (name: string) => string | undefined,
  body: Uint8Array,
  { secret, now }: { readonly secret: Secret; readonly now: number },
): Promise<boolean> {
  const timestamp = header('webhook-timestamp') ?? ''
  if (Math.abs(Number(timestamp) * 1000 - now) > TOLERANCE) return false
  const key = await signingKey(secret, 'verify')
  const content = signedContent(
    header('webhook-id') ?? '',
    timestamp,
    new TextDecoder().decode(body),
  )
  for (const signature of header('webhook-signature')?.split(' ') ?? []) {
    const [version, value = ''] = signature.split(',')
    if (version !== 'v1' || !/^[A-Za-z0-9+/]{43}=$/.test(value)) continue
    if (await crypto.subtle.verify('HMAC', key, fromBase64(value), content)) return true
  }
  return false
}

function signingKey(secret: Secret, use: 'sign' | 'verify') {
  // The setting was checked when the relay started.
  const bytes = fromBase64(secret.reveal().slice('whsec_'.length))
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}

function signedContent(id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${id}.${timestamp}.${body}`)
}
