import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { http, httpFailure, proxyFor } from '../action/http-client.ts'
import { withoutSecret } from '../triggers/messaging-bot/bot-api.ts'
import { baseAddress } from '../wire/address.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github-api.ts'
import type { HttpResponse } from '../wire/http.ts'
import { isObject, tryParseJson } from '../wire/json.ts'
import { printable } from '../wire/printable.ts'
import type { Secret } from '../wire/secret.ts'
import { unreachable } from './request-faults.ts'
import { withProgress } from './terminal.ts'

/** Milliseconds until a response. */
const TIMEOUT = 30_000

/** The same for a request that changes many deliveries. */
const LONG_TIMEOUT = 600_000

interface AdminRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** After `/-admin`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly body?: object
  /** True if it changes many deliveries. */
  readonly isBulk?: boolean
}

/** The bearer of the admin API, and where it comes from. */
export interface RelayAccess {
  readonly bearer: Secret
  /** A variable or a file, for errors. */
  readonly source: string
  /** True for a GitHub token, which manages only the endpoints that store it. */
  readonly isToken: boolean
}

/** A response of the admin API. */
export type AdminAnswer = Readonly<Record<string, unknown>>

/** A refusal of the admin API, with the code that programs read. */
export class RelayRefusal extends UserError {
  readonly code: string

  constructor(code: string, problem: Problem) {
    super(problem)
    this.code = code
  }
}

/** The admin API of a relay. */
export class RelayClient {
  readonly #base: string
  readonly access: RelayAccess
  /** Host and port, for messages. */
  readonly host: string

  constructor(address: URL, access: RelayAccess) {
    this.#base = baseAddress(address)
    this.access = access
    this.host = address.host
  }

  /** The address of the relay, without a slash at the end. */
  get address(): string {
    return this.#base
  }

  /** A URL of the relay: itself, or a path if the relay does not know its own address. */
  at(url: string): string {
    return url.startsWith('/') ? this.#base + url : url
  }

  /** @throws RelayRefusal if the relay refuses the request; UserError if it does not respond */
  async ask(question: AdminRequest): Promise<AdminAnswer> {
    const { method, body, isBulk = false } = question
    const request = {
      method,
      url: this.#url(question),
      headers: { ...this.#headers(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      timeout: isBulk ? LONG_TIMEOUT : TIMEOUT,
    }
    const call = http(request).catch((cause) => this.#unreachable(cause))
    const reply = await withProgress(`asking ${this.host}`, call)
    // A server that is no relay may repeat the bearer.
    const text = withoutSecret(reply.text, this.access.bearer)
    const isAccepted = reply.status === 200 || reply.status === 201
    if (!isAccepted) throw this.#refusal({ ...reply, text })
    const answer = tryParseJson(text)
    if (!isObject(answer)) throw notARelay(this.host)
    return answer
  }

  /**
   * Streams a response into a new file that only the user can read.
   *
   * @param path after `/-admin`
   * @returns its bytes
   * @throws UserError if the relay refuses it, if the connection ends early, or for the file
   */
  async download(path: string, file: string): Promise<number> {
    if (existsSync(file)) throw notWritten(file)
    const { default: fetch } = await import('node-fetch')
    const url = this.#url({ path })
    const agent = await proxyFor(new URL(url))
    const stop = new AbortController()
    const idle = setTimeout(() => stop.abort(), TIMEOUT)
    const [part, headers] = [`${file}.part`, { 'user-agent': 'hookline', ...this.#headers() }]
    try {
      const options = { headers, signal: stop.signal, redirect: 'manual', agent } as const
      const answer = await fetch(url, options)
      const { status, body } = answer
      if (status !== 200 || !body) {
        const text = withoutSecret(await answer.text(), this.access.bearer)
        throw this.#refusal({ status, headers: {}, text })
      }
      const target = createWriteStream(part, { mode: 0o600, flush: true })
      body.on('data', () => idle.refresh())
      await pipeline(body, target)
      await rename(part, file)
      return target.bytesWritten
    } catch (error) {
      if (error instanceof UserError) throw error
      if (isFileError(error)) throw notWritten(file, error)
      return this.#unreachable(httpFailure(error, stop.signal.aborted, agent))
    } finally {
      clearTimeout(idle)
      await rm(part, { force: true })
    }
  }

  #url({ path, query = {} }: Pick<AdminRequest, 'path' | 'query'>): string {
    const url = new URL(`${this.#base}/-admin${path}`)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return url.href
  }

  #headers() {
    return { authorization: `Bearer ${this.access.bearer.reveal()}` }
  }

  #unreachable(cause: unknown): never {
    const direct =
      'Check that the relay is running, or name the address of another one: --relay <url>'
    throw unreachable(cause, this.host, direct)
  }

  /** The refusal in words for the user of this command. */
  #refusal(reply: HttpResponse): UserError {
    const { error } = fieldsOf(reply)
    const { code, message, hint } = isObject(error) ? error : {}
    if (typeof message !== 'string' || typeof hint !== 'string') {
      return notARelay(this.host, reply.status)
    }
    if (code === 'invalid_key') return wrongBearer(this.host, this.access)
    const problem = { message: printable(message), hint: printable(hint) }
    return new RelayRefusal(String(code), problem)
  }
}

export const SET_RELAY_KEY =
  "Set HOOKLINE_RELAY_KEY to the output of this command on the relay's machine: hookline relay key"

/** A key from a file is that of the relay on this machine, which reads the file at its start, unless its own variable is set. */
function wrongBearer(host: string, { source, isToken }: RelayAccess): RelayRefusal {
  const ofKey =
    source === 'HOOKLINE_RELAY_KEY'
      ? SET_RELAY_KEY
      : 'Restart the relay, which reads this file when it starts. If HOOKLINE_RELAY_KEY is set for the relay, set it for this command too.'
  const hint = isToken
    ? 'Start the relay with --allow-tokens, or set HOOKLINE_RELAY_KEY to the output of this command on its machine: hookline relay key'
    : ofKey
  return new RelayRefusal('invalid_key', {
    message: `the relay at ${host} does not accept ${source}`,
    hint,
  })
}

/** The response is not the JSON of a relay. */
export function notARelay(host: string, status = 200): UserError {
  return new UserError({
    message: `${host} is not a relay with a database (status ${status})`,
    hint: 'Check --relay: give the address of the relay without a path.',
  })
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** A backup never replaces an existing file. */
function notWritten(file: string, cause?: NodeJS.ErrnoException): UserError {
  if (!cause)
    return new UserError({ message: `${file} exists already`, hint: 'Name another file.' })
  return new UserError(
    {
      message: `${file} cannot be written (${cause.code})`,
      hint: 'Name a file in a folder that exists, on a disk with free space.',
    },
    { cause },
  )
}
