import { describe, expect, test } from '@jest/globals'
import { Probes } from '../../../src/relay/github/probes.ts'

const INTERVAL = 100

/** Probes whose failing repositories are those that they know, unless others are named. */
function begin() {
  const probes = new Probes()
  const next = (
    ready: readonly string[],
    now: number,
    more: { isFull?: boolean; openOfFailing?: number; slow?: readonly string[] } = {},
  ) => {
    const { isFull = false, openOfFailing = 0, slow = [] } = more
    const isFailing = (name: string) => probes.isFailing(name) || slow.includes(name)
    const turn = probes.next(ready, {
      ...{ now, minInterval: INTERVAL, isFull, openOfFailing },
      isFailing,
    })
    return 'repository' in turn ? turn.repository : turn.wait
  }
  return { probes, next }
}

test('an answer makes a repository failing, or ends that', () => {
  const { probes } = begin()
  const seen = (['none', 'failed', 'none', 'works', 'ambiguous', 'works'] as const).map((sign) => {
    probes.answered('o/a', sign, 0)
    return probes.isFailing('o/a')
  })
  expect(seen).toEqual([false, true, true, false, true, false])
  expect(probes.isFailing('o/b')).toBe(false)
})

describe('turns', () => {
  test('of repositories that work go to the one that waited longest', () => {
    const { next } = begin()
    const ready = ['o/a', 'o/b', 'o/c']
    const turns = [0, 1, 2, 3, 4, 5].map((now) => next(ready, now))
    expect(turns).toEqual([...ready, ...ready])
    expect(next([], 6)).toBe(Number.POSITIVE_INFINITY)
  })

  test('of repositories that fail are a quarter, and 4 intervals apart', () => {
    const { probes, next } = begin()
    for (const name of ['o/x', 'o/y']) probes.answered(name, 'failed', 0)
    const all = ['o/a', 'o/x', 'o/y']
    const turns = [0, 100, 200, 300, 400, 500, 600, 700, 800].map((now) => next(all, now))
    expect(turns).toEqual(['o/x', 'o/a', 'o/a', 'o/a', 'o/y', 'o/a', 'o/a', 'o/a', 'o/x'])
    // Alone, they wait for their interval.
    expect(next(['o/x', 'o/y'], 900)).toBe(300)
    expect(next(['o/x', 'o/y'], 1199)).toBe(1)
    expect(next(['o/x', 'o/y'], 1200)).toBe('o/y')
  })

  test('of repositories that fail wait for a second while too many of their calls are open', () => {
    const { probes, next } = begin()
    probes.answered('o/x', 'failed', 0)
    expect(next(['o/x'], 0, { isFull: true })).toBe(1000)
    expect(next(['o/a', 'o/x'], 0, { isFull: true })).toBe('o/a')
    expect(next(['o/x'], 0, { openOfFailing: 1 })).toBe('o/x')
  })

  test('include a repository whose call is slow among those that fail', () => {
    const { next } = begin()
    expect(next(['o/a', 'o/b'], 0, { slow: ['o/a'] })).toBe('o/a')
    expect(next(['o/a', 'o/b'], 1, { slow: ['o/a'] })).toBe('o/b')
  })
})

describe('a credential in doubt', () => {
  /** Repositories `a`, `b` and `c` turned ambiguous at 0, after `d` and then `e` had worked. */
  function doubtful() {
    const all = begin()
    const { probes } = all
    for (const [at, name] of ['o/a', 'o/b', 'o/c', 'o/d', 'o/e'].entries()) {
      probes.answered(name, 'works', at - 10)
    }
    probes.answered('o/a', 'ambiguous', 0)
    probes.answered('o/b', 'ambiguous', 0)
    expect(probes.isInDoubt).toBe(false)
    expect(probes.mustWait('o/a', 0)).toBe(false)
    probes.answered('o/c', 'ambiguous', 0)
    expect(probes.isInDoubt).toBe(true)
    return all
  }

  test('begins with the third repository, and counts each once', () => {
    const { probes } = begin()
    for (const name of ['o/a', 'o/a', 'o/b', 'o/b']) probes.heard(name, 0)
    expect(probes.isInDoubt).toBe(false)
    probes.heard('o/c', 0)
    expect(probes.isInDoubt).toBe(true)
    // A failure is clear, too.
    probes.answered('o/d', 'failed', 0)
    expect(probes.isInDoubt).toBe(false)
  })

  test('lets the one that worked last go, once, and others after growing pauses', () => {
    const { probes } = doubtful()
    const waits = () => ['o/a', 'o/d', 'o/e'].map((name) => probes.mustWait(name, 0))
    // The others may be tried from the last clear answer on.
    expect(waits()).toEqual([true, false, false])
    probes.began('o/d', 0)
    expect(waits()).toEqual([true, true, false])
    expect(probes.mustWait('o/d', 999)).toBe(true)
    expect(probes.mustWait('o/d', 1000)).toBe(false)
    probes.began('o/e', 1000)
    expect(probes.mustWait('o/e', 2999)).toBe(true)
    expect(probes.mustWait('o/e', 3000)).toBe(false)
    // A repository that fails changes no pause.
    probes.began('o/a', 3000)
    expect(probes.mustWait('o/d', 3000)).toBe(false)
    probes.began('o/d', 3000)
    expect(probes.mustWait('o/d', 6999)).toBe(true)
    probes.began('o/d', 7000)
    // The longest pause is 4 seconds.
    expect([10_999, 11_000].map((now) => probes.mustWait('o/d', now))).toEqual([true, false])
  })

  test('does not prefer a repository that became ambiguous', () => {
    const { probes, next } = doubtful()
    probes.answered('o/e', 'ambiguous', 0)
    probes.began('o/d', 0)
    expect(['o/d', 'o/e'].map((name) => probes.mustWait(name, 500))).toEqual([true, true])
    expect(next(['o/d', 'o/e'], 500)).toBe(500)
    expect(next(['o/d', 'o/e'], 1000)).toBe('o/d')
  })

  test('tries the one that worked last first, then those that worked before it', () => {
    const { probes, next } = doubtful()
    const ready = ['o/d', 'o/e', 'o/new']
    probes.began('o/d', -1000)
    expect(next(ready, -1)).toBe('o/e')
    probes.began('o/e', -1000)
    expect(next(ready, 999)).toBe(1)
    expect(next(['o/new', 'o/d'], 1000)).toBe('o/d')
  })

  test('tries repositories that fail after 1, 2, 4 … and at most 60 seconds, one at a time', () => {
    const { probes, next } = doubtful()
    expect(next(['o/a'], 0)).toBe(1000)
    expect(next(['o/a'], 1000, { openOfFailing: 1 })).toBe(1000)
    const pauses: unknown[] = []
    let now = 1000
    for (let n = 0; n < 8; n++) {
      // It worked after the other one.
      expect(next(['o/a', 'o/b'], now)).toBe('o/b')
      probes.answered('o/b', 'ambiguous', now)
      const wait = next(['o/a', 'o/b'], now)
      pauses.push(wait)
      now += Number(wait)
    }
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    // A clear answer ends all pauses.
    probes.answered('o/a', 'works', now)
    expect(next(['o/b'], now)).toBe('o/b')
  })

  test('gives a repository that fails no share while others may be tried', () => {
    const { next } = doubtful()
    expect(next(['o/a', 'o/e'], 5000)).toBe('o/e')
    expect(next(['o/a', 'o/e'], 5000)).toBe('o/e')
    expect(next(['o/a'], 5000)).toBe('o/a')
    // Its next turn is a probe, too.
    expect(next(['o/a'], 5001)).toBe(999)
  })
})
