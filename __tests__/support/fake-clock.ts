import type { Clock } from '../../src/wire/github.ts'

export interface FakeClock extends Clock {
  /** The sleeps that were asked for, in milliseconds. */
  readonly sleeps: readonly number[]
  pass(milliseconds: number): void
}

/** Time that passes only when it is told to, or slept through. */
export function fakeClock(start: number, random: () => number): FakeClock {
  const sleeps: number[] = []
  let now = start
  return {
    sleeps,
    now: () => new Date(now),
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds)
      now += milliseconds
    },
    random,
    pass: (milliseconds) => {
      now += milliseconds
    },
  }
}
