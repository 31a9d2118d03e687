import { forwardedHeaders } from '../../wire/headers.ts'
import type { RelayRequest } from '../../wire/http.ts'
import { parseWebhookPath, type Repository } from '../../wire/path.ts'
import type { RecordedRequest } from '../delivery/event-record.ts'
import type { Attempts } from '../errors.ts'
import type { Credential } from '../github/credential.ts'
import { isInBody, type ReceivedBody, redactHeaders } from '../github/payload.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'

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
  /** Why the database has the event: an error code, `queued`, `stored` or `batch`. */
  readonly queued?: string | undefined
  /** The sender hung up before the response. */
  readonly clientGone?: true | undefined
  readonly ms: number
  /** Bytes of the received body. */
  readonly bytes: number | undefined
}

/** Other names could be anything, a mistaken token too. */
const PLAIN_NAME = /^[\w.-]{1,100}$/

/** Gathers, while a request is handled, what its line in the log and its record will say. */
export class RequestLog {
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  readonly #start: number
  repository: Repository | undefined
  /** Without tokens. */
  path = ''
  credential: Credential | undefined
  endpoint: Endpoint | undefined
  body: ReceivedBody | undefined
  /** Size of the received body. */
  bytes: number | undefined
  attempts: Attempts | undefined
  code: string | undefined
  hint: string | undefined
  filtered: 'true' | 'error' | undefined
  condition: 'error' | undefined
  /** Without values of the event, which a log must not contain. */
  reason: string | undefined
  clientGone: true | undefined

  constructor(delivery: string, now: Date) {
    this.delivery = delivery
    this.receivedAt = now.toISOString()
    this.#start = now.getTime()
  }

  /** Unknown values are `undefined`, which JSON leaves out. */
  entry(method: string, status: number, now: Date): LogEntry {
    const { workflow, trigger } = parseWebhookPath(this.path)
    return {
      time: this.receivedAt,
      delivery: this.delivery,
      method,
      owner: this.repository?.owner,
      repo: this.repository?.name,
      workflow: plainName(workflow),
      trigger: plainName(trigger),
      endpoint: this.endpoint?.name,
      bytes: this.bytes,
      tries: this.attempts?.tries,
      githubStatus: this.attempts?.githubStatus,
      filtered: this.filtered === 'true' ? true : this.filtered,
      condition: this.condition,
      reason: this.reason,
      run: this.attempts?.run,
      queued: this.attempts?.queued,
      clientGone: this.clientGone,
      status,
      code: this.code,
      hint: this.hint,
      ms: now.getTime() - this.#start,
    }
  }

  /**
   * The record of a request to an endpoint that was refused or filtered; `undefined` for any other request.
   *
   * @param status of the response
   */
  record(request: RelayRequest, status: number): RecordedRequest | undefined {
    const isRefused = this.code !== undefined && status < 500
    if (!this.endpoint || !(isRefused || this.filtered)) return undefined
    const { secrets = [], githubToken } = this.credential ?? {}
    const tokens = { secrets, ...(githubToken && { githubToken }) }
    const { target, method, headers } = request
    const body = this.body && !isInBody(this.body, githubToken) ? this.body.bytes : NO_BYTES
    return {
      state: isRefused ? 'refused' : 'filtered',
      delivery: this.delivery,
      endpoint: this.endpoint,
      target,
      method,
      path: this.path,
      receivedAt: this.receivedAt,
      headers: redactHeaders(forwardedHeaders(headers), tokens),
      body,
      size: this.bytes ?? 0,
      reason: this.code ?? 'if',
      explanation: this.reason,
    }
  }
}

const NO_BYTES = new Uint8Array()

function plainName(name: string): string | undefined {
  return PLAIN_NAME.test(name) ? name : undefined
}
