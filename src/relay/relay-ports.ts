import type { RawHeaders } from '../wire/headers.ts'
import type { RelayResponse } from '../wire/http.ts'
import type { DispatchMode } from '../wire/payload.ts'
import { overloaded } from './errors.ts'
import type { Credentials } from './github/credentials.ts'
import type { DispatchPort } from './github/dispatch.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Pages } from './pages.ts'
import type { Readiness } from './readiness.ts'
import type { LargeBodies } from './store/bodies.ts'
import type { CollectPort, StorePort } from './webhook/batch-period.ts'
import type { LoadChecks } from './webhook/checks.ts'
import type { KnownEndpoints } from './webhook/endpoint-request.ts'
import type { Packer, ReceivedEvent } from './webhook/payload.ts'
import type { LogEntry } from './webhook/request-log.ts'
import type { Repository } from './webhook/url.ts'

/** One HTTP request as it came: no web `Request`, which would normalise its path. */
export interface RelayRequest {
  /** Upper case. */
  readonly method: string
  /** The raw request target, in origin or absolute form. */
  readonly target: string
  readonly headers: RawHeaders
  /**
   * Called once at most. A body that ends early rejects with the runtime's own error.
   *
   * @param arrived is told how many bytes came, as they come; what it throws ends the reading
   * @throws RangeError as soon as more than `limit` bytes have come
   */
  readBody(limit: number, arrived?: (bytes: number) => void): Promise<Uint8Array>
  /**
   * Like `readBody`, but a body over the limit goes to the sink, in pieces. Absent where bodies cannot be
   * stored.
   *
   * @returns `undefined` for a body that went to the sink
   * @throws RangeError as soon as more than `sink.most` bytes have come
   */
  readLargeBody?(
    limit: number,
    sink: LargeBodySink,
    arrived?: (bytes: number) => void,
  ): Promise<Uint8Array | undefined>
}

/** Takes the pieces of a large body. */
export interface LargeBodySink {
  /** Bytes. */
  readonly most: number
  write(chunk: Uint8Array): Promise<void>
}

export interface RelayPorts {
  readonly dispatch: DispatchPort
  /** Adds events to batches; absent without a database. */
  readonly collect?: CollectPort
  /** Stores an event before GitHub is asked; absent without a database. */
  readonly store?: StorePort
  readonly credentials: Credentials
  /** Webhook URLs that the relay stores; absent without a database. */
  readonly endpoints?: KnownEndpoints
  /** Set for the self-hosted form, where the URL names no repository. */
  readonly repository?: Repository
  /** Responds at other paths than webhooks; by default with help and health. */
  readonly pages?: Pages
  /** Responds to requests for the admin API. Never rejects. */
  readonly admin?: (request: RelayRequest, delivery: string) => Promise<RelayResponse>
  /** Whether the relay can forward or store new events; if absent, it can. */
  readonly readiness?: Readiness
  /** Counts events for the metrics. */
  readonly metrics?: RelayMetrics
  /** How a token URL starts a workflow. */
  readonly dispatchMode?: DispatchMode
  /** Stores bodies that are too large for an event; absent without a database and a public address. */
  readonly largeBodies?: LargeBodies
  /** Absent if memory for bodies is unlimited, as on a developer's machine. */
  readonly bodies?: BodyMemory
  /** Loads the module for the checks of endpoints, for the first endpoint that has some. */
  readonly loadChecks?: LoadChecks
  /** The relay's public address, for schemes that sign the URL. */
  readonly publicUrl?: string | undefined
  /** Ways to gzip, the next of them for what the one before packs too little. */
  readonly packers?: readonly Packer[]
  now(): Date
  newDelivery(): string
  log(entry: LogEntry): void
  /** Receives each event before its signature is verified, for a developer's own relay. */
  readonly eventReceived?: (event: ReceivedEvent) => void
  /** Reports a bug. */
  report(error: unknown): void
}

/**
 * Limits the memory for request bodies: the bytes of all bodies whose requests are in progress. Only
 * received bytes count, so that a few slow clients do not block others.
 */
export class BodyMemory {
  readonly #most: number
  #held = 0

  /** @param most bytes of all bodies together */
  constructor(most: number) {
    this.#most = most
  }

  /** A place for one body; to be released when its request is answered. */
  hold(): HeldBody {
    let own = 0
    return {
      add: (bytes) => {
        own += bytes
        this.#held += bytes
        if (this.#held > this.#most) throw overloaded()
      },
      release: () => {
        this.#held -= own
        own = 0
      },
    }
  }
}

export interface HeldBody {
  /** @throws RelayError 503 when all bodies together are more than may be held */
  add(bytes: number): void
  release(): void
}
