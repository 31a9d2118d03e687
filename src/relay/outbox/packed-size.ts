import { Deflate } from 'fflate/browser'

/** Bytes of a gzip file besides what is deflated: RFC 1952, section 2.3. */
const AROUND = 18

/**
 * How large texts are when they are gzipped together: known as they come, by a running deflate, never
 * by packing all of them again. It is flushed only where that decides something, since each flush
 * costs some bytes; so the size is at most what it says, and a few percent less.
 *
 * By a library in JavaScript on every runtime: Node's zlib flushes only by way of another thread, and
 * the `CompressionStream` of workers not at all.
 */
export class PackedSize {
  /** Compressed bytes so far. */
  #flushed: number
  /** Bytes that are not compressed yet, counted in full. */
  #left: Uint8Array[] = []
  #leftBytes = 0
  #deflate: Deflate | undefined

  /** @param known bytes of what was packed before, whose texts are no longer at hand */
  constructor(known = AROUND) {
    this.#flushed = known
  }

  /** Bytes, at most. */
  get bytes(): number {
    return this.#flushed + this.#leftBytes
  }

  /** @returns false where all would be more than `most` bytes; then it is of no use any more */
  add(text: Uint8Array, most: number): boolean {
    if (this.bytes + text.length > most) this.#flush()
    this.#left.push(text)
    this.#leftBytes += text.length
    if (this.bytes > most) this.#flush()
    return this.bytes <= most
  }

  /** Lets go of what it holds: what comes then is packed as if by itself. */
  release(): void {
    this.#flush()
    this.#deflate = undefined
  }

  #flush(): void {
    if (this.#leftBytes === 0) return
    this.#deflate ??= new Deflate({ level: 6 }, (piece) => {
      this.#flushed += piece.length
    })
    for (const text of this.#left) this.#deflate.push(text)
    this.#deflate.flush(true)
    this.#left = []
    this.#leftBytes = 0
  }
}
