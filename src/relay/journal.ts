import { parseWebhookPath } from '../protocol/webhook-path.ts'
import type { Attempts } from './errors.ts'
import type { Repository } from './route.ts'

/** One line of the log. Nothing but these fields: no URL, no header, no body. */
export interface LogEntry {
  /** When the request came: ISO 8601, UTC. */
  readonly time: string
  readonly delivery: string
  readonly method: string
  readonly owner?: string
  readonly repo?: string
  readonly workflow?: string
  readonly trigger?: string
  readonly status: number
  readonly platformStatus?: number
  readonly tries?: number
  readonly ms: number
  /** Of the received body. */
  readonly bytes?: number
}

type Facts = Partial<Omit<LogEntry, 'time' | 'delivery' | 'method' | 'status' | 'ms'>>

/** Other names could be anything, a mistaken token too. */
const PLAIN_NAME = /^[\w.-]{1,100}$/

/** Gathers, while a request is handled, what its line in the log will say. */
export class Journal {
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  readonly #start: number
  #facts: Facts = {}

  constructor(delivery: string, now: Date) {
    this.delivery = delivery
    this.receivedAt = now.toISOString()
    this.#start = now.getTime()
  }

  /** @param path only after the tokens are scrubbed from it */
  addressed(repository: Repository, path: string, bytes: number): void {
    const { workflow, trigger } = parseWebhookPath(path)
    this.#facts = {
      owner: repository.owner,
      repo: repository.name,
      ...(PLAIN_NAME.test(workflow) && { workflow }),
      ...(PLAIN_NAME.test(trigger) && { trigger }),
      bytes,
    }
  }

  attempted(attempts: Attempts | undefined): void {
    this.#facts = { ...this.#facts, ...attempts }
  }

  entry(method: string, status: number, now: Date): LogEntry {
    const ms = now.getTime() - this.#start
    return { time: this.receivedAt, delivery: this.delivery, method, ...this.#facts, status, ms }
  }
}
