import type { Secret } from '../../wire/secret.ts'
import type { ReceiptLine } from '../log-lines.ts'
import { type Receipt, receiptHeaders } from './receipt.ts'
import type { ReceiptStore } from './receipt-store.ts'

/** Posts a receipt. @returns the status; rejects if there is no response */
export type PostReceipt = (
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<number>

export interface SenderPorts {
  readonly store: ReceiptStore
  readonly post: PostReceipt
  readonly secret: Secret
  /** Milliseconds since 1970; never jumps. */
  now(): number
  log(line: ReceiptLine): void
  report(error: unknown): void
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds before each retry, as the specification of Standard Webhooks proposes. */
const PAUSES = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Receipts that are sent concurrently. */
const CONCURRENT = 8

/** Sends the receipts of the database: each until the receiver accepts it with a 2xx. */
export class ReceiptSender {
  readonly #ports: SenderPorts
  #sending: Promise<void> | undefined
  #isStopped = false

  constructor(ports: SenderPorts) {
    this.#ports = ports
  }

  /** Sends what is due. To be called every few seconds. Never rejects. */
  check(): Promise<void> {
    this.#sending ??= this.#send()
      .catch(this.#ports.report)
      .finally(() => {
        this.#sending = undefined
      })
    return this.#sending
  }

  /** Sends no more; resolves when the open requests have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#sending
  }

  async #send(): Promise<void> {
    const { store, now } = this.#ports
    for (;;) {
      const receipts = await store.dueReceipts(now(), CONCURRENT)
      if (receipts.length === 0 || this.#isStopped) return
      const accepted = await Promise.all(receipts.map((receipt) => this.#sendOne(receipt)))
      // The receiver fails: the others wait for the next check.
      if (accepted.includes(false)) return
    }
  }

  /** @returns whether the receiver accepted it */
  async #sendOne(receipt: Receipt): Promise<boolean> {
    const { store, post, secret, now, log } = this.#ports
    const { id, attempts, body } = receipt
    const headers = await receiptHeaders(receipt, secret, now())
    const status = await post(headers, body).catch(() => undefined)
    const isAccepted = status !== undefined && status >= 200 && status < 300
    const pause = PAUSES[attempts]
    if (isAccepted || pause === undefined) await store.write([store.deleteReceipt(id)])
    else await store.write([store.postponeReceipt(id, attempts + 1, now() + pause)])
    if (!isAccepted && pause === undefined) {
      log({ receipts: 'given_up', level: 'error', reason: String(status ?? 'no response') })
    }
    return isAccepted
  }
}
