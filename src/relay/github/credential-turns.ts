import { BoundedCache } from '../bounded-cache.ts'
import { Probes } from './probes-old.ts'

export interface Turn {
  /** Milliseconds until GitHub may be called; if `isGranted` is false, until a turn may be asked for again. */
  readonly wait: number
  readonly isGranted: boolean
}

/** Credentials whose calls are remembered. */
const KNOWN_CREDENTIALS = 10_000

/** The state of the calls with one credential. */
interface Calls {
  /** When the next call may be. */
  next: number
  readonly probes: Probes
}

/**
 * Spreads the calls of stored events with one credential, where every queue has a rate limiter of its own
 * because it runs in an object of its own.
 */
export class CredentialTurns {
  readonly #calls = new BoundedCache<string, Calls>(KNOWN_CREDENTIALS)
  readonly #ports: { minInterval: number; now(): number }

  /** @param ports with the milliseconds between two calls */
  constructor(ports: { minInterval: number; now(): number }) {
    this.#ports = ports
  }

  isInDoubt(credential: string): boolean {
    return this.#callsOf(credential).probes.isInDoubt
  }

  /**
   * Gives a queue the next turn of its credential.
   *
   * @param held milliseconds for which the rate limiter of the queue holds all calls
   */
  next(credential: string, held: number): Turn & { readonly isProbe: boolean } {
    const calls = this.#callsOf(credential)
    const time = this.#ports.now()
    const isProbe = calls.probes.isInDoubt
    const wait = calls.probes.waitAt(time)
    if (wait > 0) return { wait, isGranted: false, isProbe }
    const at = Math.max(time + held, calls.next)
    calls.next = at + this.#ports.minInterval
    calls.probes.tried(at)
    return { wait: at - time, isGranted: true, isProbe }
  }

  /** To be told whether a response of GitHub to a credential was ambiguous. */
  responded(credential: string, isAmbiguous: boolean): void {
    this.#callsOf(credential).probes.responded(isAmbiguous, this.#ports.now())
  }

  #callsOf(credential: string): Calls {
    const known = this.#calls.get(credential)
    if (known) return known
    const calls: Calls = { next: 0, probes: new Probes() }
    this.#calls.set(credential, calls)
    return calls
  }
}
