import { parseWebhookPath, type WebhookPath } from '../../wire/path.ts'
import type { Attempts, RelayError } from '../errors.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import type { Repository } from './url.ts'

/** One line of the log. Nothing but these fields: no URL, no header, no body. */
export interface LogEntry {
  /** When the request came: ISO 8601, UTC. */
  readonly time: string
  readonly delivery: string
  readonly method: string
  readonly owner: string | undefined
  readonly repo: string | undefined
  readonly workflow: string | undefined
  readonly trigger: string | undefined
  /** Name of the endpoint that the URL named. */
  readonly endpoint?: string | undefined
  readonly status: number
  /** The code of the error in the response: `missing_token`. */
  readonly code?: string | undefined
  readonly githubStatus: number | undefined
  readonly tries: number | undefined
  /** Why what was accepted may start nothing: `no_trigger`. */
  readonly hint?: string | undefined
  /** The condition of the endpoint dropped the event: it is false, or it could not be evaluated. */
  readonly filtered?: true | 'error' | undefined
  /** `error` if the condition of the endpoint could not be evaluated, whether or not it was dropped. */
  readonly condition?: 'error' | undefined
  /** The condition that the event did not meet, without values of the event: `if: …`, `verify: …`. */
  readonly reason?: string | undefined
  /** Page of the run that was started. */
  readonly run?: string | undefined
  /** Why the outbox has the event: an error code, `queued` or `batch`. */
  readonly queued?: string | undefined
  /** Id of the batch that took it. */
  readonly batch?: string | undefined
  readonly ms: number
  /** Bytes of the received body. */
  readonly bytes: number | undefined
}

/** Other names could be anything, a mistaken token too. */
const PLAIN_NAME = /^[\w.-]{1,100}$/

/** Gathers, while a request is handled, what its line in the log will say. */
export class RequestLog {
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  readonly #start: number
  #repository: Repository | undefined
  #path: WebhookPath | undefined
  #bytes: number | undefined
  #attempts: Attempts | undefined
  #code: string | undefined
  #hint: string | undefined
  #filtered: true | 'error' | undefined
  #condition: 'error' | undefined
  #endpoint: Pick<Endpoint, 'owner' | 'name'> | undefined
  #reason: string | undefined

  constructor(delivery: string, now: Date) {
    this.delivery = delivery
    this.receivedAt = now.toISOString()
    this.#start = now.getTime()
  }

  /** @param path only after the tokens are scrubbed from it */
  addressed(repository: Repository, path: string): void {
    this.#repository = repository
    this.#path = parseWebhookPath(path)
  }

  /** @param endpoint `undefined` for another URL */
  usedEndpoint(endpoint: Pick<Endpoint, 'owner' | 'name'> | undefined): void {
    this.#endpoint = endpoint
  }

  get endpoint(): Pick<Endpoint, 'owner' | 'name'> | undefined {
    return this.#endpoint
  }

  received(bytes: number): void {
    this.#bytes = bytes
  }

  attempted(attempts: Attempts | undefined): void {
    this.#attempts = attempts
  }

  refused({ code, attempts }: RelayError): void {
    this.#code = code
    this.#attempts = attempts
  }

  hinted(hint: string | undefined): void {
    this.#hint = hint
  }

  filtered(reason: 'true' | 'error'): void {
    this.#filtered = reason === 'error' ? 'error' : true
  }

  /** @param reason without values of the event, which a log must not contain */
  explained(reason: string | undefined): void {
    this.#reason = reason
  }

  conditionFailed(): void {
    this.#condition = 'error'
  }

  /** Unknown values are `undefined`, which JSON leaves out. */
  entry(method: string, status: number, now: Date): LogEntry {
    return {
      time: this.receivedAt,
      delivery: this.delivery,
      method,
      owner: this.#repository?.owner,
      repo: this.#repository?.name,
      workflow: plainName(this.#path?.workflow),
      trigger: plainName(this.#path?.trigger),
      endpoint: this.#endpoint?.name,
      bytes: this.#bytes,
      tries: this.#attempts?.tries,
      githubStatus: this.#attempts?.githubStatus,
      filtered: this.#filtered,
      condition: this.#condition,
      reason: this.#reason,
      run: this.#attempts?.run,
      queued: this.#attempts?.queued,
      batch: this.#attempts?.batch,
      status,
      code: this.#code,
      hint: this.#hint,
      ms: now.getTime() - this.#start,
    }
  }
}

function plainName(name: string | undefined): string | undefined {
  return name !== undefined && PLAIN_NAME.test(name) ? name : undefined
}
