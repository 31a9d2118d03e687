import { base64url, type CryptoKey } from 'jose'
import { toHex } from '../../wire/bytes.ts'
import type { RelayResponse } from '../../wire/http.ts'
import { isOwner } from '../../wire/path.ts'
import { bodyTooLarge, RelayError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { type BodyStore, CHUNK_BYTES, type NewBody } from './body-table.ts'

/** What an event says of a body that the relay stores, in place of the body. */
export interface BodyReference {
  /** Anyone with this address can read the body. */
  readonly bodyUrl: string
  /** In hexadecimal digits. */
  readonly bodySha256: string
  /** Bytes. */
  readonly bodyLength: number
}

/** A request whose body is too large for an event. */
export interface BodyRequest extends Omit<NewBody, 'hash' | 'created'> {
  /**
   * Whether the relay stores its body: for an endpoint, and for a token that GitHub accepted for the
   * repository within the last 30 days.
   */
  mayStore(): Promise<boolean>
}

export interface BodyStorage {
  readonly most: number
  begin(): BodyUpload
}

/** SHA-256 of bytes that come one after another; each runtime has its own. */
export interface StreamedHash {
  update(bytes: Uint8Array): Promise<void>
  /** In hexadecimal digits. */
  digest(): Promise<string>
}

export interface LargeBodiesParts extends Pick<Runtime, 'now' | 'report'> {
  /** The bodies of an owner: on Workers, each owner has an object. */
  storeOf(owner: string): BodyStore
  readonly most: number
  /** Address of the relay as the action reaches it. */
  readonly publicUrl: string
  sleep(milliseconds: number): Promise<void>
  newHash(): StreamedHash
}

/** The path of a stored body. The id of an endpoint has 22 characters, so no endpoint has this path. */
export const BODY_PATH = /^\/-\/[^/]+\/bodies(?:\/|$)/

/** 256 random bits in base64url. */
const ADDRESS = /^\/-\/([^/]+)\/bodies\/([\w-]{43})$/

/**
 * Stores bodies that are too large for an event, until the action has fetched them: encrypted, in chunks, on
 * any runtime. The event contains the address of its body.
 */
export class LargeBodies {
  readonly #parts: LargeBodiesParts
  readonly #base: string
  readonly #inTurn: InTurn

  constructor(parts: LargeBodiesParts) {
    this.#parts = parts
    this.#base = parts.publicUrl.replace(/\/+$/, '')
    this.#inTurn = oneAtATime(parts)
  }

  get most(): number {
    return this.#parts.most
  }

  storageFor(request: BodyRequest): BodyStorage {
    const { most } = this.#parts
    const address = `${this.#base}/-/${request.owner}/bodies/`
    const parts = { ...this.#parts, address, request, inTurn: this.#inTurn }
    return { most, begin: () => new BodyUpload(parts) }
  }

  /** The response to a request for a stored body. Never rejects. */
  async serve(method: string, path: string): Promise<RelayResponse> {
    const { storeOf, report } = this.#parts
    const [, owner = '', id = ''] = ADDRESS.exec(path) ?? []
    if (method !== 'GET' || !isOwner(owner) || owner !== owner.toLowerCase()) return NOT_FOUND
    try {
      const store = storeOf(owner)
      const hash = await hashOfBody(owner, id)
      const length = await store.find(hash)
      if (length === null) return NOT_FOUND
      const chunks = decryptedChunks(store, hash, await bodyKey(id), length)
      // A body that is damaged is noticed before the status is sent, at its first chunk.
      const first = await chunks.next()
      return {
        status: 200,
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
        body: '',
        stream: withFirst(first.done ? [] : [first.value], chunks),
      }
    } catch (error) {
      report(error)
      return NOT_FOUND
    }
  }
}

/** The same for every reason, so that nobody can find out which bodies there are. */
const NOT_FOUND: RelayResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'not found\n',
}

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Milliseconds in which any body is inspected. */
const LONGEST_TURN = 60_000

/** Milliseconds between two looks whether it is one's turn. */
const TURN_INTERVAL = 50

/**
 * Runs one work at a time. Workers may cancel a request whose client is gone, and its promises are then never
 * settled: so nobody waits for the work of another request, but only until its turn is over.
 */
function oneAtATime({ now, sleep }: Pick<LargeBodiesParts, 'now' | 'sleep'>): InTurn {
  let current: { readonly begun: number } | undefined
  return async (work) => {
    while (current && now() - current.begun < LONGEST_TURN) await sleep(TURN_INTERVAL)
    const own = { begun: now() }
    current = own
    try {
      return await work()
    } finally {
      if (current === own) current = undefined
    }
  }
}

interface UploadParts extends LargeBodiesParts {
  /** The address without the random part. */
  readonly address: string
  readonly request: BodyRequest
  readonly inTurn: InTurn
}

interface OpenUpload {
  readonly store: BodyStore
  readonly hash: string
  readonly key: CryptoKey
}

/** A body that is being stored. Its request ends with `keep` or `discard`. */
export class BodyUpload {
  readonly #parts: UploadParts
  readonly #id = base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
  readonly #digest: StreamedHash
  #allowed: Promise<boolean> | undefined
  #chunk = new Uint8Array()
  /** Bytes in `#chunk`. */
  #filled = 0
  /** Chunks that are stored. */
  #chunks = 0
  #bytes = 0
  #begun: Promise<OpenUpload> | undefined
  #writing: Promise<void> | undefined
  #isEnded = false

  constructor(parts: UploadParts) {
    this.#parts = parts
    this.#digest = parts.newHash()
  }

  /**
   * Takes the next bytes. The caller waits before it writes further ones.
   *
   * @throws RelayError 413 if the body is too large, 503 if there is no room or the disk fails
   */
  write(bytes: Uint8Array): Promise<void> {
    this.#writing = this.#write(bytes)
    return this.#writing
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { most, request } = this.#parts
    this.#allowed ??= stored(() => request.mayStore())
    if (!(await this.#allowed)) throw bodyTooLarge()
    if (this.#bytes + bytes.length > most) throw bodyTooLarge(most)
    this.#bytes += bytes.length
    await this.#digest.update(bytes)
    if (this.#chunk.length === 0) this.#chunk = new Uint8Array(CHUNK_BYTES)
    for (let at = 0; at < bytes.length; ) {
      // A full chunk waits for a further byte, because the last chunk has a mark.
      if (this.#filled === CHUNK_BYTES) await this.#store(false)
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled)
      this.#chunk.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
    }
  }

  /**
   * Ends the body: all of it is stored, and cannot be read yet.
   *
   * @throws RelayError 503 if there is no room or the disk fails
   */
  async finish(): Promise<BodyReference> {
    await this.#store(true)
    this.#chunk = new Uint8Array()
    return {
      bodyUrl: this.#parts.address + this.#id,
      bodySha256: await this.#digest.digest(),
      bodyLength: this.#bytes,
    }
  }

  /** Reads the whole body. Memory holds only one such body, so a call may wait for another call. */
  inspect<Result>(use: (bytes: Uint8Array<ArrayBuffer>) => Promise<Result>): Promise<Result> {
    return this.#parts.inTurn(async () => {
      const whole = new Uint8Array(this.#bytes)
      let at = 0
      const { store, hash, key } = await this.#open()
      for await (const chunk of decryptedChunks(store, hash, key, this.#bytes)) {
        whole.set(chunk, at)
        at += chunk.length
      }
      return use(whole)
    })
  }

  /**
   * Makes the body readable at its address. To be called before GitHub can have the event: if the relay is
   * killed after this call, nobody knows whether GitHub has the event, and the body stays for 7 days.
   *
   * @throws RelayError 503 if the disk fails
   */
  async publish(): Promise<void> {
    await stored(async () => {
      const { store, hash } = await this.#open()
      await store.publish(hash)
    })
  }

  /** GitHub or the database has the event: the body stays until 7 days after GitHub accepted it. */
  keep(): void {
    this.#isEnded = true
  }

  /** Deletes the body, unless it is kept. Never rejects. */
  async discard(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    try {
      // A request may end while a chunk of it is being stored.
      await this.#writing?.catch(() => {})
      if (!this.#begun) return
      const { store, hash } = await this.#begun
      await store.delete(hash)
    } catch (error) {
      this.#parts.report(error)
    }
  }

  #open(): Promise<OpenUpload> {
    this.#begun ??= this.#begin()
    return this.#begun
  }

  async #begin(): Promise<OpenUpload> {
    const { storeOf, request: body, now } = this.#parts
    const { request, owner, endpoint, hasToken } = body
    const store = storeOf(owner)
    const hash = await hashOfBody(owner, this.#id)
    await store.begin({ hash, request, owner, endpoint, hasToken, created: now() })
    return { store, hash, key: await bodyKey(this.#id) }
  }

  async #store(isLast: boolean): Promise<void> {
    await stored(async () => {
      const { store, hash, key } = await this.#open()
      const number = this.#chunks++
      const chunk = this.#chunk.subarray(0, this.#filled)
      const encrypted = await crypto.subtle.encrypt(parameters(number, isLast), key, chunk)
      if (!(await store.put(hash, number, new Uint8Array(encrypted))))
        throw new RelayError('bodies_full')
      this.#filled = 0
    })
  }
}

/** @throws RelayError 503 if the storage fails */
async function stored<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof RelayError ? cause : new RelayError('bodies_full', { cause })
  }
}

/** @throws Error for a chunk that is damaged, or has another number */
async function* decryptedChunks(
  store: BodyStore,
  hash: string,
  key: CryptoKey,
  bytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const count = Math.max(1, Math.ceil(bytes / CHUNK_BYTES))
  for (let number = 0; number < count; number++) {
    const chunk = await store.chunk(hash, number)
    const isLast = number === count - 1
    yield new Uint8Array(await crypto.subtle.decrypt(parameters(number, isLast), key, chunk))
  }
}

async function* withFirst(first: readonly Uint8Array[], others: AsyncIterable<Uint8Array>) {
  yield* first
  yield* others
}

const ENCODER = new TextEncoder()

/**
 * The key of a body, which is derived from its address. The relay stores only a hash of the address, so the
 * storage alone does not reveal the body.
 *
 * @param id the random part of the address
 */
async function bodyKey(id: string): Promise<CryptoKey> {
  const { subtle } = crypto
  const secret = await subtle.importKey('raw', ENCODER.encode(id), 'HKDF', false, ['deriveKey'])
  const info = ENCODER.encode('hookline stored body')
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  const algorithm = { name: 'AES-GCM', length: 256 }
  return subtle.deriveKey(derivation, secret, algorithm, false, ['encrypt', 'decrypt'])
}

/**
 * A body is a sequence of chunks: each is the ciphertext of AES-256-GCM with its tag. The nonce is the number
 * of the chunk, and the last chunk is marked, so that no chunk can be missing or replaced.
 */
function parameters(number: number, isLast: boolean) {
  const iv = new Uint8Array(12)
  new DataView(iv.buffer).setUint32(8, number)
  return { name: 'AES-GCM', iv, additionalData: new Uint8Array([isLast ? 1 : 0]) }
}

/** The form of an address that the relay stores: of its owner and id, so that no other owner's address finds it. */
async function hashOfBody(owner: string, id: string): Promise<string> {
  return toHex(
    new Uint8Array(await crypto.subtle.digest('SHA-256', ENCODER.encode(`${owner}/${id}`))),
  )
}
