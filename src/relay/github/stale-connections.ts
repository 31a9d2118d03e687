import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { errors } from 'undici'

/**
 * Said of every request right after its `onRequestStart`, and the one way to learn its connection.
 *
 * @see https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
const REQUEST_STARTS = 'undici:client:sendHeaders'

/** An end that comes in less than this part of the fastest answer was on its way before the request. */
const TOO_SOON = 0.8

/**
 * Tells whether the platform ended a kept connection while a request was on its way to it: then
 * nobody has read the request, and it may be sent again.
 */
export class StaleConnectionDetector {
  /** Milliseconds of the fastest answer so far. */
  #fastest = Infinity
  /** The request that is about to be written to a connection. */
  #starting: RequestOnConnection | undefined

  constructor() {
    subscribe(REQUEST_STARTS, this.#atStart)
  }

  close(): void {
    unsubscribe(REQUEST_STARTS, this.#atStart)
  }

  /** To be called in `onRequestStart` of a request. */
  requestStarts(): RequestOnConnection {
    this.#starting = { start: performance.now(), readBefore: 0 }
    return this.#starting
  }

  answerStarts({ start }: RequestOnConnection): void {
    this.#fastest = Math.min(this.#fastest, performance.now() - start)
  }

  /**
   * Whether a request failed since its connection was ended before: without a byte of an answer,
   * sooner than the platform has ever answered.
   */
  wasStale({ start, readBefore }: RequestOnConnection, cause: Error): boolean {
    if (!(cause instanceof errors.SocketError)) return false
    if (readBefore === 0 || cause.socket?.bytesRead !== readBefore) return false
    return performance.now() - start < this.#fastest * TOO_SOON
  }

  readonly #atStart = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket } // as undici documents it
    if (this.#starting) this.#starting.readBefore = socket.bytesRead
    this.#starting = undefined
  }
}

/** A request that is being written. */
export interface RequestOnConnection {
  /** By `performance.now()`. */
  readonly start: number
  /** Bytes that its connection had read for requests before it. */
  readBefore: number
}
