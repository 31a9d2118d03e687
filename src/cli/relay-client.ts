import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { http, httpFailure, proxyFor } from '../action/http-client.ts'
import { withoutSecret } from '../triggers/messaging-bot/bot-api.ts'
import { baseAddress, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github-api.ts'
import { HttpFailure, type HttpResponse } from '../wire/http.ts'
import { isObject, type Json, parseJson } from '../wire/json.ts'
import { printable } from '../wire/printable.ts'
import { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { unreachableHint } from './request-faults.ts'

/** Milliseconds until a response. */
const TIMEOUT = 30_000

/** The same for a request that changes many events. */
const LONG_TIMEOUT = 600_000

/** Path of the list of events. */
export const LIST = '/outbox'

/** A request to the admin API of a relay. */
export interface AdminRequest {
  readonly method: string
  /** After the address of the relay. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly body?: object
  /** True if it changes many events. */
  readonly isBulk?: boolean
}

/** The admin API of a relay; the key is in `HOOKLINE_RELAY_KEY`. */
export class RelayClient {
  readonly #base: string
  readonly #key: string
  /** Host and port, for messages. */
  readonly host: string

  /**
   * @param key in place of `HOOKLINE_RELAY_KEY`
   * @throws UserError for an invalid address, or without a key
   */
  constructor(relay: string, key = readSetting(process.env, 'HOOKLINE_RELAY_KEY')) {
    this.#base = baseAddress(readAddress(relay, RELAY_ADDRESS))
    this.host = new URL(this.#base).host
    if (!key) {
      throw new UserError({
        message: 'HOOKLINE_RELAY_KEY is not set',
        hint: 'Set HOOKLINE_RELAY_KEY to the value that the relay has.',
      })
    }
    this.#key = key.reveal()
  }

  /** The address of a path at the relay. */
  at(path: string): string {
    return this.#base + path
  }

  /** @throws UserError if the relay refuses the request, or does not respond */
  async ask(question: AdminRequest): Promise<Json> {
    const { method, body, isBulk = false } = question
    const request = {
      method,
      url: this.#url(question),
      headers: { ...this.#headers(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }
    const reply = await http({ ...request, timeout: isBulk ? LONG_TIMEOUT : TIMEOUT }).catch(
      (cause) => this.#unreachable(cause),
    )
    if (reply.status !== 200) throw this.#refusal(reply, question)
    try {
      return parseJson(reply.text)
    } catch {
      throw notARelay()
    }
  }

  /**
   * Streams a response into a new file that only the user can read.
   *
   * @returns its bytes
   * @throws UserError if the relay refuses it, if the connection ends early, or for the file
   */
  async download(path: string, file: string): Promise<number> {
    if (existsSync(file)) throw notWritten(file)
    const { default: fetch } = await import('node-fetch')
    const url = this.#url({ method: 'GET', path })
    const agent = await proxyFor(new URL(url))
    const stop = new AbortController()
    const idle = setTimeout(() => stop.abort(), TIMEOUT)
    const [part, headers] = [`${file}.part`, { 'user-agent': 'hookline', ...this.#headers() }]
    try {
      const options = { headers, signal: stop.signal, redirect: 'manual', agent } as const
      const answer = await fetch(url, options)
      const { status, body } = answer
      if (status !== 200 || !body) {
        throw this.#refusal({ status, headers: {}, text: await answer.text() }, { path })
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

  #url({ path, query = {} }: AdminRequest): string {
    const url = new URL(this.#base + path)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return url.href
  }

  #headers() {
    return { authorization: `Bearer ${this.#key}` }
  }

  #unreachable(cause: unknown): never {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(cause, 'Check that the relay is running.')
    throw new UserError({ message: `${this.host}: ${cause.message}`, hint }, { cause })
  }

  /** The refusal in words for the user of this command. */
  #refusal(reply: HttpResponse, { path }: Pick<AdminRequest, 'path'>): UserError {
    const { error } = fieldsOf(reply)
    const { code, message, hint } = isObject(error) ? error : {}
    if (typeof message !== 'string' || typeof hint !== 'string') {
      return new UserError({
        message: `${this.host} is not a relay (status ${reply.status})`,
        hint: 'Check --relay: give the address of the relay without a path.',
      })
    }
    if (code === 'invalid_key') {
      return new UserError({
        message: `the relay at ${this.host} does not accept the admin key`,
        hint: 'Set HOOKLINE_RELAY_KEY to the value that this relay has.',
      })
    }
    // This path exists if the admin API is enabled.
    if (code === 'not_found' && path === LIST) {
      return new UserError({
        message: `the admin API of the relay at ${this.host} is disabled`,
        hint: 'Set HOOKLINE_RELAY_KEY on the relay, restart it, and use the same key here.',
      })
    }
    // A server that is no relay may repeat the key.
    const hidden = (text: string) => printable(withoutSecret(text, new Secret(this.#key)))
    return new UserError({ message: hidden(message), hint: hidden(hint) })
  }
}

/** The response is not the JSON of a relay. */
export function notARelay(): UserError {
  return new UserError({
    message: 'the server is not a relay with an outbox',
    hint: 'Check --relay: give the address of the relay without a path.',
  })
}

/** True for an error of the file that is written. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** A backup never replaces an existing file. */
function notWritten(file: string, cause?: NodeJS.ErrnoException): UserError {
  if (!cause) {
    return new UserError({ message: `${file} is there already`, hint: 'name another file' })
  }
  return new UserError(
    {
      message: `${file} cannot be written (${cause.code})`,
      hint: 'name a file in a folder that is there, with room in it',
    },
    { cause },
  )
}
