import type { RelayResponse } from '../../wire/http.ts'
import { bodiesFull, bodyTooLarge, RelayError } from '../errors.ts'
import { type BodyCipher, bodyCipher, hashOfBody } from '../store/body-cipher.ts'
import { type BodyRegistry, PIECE_BYTES, type PieceStore, piecesOf } from '../store/body-store.ts'
import type { BodyReference, BodyUpload, LargeBodies } from '../store/large-bodies.ts'

/** SHA-256 of bytes that come one after another; each runtime has its own. */
export interface StreamedHash {
  update(bytes: Uint8Array): Promise<void>
  /** In hexadecimal digits. */
  digest(): Promise<string>
}

interface StoredBodiesOptions {
  readonly registry: BodyRegistry
  readonly pieces: PieceStore
  /** The most bytes of one body. */
  readonly most: number
  /** The most bytes of all bodies together. */
  readonly quota: number
  /** Address of the relay as the action reaches it. */
  readonly publicUrl: string
  /** Milliseconds since 1970. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  newHash(): StreamedHash
  report(error: unknown): void
}

/** Stores large bodies encrypted, in pieces, on any runtime. */
export function storedBodies(options: StoredBodiesOptions): LargeBodies {
  const inTurn = oneAtATime(options)
  const base = options.publicUrl.replace(/\/+$/, '')
  return {
    most: options.most,
    begin: (delivery) => new Upload({ ...options, base, delivery, inTurn }),
    serve: (method, path) => serveBody(method, path, options),
  }
}

/** Milliseconds in which any body is inspected. */
const LONGEST_TURN = 60_000

/** Milliseconds between two looks whether it is one's turn. */
const TURN_INTERVAL = 50

/**
 * Runs one work at a time. Workers may cancel a request whose client is gone, and its promises are then never
 * settled: so nobody waits for the work of another request, but only until its turn is over.
 */
function oneAtATime({ now, sleep }: Pick<StoredBodiesOptions, 'now' | 'sleep'>) {
  let current: { readonly begun: number } | undefined
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
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

interface UploadPorts extends StoredBodiesOptions {
  /** Address of the relay without a slash at the end. */
  readonly base: string
  readonly delivery: string
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
}

class Upload implements BodyUpload {
  readonly #ports: UploadPorts
  readonly #id = randomId()
  readonly #digest: StreamedHash
  readonly #piece = new Uint8Array(PIECE_BYTES)
  /** Bytes in `#piece`. */
  #filled = 0
  /** Pieces that are stored. */
  #pieces = 0
  #bytes = 0
  #begun: Promise<{ readonly hash: string; readonly cipher: BodyCipher }> | undefined
  #writing: Promise<void> | undefined
  #isEnded = false

  constructor(ports: UploadPorts) {
    this.#ports = ports
    this.#digest = ports.newHash()
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#writing = this.#write(chunk)
    return this.#writing
  }

  async #write(chunk: Uint8Array): Promise<void> {
    const { most } = this.#ports
    if (this.#bytes + chunk.length > most) throw bodyTooLarge(most)
    this.#bytes += chunk.length
    await this.#digest.update(chunk)
    for (let at = 0; at < chunk.length; ) {
      // A full piece waits for a further byte, because the last piece has a mark.
      if (this.#filled === PIECE_BYTES) await this.#store(false)
      const part = chunk.subarray(at, at + PIECE_BYTES - this.#filled)
      this.#piece.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
    }
  }

  async finish(): Promise<BodyReference> {
    const { pieces, base } = this.#ports
    await this.#store(true)
    await stored(async () => {
      const { hash } = await this.#begin()
      await pieces.sync(hash)
    })
    return {
      bodyUrl: `${base}/-/bodies/${this.#id}`,
      bodySha256: await this.#digest.digest(),
      bodyLength: this.#bytes,
    }
  }

  inspect<Result>(use: (bytes: Uint8Array) => Promise<Result>): Promise<Result> {
    const { inTurn, pieces } = this.#ports
    return inTurn(async () => {
      const { hash, cipher } = await this.#begin()
      const whole = new Uint8Array(this.#bytes)
      let at = 0
      for await (const piece of openedPieces(pieces, hash, cipher, this.#bytes)) {
        whole.set(piece, at)
        at += piece.length
      }
      return use(whole)
    })
  }

  async publish(): Promise<void> {
    await stored(async () => {
      const { hash } = await this.#begin()
      await this.#ports.registry.publish(hash)
    })
  }

  keep(): void {
    this.#isEnded = true
  }

  async discard(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    const { pieces, registry, report } = this.#ports
    try {
      // A request may end while a piece of it is being stored.
      await this.#writing?.catch(() => {})
      if (!this.#begun) return
      const { hash } = await this.#begun
      // A piece that fails to be stored may be there in part.
      await pieces.delete(hash, this.#pieces + 1)
      await registry.delete(hash)
    } catch (error) {
      report(error)
    }
  }

  #begin() {
    this.#begun ??= this.#register()
    return this.#begun
  }

  async #register() {
    const { registry, delivery, now } = this.#ports
    const hash = await hashOfBody(this.#id)
    await registry.add({ hash, delivery, created: now() })
    return { hash, cipher: await bodyCipher(this.#id) }
  }

  /** Stores the piece in memory. @throws RelayError 503 */
  async #store(isLast: boolean): Promise<void> {
    const { registry, pieces, quota } = this.#ports
    await stored(async () => {
      const { hash, cipher } = await this.#begin()
      if (!(await registry.reserve(hash, this.#filled, quota))) throw bodiesFull()
      const plain = this.#piece.subarray(0, this.#filled)
      await pieces.put(hash, this.#pieces, await cipher.seal(plain, this.#pieces, isLast))
    })
    this.#pieces++
    this.#filled = 0
  }
}

/** @throws RelayError 503 in place of an error of the storage */
async function stored(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw cause instanceof RelayError ? cause : bodiesFull(cause)
  }
}

/** 256 bits in base64url. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
}

async function* openedPieces(pieces: PieceStore, hash: string, cipher: BodyCipher, bytes: number) {
  const count = piecesOf(bytes)
  for (let number = 0; number < count; number++) {
    yield await cipher.open(await pieces.get(hash, number), number, number === count - 1)
  }
}

const ADDRESS = /^\/-\/bodies\/([\w-]{43})$/

/** The same for every reason, so that nobody can find out which bodies there are. */
const NOT_FOUND: RelayResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'not found\n',
}

async function serveBody(
  method: string,
  path: string,
  { registry, pieces, report }: StoredBodiesOptions,
): Promise<RelayResponse> {
  const [, id] = ADDRESS.exec(path) ?? []
  if (method !== 'GET' || id === undefined) return NOT_FOUND
  try {
    const hash = await hashOfBody(id)
    const length = await registry.find(hash)
    if (length === null) return NOT_FOUND
    const opened = openedPieces(pieces, hash, await bodyCipher(id), length)
    // A body that is damaged is noticed before the status is sent, at its first piece.
    const first = await opened.next()
    return {
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
      body: '',
      stream: withFirst(first.done ? [] : [first.value], opened),
    }
  } catch (error) {
    report(error)
    return NOT_FOUND
  }
}

async function* withFirst(first: readonly Uint8Array[], others: AsyncIterable<Uint8Array>) {
  yield* first
  yield* others
}
