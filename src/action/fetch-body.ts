import { createHash } from 'node:crypto'
import { isLoopback } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { type ClientPayload, type FetchedPayload, HEADER } from '../wire/payload.ts'
import { sameText } from '../wire/secret.ts'
import { proxyFor } from './http-client.ts'

interface FetchOptions {
  /** The input `relay-url`; empty if it is not set. */
  readonly relayUrl: string
  mask(secret: string): void
  sleep(milliseconds: number): Promise<void>
}

/** Milliseconds for one attempt: 25 MB at a fifth of a MB a second. */
const TIMEOUT = 120_000

/** Pauses between attempts, in milliseconds. */
const PAUSES: readonly number[] = [1000, 5000]

/** A body that is longer than any relay stores by default is not read. */
const MOST_BYTES = 512 * 1024 * 1024

/** Header facts of a payload that say where its body is. */
const FACTS: ReadonlySet<string> = new Set([
  HEADER.bodyEncoding,
  HEADER.bodyUrl,
  HEADER.bodySha256,
  HEADER.bodyLength,
])

/**
 * The payload with the body that the relay stores for it, as if it had been part of the event. Anyone who may
 * dispatch an event can name an address, so only the relay in the input `relay-url` is asked.
 *
 * @throws UserError if the relay is not named, is another one, or returns another body
 */
export async function withFetchedBody(
  payload: ClientPayload,
  options: FetchOptions,
): Promise<FetchedPayload> {
  const { headers } = payload
  if (headers[HEADER.bodyEncoding] !== 'url') return payload
  const address = headers[HEADER.bodyUrl] ?? ''
  options.mask(address)
  const [, id] = BODY_ADDRESS.exec(address) ?? []
  if (id === undefined || !URL.canParse(address)) {
    throw invalid('the event has no valid address of its body')
  }
  options.mask(id)
  const { origin, hostname, protocol } = new URL(address)
  const relay = relayOrigin(options.relayUrl, origin)
  if (relay !== origin) {
    throw invalid(`the body of the event is at ${origin}, but "relay-url" is ${relay}`, [
      'if the relay has moved, change "relay-url"; otherwise the event does not come from your relay',
    ])
  }
  if (protocol !== 'https:' && !isLoopback(hostname)) {
    throw invalid('"relay-url" is not an https address', ['the relay needs a certificate'])
  }
  const bytes = await fetched(address, Number(headers[HEADER.bodyLength]), options)
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (!(await sameText(hash, headers[HEADER.bodySha256] ?? ''))) {
    throw invalid('the relay returned another body than the event names (SHA-256)')
  }
  const others = Object.entries(headers).filter(([name]) => !FACTS.has(name))
  return { ...payload, headers: Object.fromEntries(others), body: null, bytes }
}

const BODY_ADDRESS = /^https?:\/\/[^/?#@]+(?:\/[^?#]*)?\/-\/[a-z0-9._-]+\/bodies\/([\w-]{43})$/

/** @throws UserError that names the line to add */
function relayOrigin(relayUrl: string, origin: string): string {
  const text = relayUrl.trim()
  if (text === '') {
    throw invalid(
      'the body of this event is stored at the relay, and the input "relay-url" is not set',
      [`if ${origin} is your relay, add to "with:" of this step: relay-url: ${origin}`],
    )
  }
  if (URL.canParse(text)) return new URL(text).origin
  throw invalid('input "relay-url" is not an address', [
    'example: relay-url: https://relay.example.com',
  ])
}

/** @throws UserError */
async function fetched(
  address: string,
  length: number,
  { sleep }: FetchOptions,
): Promise<Uint8Array> {
  // node-fetch takes a limit of 0 as none.
  if (!Number.isInteger(length) || length < 1 || length > MOST_BYTES) {
    throw invalid('the event has no valid length of its body')
  }
  for (let attempt = 0; ; attempt++) {
    const found = await attemptToFetch(address, length)
    if (typeof found !== 'string') return found
    const pause = PAUSES[attempt]
    if (pause === undefined) throw invalid(found)
    await sleep(pause)
  }
}

/**
 * @returns the body; or the fault, if another attempt may succeed
 * @throws UserError for any other fault
 */
async function attemptToFetch(address: string, length: number): Promise<Uint8Array | string> {
  const { default: fetch } = await import('node-fetch')
  const url = new URL(address)
  try {
    const agent = await proxyFor(url)
    const signal = AbortSignal.timeout(TIMEOUT)
    // A redirect would lead to an address that nobody named, so none is followed.
    const response = await fetch(address, { agent, signal, size: length, redirect: 'manual' })
    const { status } = response
    const fault = `the relay responds with status ${status} for the body`
    if (status >= 500) return fault
    if (status === 404) {
      throw invalid('the relay does not have the body of this event any more', [
        'it stores a body for 7 days after GitHub accepted the event',
      ])
    }
    if (status !== 200) throw invalid(fault)
    const bytes = await bodyOf(response.body, length)
    if (bytes) return bytes
  } catch (error) {
    if (error instanceof UserError) throw error
    const isOtherLength = isObject(error) && error.type === 'max-size'
    // The message of the library contains the address, which is a secret.
    if (!isOtherLength) return `the body could not be read from the relay at ${url.origin}`
  }
  throw invalid('the relay returned another body than the event names (length)')
}

/** Reads a body into one array, because joining its chunks takes its size twice more. */
async function bodyOf(
  chunks: AsyncIterable<string | Uint8Array> | null,
  length: number,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(length)
  let at = 0
  for await (const chunk of chunks ?? []) {
    if (typeof chunk === 'string' || at + chunk.length > length) return undefined
    bytes.set(chunk, at)
    at += chunk.length
  }
  return at === length ? bytes : undefined
}

function invalid(message: string, notes: readonly string[] = []): UserError {
  return new UserError({ message, notes })
}
