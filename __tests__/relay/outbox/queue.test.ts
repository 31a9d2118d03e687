import { describe, expect, test } from '@jest/globals'
import type { Dispatch } from '../../../src/relay/dispatch.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import { newSignKey, type SignKey } from '../../../src/relay/grant.ts'
import { memoryOutbox } from '../../../src/relay/outbox/memory.ts'
import { type Outbox, type OutboxChange, StorageError } from '../../../src/relay/outbox/outbox.ts'
import { sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
import { newSealKey } from '../../../src/relay/seal.ts'
import {
  dispatchOf,
  FakeTime,
  fakeLanes,
  HOUR,
  LANE,
  MINUTE,
  SECOND,
  START,
} from '../../support/fake-lanes.ts'
import { unavailable } from '../../support/relay-errors.ts'

const DONE = { tries: 1, platformStatus: 204 }

function limited(retryAfter: number) {
  return new RelayError(429, 'rate_limited', 'too many', { hint: '', retryAfter })
}

function refused(code = 'rejected') {
  return new RelayError(422, code, 'no', { hint: '' })
}

function all(outbox: Outbox) {
  return outbox.list({ states: ['waiting', 'dead'], limit: 10_000 })
}

/** An outbox whose disk does not take some changes. */
function failing(memory: Outbox, fails: (change: OutboxChange) => boolean): Outbox {
  return {
    ...memory,
    apply: async (changes) => {
      if (changes.some(fails)) throw new StorageError('disk full')
      await memory.apply(changes)
    },
  }
}

/** A GitHub that answers by what it is asked; `calls` has when, and for which event. */
function platform(answer: (dispatch: Dispatch, at: number) => RelayError | Error | undefined) {
  const calls: { at: number; delivery: string }[] = []
  const time = new FakeTime()
  const send = async (dispatch: Dispatch) => {
    calls.push({ at: time.now - START, delivery: dispatch.delivery })
    const error = answer(dispatch, time.now - START)
    if (error) throw error
    return DONE
  }
  return { calls, time, send }
}

describe('a lane', () => {
  test('hands its events over in order, one call every 350 ms', async () => {
    const { calls, time, send } = platform(() => undefined)
    const { put, queue, outbox } = await fakeLanes(send, { time })
    for (const id of ['a', 'b', 'c']) await put(id)
    expect(queue.waits(LANE)).toBe(true)
    await time.pass(10 * SECOND)
    expect(calls).toEqual([
      { at: 0, delivery: 'a' },
      { at: 350, delivery: 'b' },
      { at: 700, delivery: 'c' },
    ])
    expect(queue.waits(LANE)).toBe(false)
    expect(await all(outbox)).toEqual([])
  })

  test('backs off from a second to a minute while GitHub is down', async () => {
    const { calls, time, send } = platform(() => unavailable())
    const { put } = await fakeLanes(send, { time })
    await put('a', { tries: 1, wait: SECOND })
    await time.pass(6 * MINUTE)
    const gaps = calls.map(({ at }, n) => (at - (calls[n - 1]?.at ?? 0)) / SECOND)
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
  })

  test.each([
    ['no time at all, or a moment that is past, is none: it backs off as ever', 0, [0, 1, 3, 7]],
    ['years, by a clock that is wrong, are an hour', 99_999_999, [0, 3600, 7200]],
  ])('a pause that GitHub asks for: %s', async (_name, asked, seconds) => {
    const { calls, time, send } = platform(() => limited(asked))
    const { put } = await fakeLanes(send, { time })
    await put('a')
    await time.pass((seconds.at(-1) ?? 0) * SECOND)
    expect(calls.map(({ at }) => at / SECOND)).toEqual(seconds)
  })

  test('obeys the longest of the pauses that requests at once were asked for', async () => {
    const { calls, time, send } = platform(() => undefined)
    const { put } = await fakeLanes(send, { time })
    await put('a', { tries: 1, wait: SECOND })
    await put('b', { tries: 1, wait: 30 * SECOND })
    await time.pass(MINUTE)
    expect(calls).toEqual([
      { at: 30 * SECOND, delivery: 'a' },
      { at: 30 * SECOND + 350, delivery: 'b' },
    ])
  })

  test('does not hold up others: a repository that is limited, one that is not', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery.startsWith('slow') ? limited(3600) : undefined,
    )
    const { put } = await fakeLanes(send, { time })
    await put('slow 1', { lane: 'o/slow#1' })
    await put('quick 1')
    await put('quick 2')
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['slow 1', 'quick 1', 'quick 2'])
  })

  test('the storm of rate limits drains without one call more than GitHub allows', async () => {
    // A generator that gives the same storm at every run: https://en.wikipedia.org/wiki/Lehmer_random_number_generator
    let state = 42
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    let notBefore = 0
    let tooEarly = 0
    const { calls, time, send } = platform((_dispatch, at) => {
      if (at < notBefore) tooEarly++
      if (random() < 0.6) return undefined
      const wait = Math.ceil(random() * 90)
      notBefore = at + wait * SECOND
      return limited(wait)
    })
    const count = 100
    const { put, outbox } = await fakeLanes(send, { time })
    for (let n = 0; n < count; n++) await put(`${n}`)
    await time.pass(count * MINUTE)
    expect(tooEarly).toBe(0)
    expect(await all(outbox)).toEqual([])
    const accepted = calls.filter(({ delivery }, n) => delivery !== calls[n + 1]?.delivery)
    expect(accepted.map(({ delivery }) => delivery)).toEqual(
      Array.from({ length: count }, (_, n) => `${n}`),
    )
    const inAnyMinute = calls.map(
      ({ at }) => calls.filter((c) => c.at >= at && c.at < at + MINUTE).length,
    )
    expect(Math.max(...inAnyMinute)).toBeLessThanOrEqual(172)
  })
})

describe('what GitHub refuses for good later', () => {
  test('is a dead letter with the reason, and the lane goes on', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery === 'bad' ? refused() : undefined,
    )
    const { put, outbox, log, queue } = await fakeLanes(send, { time })
    await put('bad')
    await put('good')
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['bad', 'good'])
    expect(await all(outbox)).toMatchObject([
      { delivery: 'bad', reason: 'rejected', state: 'dead', since: START },
    ])
    expect(log).toContainEqual({
      time: new Date(START).toISOString(),
      outbox: 'dead',
      delivery: 'bad',
      repository: 'o/r',
      credential: 'token:1234',
      tries: 1,
      reason: 'rejected',
    })
    expect(queue.figures()).toMatchObject({ waiting: 0, oldest: 0, dead: 1, unreadable: 0 })
  })

  test('ends the back-off: whoever comes next begins with a second', async () => {
    const { calls, time, send } = platform(({ delivery }, at) =>
      delivery === 'bad' && at > 7 * SECOND ? refused() : unavailable(),
    )
    const { put } = await fakeLanes(send, { time })
    await put('bad')
    await time.pass(8 * SECOND)
    await put('good')
    await time.pass(MINUTE)
    const good = calls.filter(({ delivery }) => delivery === 'good').map(({ at }) => at)
    const [first = 0] = good
    expect(good.slice(0, 3).map((at) => (at - first) / SECOND)).toEqual([0, 1, 3])
  })

  test('no room to ask for a token of the App is a pause', async () => {
    const { calls, time, send } = platform((_dispatch, at) =>
      at < SECOND
        ? new RelayError(503, 'overloaded', 'no', { hint: '', retryAfter: 1 })
        : undefined,
    )
    const { put, outbox } = await fakeLanes(send, { time })
    await put('own', { kind: 'key', lane: 'o/r#own' })
    await time.pass(MINUTE)
    expect(calls.map(({ at }) => at)).toEqual([0, SECOND])
    expect(await all(outbox)).toEqual([])
  })

  test('what no key opens as it should holds up nobody', async () => {
    const { calls, time, send } = platform(() => undefined)
    const outbox = memoryOutbox()
    const lanes = await fakeLanes(send, { time, outbox })
    await lanes.put('broken')
    const [broken] = await all(outbox)
    if (!broken) throw new Error('it was put')
    const forget = { forget: 'broken' }
    await outbox.apply([forget, { put: { ...broken, sealed: 'eyJh.x.y.z.w' } }])
    await lanes.put('whole')
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['whole'])
    expect(await all(outbox)).toMatchObject([{ delivery: 'broken', reason: 'unreadable' }])
  })

  test('a fault of ours is tried five times, told each time, and then holds up nobody', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery === 'poisoned' ? new TypeError('ours') : undefined,
    )
    const { put, outbox, reported } = await fakeLanes(send, { time })
    await put('poisoned')
    await put('next')
    await time.pass(10 * MINUTE)
    expect(calls.filter(({ delivery }) => delivery === 'poisoned')).toHaveLength(5)
    expect(reported).toHaveLength(5)
    expect(await all(outbox)).toMatchObject([{ delivery: 'poisoned', reason: 'internal_error' }])
    expect(calls.at(-1)?.delivery).toBe('next')
  })
})

describe('age', () => {
  test('older than its time when a try fails: a dead letter; the young ones go on waiting', async () => {
    const { time, send } = platform(() => unavailable())
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    await put('a', { tries: 1, wait: SECOND })
    await put('b')
    await time.pass(HOUR / 2)
    await put('c')
    await time.pass(HOUR / 2 + 2 * MINUTE)
    const found = await all(outbox)
    expect(
      found.map(({ delivery, reason, state }) => [delivery, reason, state === 'dead']),
    ).toEqual([
      ['a', 'too_old', true],
      ['b', 'too_old', true],
      ['c', 'platform_unavailable', false],
    ])
  })

  test('one that always fails takes no other with it: it is set aside', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery === 'poison' ? unavailable() : undefined,
    )
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    await put('poison', { tries: 1, wait: SECOND })
    for (let n = 0; n < 20; n++) {
      await put(`innocent ${n}`)
      await time.pass(10 * SECOND)
    }
    await time.pass(2 * HOUR)
    expect(await all(outbox)).toMatchObject([{ delivery: 'poison', reason: 'too_old' }])
    const others = calls.filter(({ delivery }) => delivery !== 'poison')
    // Set aside after the third failure; from then on nobody waits for it.
    const delays = others.slice(1).map(({ at }, n) => at - 10 * SECOND * (n + 1))
    expect(Math.max(...delays)).toBeLessThanOrEqual(350)
    expect(others).toHaveLength(20)
  })

  test('one that is set aside and given up does not end the back-off of the others', async () => {
    const { calls, time, send } = platform(({ delivery }, at) =>
      delivery === 'poison' || at > 40 * MINUTE ? unavailable() : undefined,
    )
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    for (const id of ['poison', 'before']) await put(id)
    await time.pass(41 * MINUTE)
    await put('young')
    await time.pass(39 * MINUTE)
    const late = calls.filter(({ at, delivery }) => delivery === 'young' && at > 45 * MINUTE)
    const gaps = late.slice(1).map(({ at }, n) => at - (late[n]?.at ?? 0))
    expect(new Set(gaps)).toEqual(new Set([MINUTE]))
    expect(await all(outbox)).toMatchObject([{ delivery: 'poison', reason: 'too_old' }, {}])
  })

  test('one that is given up does not end the pause that GitHub asks for', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery === 'a' ? limited(60) : undefined,
    )
    const { put } = await fakeLanes(send, { time, limits: { age: 10 * SECOND } })
    for (const id of ['a', 'b']) await put(id)
    await time.pass(MINUTE)
    expect(calls).toEqual([
      { at: 0, delivery: 'a' },
      { at: MINUTE, delivery: 'b' },
    ])
  })

  test('while GitHub asks for patience, too', async () => {
    const { calls, time, send } = platform(() => limited(3600))
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: 10 * SECOND } })
    await put('a')
    await time.pass(11 * SECOND)
    expect(calls).toHaveLength(1)
    expect(await all(outbox)).toMatchObject([{ delivery: 'a', reason: 'too_old' }])
  })

  test('what grew old while no relay ran is tried once more before it is given up: each of them', async () => {
    const { time, send } = platform(() => unavailable())
    const { put, outbox, key, queue } = await fakeLanes(send, { time })
    for (const id of ['a', 'b', 'c']) await put(id, { tries: 1, wait: SECOND })
    await queue.stop()
    await time.pass(48 * HOUR)
    const again = platform(({ delivery }) => (delivery === 'a' ? unavailable() : undefined))
    again.time.now = time.now
    await fakeLanes(again.send, { time: again.time, outbox, keys: [key] })
    await again.time.pass(MINUTE)
    expect(again.calls.map(({ delivery }) => delivery)).toEqual(['a', 'b', 'c'])
    expect(await all(outbox)).toMatchObject([{ delivery: 'a', reason: 'too_old', tries: 2 }])
  })

  test('what waits for more than an hour is said once an hour', async () => {
    const { time, send } = platform(() => unavailable())
    const { put, queue, log } = await fakeLanes(send, { time })
    await put('a', { tries: 1, wait: SECOND })
    const late = () => log.filter(({ outbox }) => outbox === 'late')
    await time.pass(HOUR - SECOND)
    await queue.check()
    expect(late()).toEqual([])
    await time.pass(10 * SECOND)
    for (let n = 0; n < 3; n++) await queue.check()
    expect(late()).toMatchObject([{ seconds: 3609, events: 1 }])
    await time.pass(HOUR)
    await queue.check()
    expect(late()).toHaveLength(2)
    expect(queue.figures().oldest).toBe(7209)
  })
})

describe('limits', () => {
  const full = { status: 503, code: 'outbox_full', retryAfter: 60 }

  test('bytes', async () => {
    const { time, send } = platform(() => unavailable())
    const measure = await fakeLanes(send, { time })
    await measure.put('0')
    const bytes = 4.2 * ((await measure.outbox.find('0'))?.bytes ?? 0)
    const { put, queue } = await fakeLanes(send, { time, limits: { bytes } })
    queue.accepted(LANE)
    await put('1')
    await put('2')
    await expect(put('3')).rejects.toMatchObject(full)
  })
})

describe('what is refused with the credential', () => {
  const gone = () => new RelayError(403, 'repository_not_accessible', 'no', { hint: '' })

  test('pauses the lane: asked again after 1, 5, 15 and then every 60 minutes, by the oldest', async () => {
    const { calls, time, send } = platform(() => gone())
    const { put, queue, outbox } = await fakeLanes(send, { time })
    for (let n = 0; n < 50; n++) await put(`${n}`)
    await time.pass(3 * HOUR)
    expect(calls).toEqual(
      [0, 1, 6, 21, 81, 141].map((minutes) => ({ at: minutes * MINUTE, delivery: '0' })),
    )
    expect(queue.figures()).toMatchObject({ waiting: 50, dead: 0 })
    expect((await all(outbox))[0]).toMatchObject({ tries: 6, reason: 'repository_not_accessible' })
  })

  test('goes on where it is accepted again: all of them, in their order', async () => {
    const { calls, time, send } = platform((_dispatch, at) => (at < HOUR ? gone() : undefined))
    const { put, outbox } = await fakeLanes(send, { time })
    const ids = Array.from({ length: 50 }, (_, n) => `${n}`)
    for (const id of ids) await put(id)
    await time.pass(3 * HOUR)
    expect(calls.slice(-50).map(({ delivery }) => delivery)).toEqual(ids)
    expect(await all(outbox)).toEqual([])
  })

  test('goes on pausing when the oldest is too old: the young ones are asked for in their time', async () => {
    const { calls, time, send } = platform(() => gone())
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    await put('old')
    await time.pass(30 * MINUTE)
    await put('young')
    await time.pass(HOUR - SECOND)
    const asked = calls.map(({ at, delivery }) => [delivery, at / MINUTE])
    expect(asked).toEqual([...[0, 1, 6, 21].map((minute) => ['old', minute]), ['young', 81]])
    expect((await all(outbox)).map(({ reason }) => reason)).toEqual(['too_old', gone().code])
  })

  test('of the relay is an error in the log', async () => {
    const { time, send } = platform(() => gone())
    const { put, log } = await fakeLanes(send, { time })
    await put('a', { kind: 'key', lane: 'o/r#own' })
    await time.pass(SECOND)
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'error', outbox: 'deferred', reason: gone().code }),
    )
  })

  test('and not accepted within its time: all that is too old is a dead letter, and none is erased', async () => {
    const { time, send } = platform(() => gone())
    const { put, outbox, queue, actions } = await fakeLanes(send, { time })
    // More than are read from the disk at once.
    const count = 1100
    for (let n = 0; n < count; n++) await put(`${n}`)
    await time.pass(30 * HOUR)
    await queue.check()
    expect(queue.figures()).toMatchObject({ waiting: 0, dead: count })
    expect(
      (await all(outbox)).every(({ reason, tries }) => reason === 'too_old' || tries > 0),
    ).toBe(true)
    expect(await actions.replayAll({ reason: 'too_old' })).toBe(count)
    expect(queue.figures()).toMatchObject({ waiting: count, dead: 0 })
  })
})

describe('what may have been accepted', () => {
  const failed = () =>
    new RelayError(502, 'platform_unavailable', 'no', {
      hint: '',
      attempts: { tries: 1, platformStatus: 500 },
    })

  test('is given up after ten such answers, since each may have started a run', async () => {
    const { calls, time, send } = platform(() => failed())
    const { put, outbox } = await fakeLanes(send, { time })
    await put('a')
    await time.pass(HOUR)
    expect(calls).toHaveLength(10)
    expect(await all(outbox)).toMatchObject([
      { state: 'dead', reason: 'maybe_accepted', tries: 10 },
    ])
  })

  test('one that is set aside is tried by itself: after a second, then two, to an hour', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery === 'poison' ? unavailable() : undefined,
    )
    const { put } = await fakeLanes(send, { time })
    for (const id of ['poison', 'next', 'third']) await put(id)
    await time.pass(5 * HOUR)
    // The others do not wait for it any longer.
    expect(calls.find(({ delivery }) => delivery === 'third')?.at).toBe(3700)
    const tries = calls.filter(({ delivery }) => delivery === 'poison').slice(3)
    const gaps = tries.map(({ at }, n) => (at - (tries[n - 1]?.at ?? 3350)) / SECOND)
    const doubled = Array.from({ length: 12 }, (_, n) => 2 ** n)
    expect(gaps.slice(0, 15)).toEqual([...doubled, 3600, 3600, 3600].slice(0, gaps.length))
    expect(gaps.length).toBeGreaterThan(13)
  })

  test('500 to some events, of which GitHub takes the rest: within minutes all others are there', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      /^bad/.test(delivery) ? failed() : undefined,
    )
    const { put, outbox } = await fakeLanes(send, { time })
    for (const id of ['bad 1', 'bad 2', 'bad 3']) await put(id)
    for (let n = 0; n < 50; n++) await put(`${n}`)
    await time.pass(5 * MINUTE)
    expect(calls.filter(({ delivery }) => /^\d/.test(delivery))).toHaveLength(50)
    expect((await all(outbox)).map(({ delivery }) => delivery)).toEqual(['bad 1', 'bad 2', 'bad 3'])
  })
})

describe('a slow GitHub that takes everything', () => {
  test('up to four calls of a lane are open, so that a backlog falls', async () => {
    let [open, most] = [0, 0]
    const time = new FakeTime()
    const { put, queue } = await fakeLanes(
      async () => {
        most = Math.max(most, ++open)
        await time.sleep(1500)
        open--
        return DONE
      },
      { time },
    )
    for (let n = 0; n < 150; n++) await put(`${n}`)
    await time.pass(MINUTE)
    expect(most).toBe(4)
    expect(queue.figures().waiting).toBeLessThan(10)
  })

  test('calls that overlap begin in the order of the events, however long the disk takes for one', async () => {
    const { calls, time, send } = platform(() => undefined)
    const memory = memoryOutbox()
    const outbox: Outbox = {
      ...memory,
      find: async (delivery) => {
        if (delivery === 'b') await time.sleep(2 * SECOND)
        return memory.find(delivery)
      },
    }
    const { put } = await fakeLanes(send, { time, outbox })
    for (const id of ['a', 'b', 'c', 'd']) await put(id)
    await time.pass(10 * SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('one that fails has one call at a time', async () => {
    let [open, most] = [0, 0]
    const time = new FakeTime()
    const { put } = await fakeLanes(
      async () => {
        most = Math.max(most, ++open)
        await time.sleep(1500)
        open--
        throw unavailable()
      },
      { time },
    )
    for (let n = 0; n < 5; n++) await put(`${n}`)
    await time.pass(MINUTE)
    expect(most).toBe(1)
  })
})

describe('one governor', () => {
  test('holds all lanes of a token: 200 of them, and one call during the ban', async () => {
    const { calls, time, send } = platform(() => undefined)
    const { put, governors, queue } = await fakeLanes(send, { time })
    governors.of('token', 'o').hold(MINUTE)
    for (let n = 0; n < 200; n++) await put(`${n}`, { lane: `o/r${n}#token` })
    await time.pass(MINUTE - 1)
    expect(calls).toEqual([])
    await time.pass(2 * MINUTE)
    expect(queue.figures().waiting).toBe(0)
    const gaps = calls.map(({ at }, n) => at - (calls[n - 1]?.at ?? -350))
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(350)
  })
})

describe('room', () => {
  const full = { status: 503, code: 'outbox_full', retryAfter: 60 }

  test('one lane alone may hold half; the next one as much as is still free', async () => {
    const { time, send } = platform(() => unavailable())
    const { put } = await fakeLanes(send, { time, limits: { events: 12 } })
    const fill = async (lane: string) => {
      for (let n = 0; ; n++) {
        const isFull = await put(`${lane} ${n}`, { lane }).then(
          () => false,
          (error) => error.code === 'outbox_full',
        )
        if (isFull) return n
      }
    }
    expect(await fill('o/a#1')).toBe(6)
    expect(await fill('o/b#1')).toBe(3)
    expect(await fill('o/c#1')).toBe(2)
  })

  test('dead letters count in the share of their lane, and dropping them gives it back', async () => {
    const { time, send } = platform(() => refused())
    const { put, actions } = await fakeLanes(send, { time, limits: { events: 4 } })
    for (const id of ['1', '2']) await put(id)
    await time.pass(MINUTE)
    await expect(put('3')).rejects.toMatchObject(full)
    expect(await actions.dropAll({ lane: LANE })).toBe(2)
    await put('3')
  })
})

describe('the credential of a record', () => {
  const scenario = async (settings: { revoked?: ReadonlySet<string>; isKeyGone?: boolean }) => {
    const [before, other] = [await newSignKey(), await newSignKey()]
    const { calls, time, send } = platform(() => undefined)
    const outbox = memoryOutbox()
    const first = await fakeLanes(send, { time, outbox })
    const credential = {
      ...{ kind: 'grant' as const, id: 'g1', kid: before.id, secrets: [] },
      token: async () => undefined,
    }
    const { sealed, key } = await sealEventsFor(first.key)({ ...dispatchOf('a'), credential })
    const given = { delivery: 'a', lane: 'o/r#own', credential: 'grant:g1', tries: 0, wait: 0 }
    await first.queue.put({ ...given, reason: 'queued', key, sealed })
    await first.queue.stop()
    const signKeys = settings.isKeyGone ? [other] : [other, before]
    const restart = async (keys: readonly SignKey[], revoked = new Set<string>()) =>
      fakeLanes(send, { time, outbox, keys: [first.key], credentials: { signKeys: keys, revoked } })
    const second = await restart(signKeys, new Set(settings.revoked))
    await time.pass(HOUR)
    return { calls, time, outbox, second, restart, before, other }
  }

  test('a grant that was revoked while it waited: a dead letter at once', async () => {
    const { calls, outbox } = await scenario({ revoked: new Set(['g1']) })
    expect(calls).toEqual([])
    expect(await all(outbox)).toMatchObject([
      // At the start, however long its lane was to wait.
      { state: 'dead', reason: 'revoked', credential: 'grant:g1', since: START },
    ])
  })

  test('one that is signed by a key that the relay has: delivered', async () => {
    const { calls } = await scenario({})
    expect(calls).toHaveLength(1)
  })

  test('a sign key that was removed after a leak: nothing of it runs, it is seen, and others pass', async () => {
    const { calls, time, outbox, second, restart, before, other } = await scenario({
      isKeyGone: true,
    })
    expect(calls).toEqual([])
    expect(await all(outbox)).toMatchObject([{ state: 'waiting', reason: 'credential_revoked' }])
    await second.put('b', { kind: 'key', lane: 'o/r#own' })
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['b'])
    await second.queue.stop()
    await restart([other, before])
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['b', 'a'])
  })
})

describe('the disk', () => {
  test('that takes nothing: refused, and nothing waits', async () => {
    const outbox = failing(memoryOutbox(), (change) => 'put' in change)
    const { put, queue, reported } = await fakeLanes(async () => DONE, { outbox })
    await expect(put('a')).rejects.toMatchObject({ status: 503, code: 'outbox_full' })
    expect(queue.waits(LANE)).toBe(false)
    expect(queue.figures().waiting).toBe(0)
    expect(reported).toHaveLength(1)
  })

  test('that does not forget what GitHub has: the others pass, it is not sent again, and forgotten when it can be', async () => {
    let full = true
    const memory = memoryOutbox()
    const outbox = failing(memory, (change) => full && 'forget' in change)
    const { calls, time, send } = platform(() => undefined)
    const { put, log, queue } = await fakeLanes(send, { time, outbox })
    for (const id of ['a', 'b', 'c']) await put(id)
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['a', 'b', 'c'])
    expect(log).toContainEqual(expect.objectContaining({ outbox: 'disk', delivery: 'a' }))
    full = false
    await time.pass(MINUTE)
    await queue.check()
    expect(calls).toHaveLength(3)
    expect(await all(outbox)).toEqual([])
  })
})

describe('a start', () => {
  test('takes up what waits, in its order, and obeys what GitHub asked for before', async () => {
    const first = platform(() => limited(30))
    const { put, outbox, key, queue } = await fakeLanes(first.send, { time: first.time })
    for (const id of ['a', 'b']) await put(id)
    await first.time.pass(SECOND)
    await queue.stop()
    const second = platform(() => undefined)
    second.time.now = first.time.now
    const again = await fakeLanes(second.send, { time: second.time, outbox, keys: [key] })
    expect(again.queue.waits(LANE)).toBe(true)
    await second.time.pass(HOUR)
    expect(second.calls).toEqual([
      { at: 30 * SECOND, delivery: 'a' },
      { at: 30 * SECOND + 350, delivery: 'b' },
    ])
  })

  test('keeps its pace: the last call before it may have been a moment ago', async () => {
    const { put, outbox, key, queue, time } = await fakeLanes(async () => DONE)
    for (const id of ['a', 'b']) await put(id)
    await queue.stop()
    const again = platform(() => undefined)
    again.time.now = time.now
    await fakeLanes(again.send, { time: again.time, outbox, keys: [key] })
    await again.time.pass(SECOND)
    expect(again.calls).toEqual([
      { at: 350, delivery: 'a' },
      { at: 700, delivery: 'b' },
    ])
  })

  test('with the clock corrected by fifty minutes waits no longer than it was asked to', async () => {
    const first = platform(() => limited(30))
    first.time.now = START + 50 * MINUTE
    const { put, outbox, key, queue } = await fakeLanes(first.send, { time: first.time })
    await put('a')
    await first.time.pass(SECOND)
    await queue.stop()
    const second = platform(() => undefined)
    await fakeLanes(second.send, { time: second.time, outbox, keys: [key] })
    await second.time.pass(MINUTE)
    expect(second.calls.map(({ at }) => at)).toEqual([30 * SECOND])
  })

  test('after a jump of the clock waits for an hour at most', async () => {
    const first = platform(() => limited(30))
    const { put, outbox, key } = await fakeLanes(first.send, { time: first.time })
    await put('a')
    await first.time.pass(SECOND)
    const second = platform(() => undefined)
    second.time.now = START - 24 * HOUR
    await fakeLanes(second.send, { time: second.time, outbox, keys: [key] })
    await second.time.pass(HOUR)
    expect(second.calls).toHaveLength(1)
  })

  test('with events of a key that is gone: kept, counted, named, in nobody’s way', async () => {
    const [old, key] = [await newSealKey(), await newSealKey()]
    const outbox = memoryOutbox()
    const time = new FakeTime()
    const before = await fakeLanes(async () => DONE, { time, outbox, keys: [old] })
    await before.put('sealed for the old key')
    await before.queue.stop()
    const { calls, send } = platform(() => undefined)
    const after = await fakeLanes(send, { time, outbox, keys: [key] })
    expect(after.log).toMatchObject([{ outbox: 'unreadable', events: 1 }])
    expect(after.queue.waits(LANE)).toBe(false)
    expect(after.queue.figures()).toMatchObject({ waiting: 1, unreadable: 1 })
    await after.put('new')
    await time.pass(48 * HOUR)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['new'])
    expect(await all(outbox)).toHaveLength(1)
    await after.queue.stop()
    await fakeLanes(send, { time, outbox, keys: [key, old] })
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['new', 'sealed for the old key'])
  })
})
