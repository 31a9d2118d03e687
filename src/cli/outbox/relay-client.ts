import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { http, httpFailure, proxyFor } from '../../action/http.ts'
import { withoutSecret } from '../../triggers/messaging-bot/bot-api.ts'
import { baseOf, RELAY_ADDRESS, readAddress } from '../../wire/address.ts'
import { UserError } from '../../wire/errors.ts'
import { fieldsOf } from '../../wire/github.ts'
import { HttpFailure, type HttpReply } from '../../wire/http.ts'
import { isObject, type Json, parseJson } from '../../wire/json.ts'
import { printable } from '../../wire/printable.ts'
import { Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import { unreachableHint } from '../http.ts'

/** Milliseconds for an answer. */
const TIMEOUT = 30_000

/** For what is done to many events at once. */
const LONG_TIMEOUT = 600_000

/** Where all events are. */
export const LIST = '/outbox'

/** What is asked of a relay, at one of the operator's addresses. */
export interface Question {
  readonly method: string
  /** Behind the relay's own address. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** It is about many events. */
  readonly isBulk?: boolean
}

/** The operator's side of a relay; the key is in `HOOKLINE_ADMIN_KEY`. */
export class RelayClient {
  readonly #base: string
  readonly #key: string
  /** With the port, for who reads. */
  readonly host: string

  /** @throws UserError where the address is none, or there is no key */
  constructor(relay: string) {
    this.#base = baseOf(readAddress(relay, RELAY_ADDRESS))
    this.host = new URL(this.#base).host
    const key = readSetting(process.env, 'HOOKLINE_ADMIN_KEY')
    if (!key) {
      throw new UserError({
        message: 'HOOKLINE_ADMIN_KEY is not set',
        hint: 'set it to the key that the relay was started with',
      })
    }
    this.#key = key.reveal()
  }

  /** @throws UserError for what the relay refuses, and when there is none */
  async ask(question: Question): Promise<Json> {
    const { method, isBulk = false } = question
    const request = { method, url: this.#url(question), headers: this.#headers() }
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
   * Writes what an address gives to a new file that the user alone may read, as it comes: it may be
   * large.
   *
   * @returns its bytes
   * @throws UserError for what the relay refuses, where it broke off, and for the file
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
      if (isOfFile(error)) throw notWritten(file, error)
      return this.#unreachable(httpFailure(error, stop.signal.aborted, agent))
    } finally {
      clearTimeout(idle)
      await rm(part, { force: true })
    }
  }

  #url({ path, query = {} }: Question): string {
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
    const hint = unreachableHint(cause, 'is the relay running there?')
    throw new UserError({ message: `${this.host}: ${cause.message}`, hint }, { cause })
  }

  /** What is wrong in words that help whoever runs the command: the relay speaks to who calls it. */
  #refusal(reply: HttpReply, { path }: Pick<Question, 'path'>): UserError {
    const { error } = fieldsOf(reply)
    const { code, message, hint } = isObject(error) ? error : {}
    if (typeof message !== 'string' || typeof hint !== 'string') {
      return new UserError({
        message: `${this.host} answers ${reply.status}, and is not a relay`,
        hint: 'check --relay: it is the address without a path',
      })
    }
    if (code === 'invalid_key') {
      return new UserError({
        message: `the relay at ${this.host} does not accept the key in HOOKLINE_ADMIN_KEY`,
        hint: 'set it to the key that this relay was started with',
      })
    }
    // Where there is an operator, this address is there.
    if (code === 'not_found' && path === LIST) {
      return new UserError({
        message: `the relay at ${this.host} shows an operator nothing`,
        hint: 'start it with HOOKLINE_ADMIN_KEY, and give this command the same key',
      })
    }
    // What is no relay may say again what it was brought.
    const hidden = (text: string) => printable(withoutSecret(text, new Secret(this.#key)))
    return new UserError({ message: hidden(message), hint: hidden(hint) })
  }
}

/** Where the answer is no JSON, or not the JSON that was asked for. */
export function notARelay(): UserError {
  return new UserError({
    message: 'what answered is not a relay with an outbox',
    hint: 'check --relay: it is the address without a path',
  })
}

/** Of the system, about the file that is written. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** A copy is made in case of need: one that is there already is not to be replaced by accident. */
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
