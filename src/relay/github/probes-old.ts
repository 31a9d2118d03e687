/** Milliseconds between stored events that are tried while responses are ambiguous: doubled to a minute. */
const FIRST_PROBE = 1000
const LONGEST_PROBE = 60_000

/**
 * While nobody knows whether GitHub accepted the last event of a credential, one stored event is tried at
 * a time, so that few are in doubt.
 */
export class Probes {
  /** Ambiguous responses since the last clear one. */
  #ambiguous = 0
  #next = Number.NEGATIVE_INFINITY

  get isInDoubt(): boolean {
    return this.#ambiguous > 0
  }

  /** Milliseconds until a stored event may be tried. */
  waitAt(now: number): number {
    return this.isInDoubt ? Math.max(0, this.#next - now) : 0
  }

  /** To be told when a stored event is tried. */
  tried(at: number): void {
    this.#next = at + Math.min(LONGEST_PROBE, FIRST_PROBE * 2 ** this.#ambiguous)
  }

  /** To be told of each response to an event. */
  responded(isAmbiguous: boolean, now: number): void {
    this.tried(now)
    this.#ambiguous = isAmbiguous ? this.#ambiguous + 1 : 0
  }
}
