import { overloaded } from './errors.ts'

/**
 * Bounds what strangers can make a relay hold: the bytes of all bodies that came and are not yet
 * answered for. A slow body counts by what came of it, so a few of them shut nobody out.
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
