import { describe, expect, test } from '@jest/globals'
import { judgeCredentials } from '../../../src/relay/credentials.ts'
import type { Dispatch } from '../../../src/relay/dispatch.ts'
import { invalidToken, RelayError } from '../../../src/relay/errors.ts'
import { attempt } from '../../../src/relay/outbox/attempt.ts'
import { StorageError } from '../../../src/relay/outbox/outbox.ts'
import { sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
import { newSealKey } from '../../../src/relay/seal.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { scaled } from '../../support/effort.ts'
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
import { memoryOutbox } from '../../support/memory-outbox.ts'
import { unavailable } from '../../support/relay-errors.ts'

const DONE = { tries: 1, platformStatus: 204 }

function limited(retryAfter: number) {
  return new RelayError(429, 'rate_limited', 'too many', { hint: '', retryAfter })
}

function refused(code = 'rejected') {
  return new RelayError(422, code, 'no', { hint: '' })
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
    expect(await outbox.list()).toEqual([])
  })

  test('has one call at a time, however long it takes', async () => {
    let open = 0
    let most = 0
    const time = new FakeTime()
    const { put } = await fakeLanes(
      async () => {
        most = Math.max(most, ++open)
        await time.sleep(5 * SECOND)
        open--
        return DONE
      },
      { time },
    )
    for (const id of ['a', 'b', 'c']) await put(id)
    await time.pass(MINUTE)
    expect({ most, open }).toEqual({ most: 1, open: 0 })
  })

  test('backs off from a second to a minute while GitHub is down', async () => {
    const { calls, time, send } = platform(() => unavailable())
    const { put } = await fakeLanes(send, { time })
    await put('a', { tries: 1, next: START + SECOND })
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
    await put('a', { tries: 1, next: START + SECOND })
    await put('b', { tries: 1, next: START + 30 * SECOND })
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

  test('at most 32 lanes call at once', async () => {
    let open = 0
    let most = 0
    const time = new FakeTime()
    const { put, queue } = await fakeLanes(
      async () => {
        most = Math.max(most, ++open)
        await time.sleep(SECOND)
        open--
        return DONE
      },
      { time },
    )
    for (let n = 0; n < 34; n++) await put(`${n}`, { lane: `o/r${n}#1`, next: START + SECOND })
    // Who waits for another lane goes on in real time.
    for (let n = 0; n < 100 && queue.figures().waiting > 0; n++) {
      await time.pass(SECOND)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect({ most, waiting: queue.figures().waiting }).toEqual({ most: 32, waiting: 0 })
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
    const count = scaled(2000)
    const { put, outbox } = await fakeLanes(send, { time })
    for (let n = 0; n < count; n++) await put(`${n}`)
    await time.pass(count * MINUTE)
    expect(tooEarly).toBe(0)
    expect(await outbox.list()).toEqual([])
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
      delivery === 'bad' ? refused('repository_not_accessible') : undefined,
    )
    const { put, outbox, log, queue } = await fakeLanes(send, { time })
    await put('bad')
    await put('good')
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['bad', 'good'])
    expect(await outbox.list()).toMatchObject([
      { delivery: 'bad', reason: 'repository_not_accessible', died: START },
    ])
    expect(log).toContainEqual({
      time: new Date(START).toISOString(),
      outbox: 'dead',
      delivery: 'bad',
      repository: 'o/r',
      tries: 0,
      reason: 'repository_not_accessible',
    })
    expect(queue.figures()).toEqual({ waiting: 0, oldest: 0, dead: 1, unreadable: 0 })
  })

  test.each(['invalid_token', 'app_not_installed'])(
    'but %s of the relay’s own authority waits until the operator mends it, and is logged',
    async (code) => {
      let broken = true
      const { time, send } = platform(() =>
        broken ? new RelayError(401, code, 'no', { hint: '' }) : undefined,
      )
      const { put, outbox, log } = await fakeLanes(send, { time })
      await put('own', { kind: 'key', lane: 'o/r#own' })
      await time.pass(10 * MINUTE)
      expect(log).toContainEqual(expect.objectContaining({ outbox: 'deferred', reason: code }))
      expect(await outbox.list()).toMatchObject([
        { delivery: 'own', reason: code, died: undefined },
      ])
      broken = false
      await time.pass(2 * MINUTE)
      expect(await outbox.list()).toEqual([])
    },
  )

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
    expect(await outbox.list()).toEqual([])
  })

  test('a token that the sender brought and that was revoked is a dead letter', async () => {
    const { time, send } = platform(() => invalidToken())
    const { put, outbox } = await fakeLanes(send, { time })
    await put('revoked')
    await time.pass(SECOND)
    expect(await outbox.list()).toMatchObject([{ reason: 'invalid_token', died: START }])
  })

  test.each([
    ['revoked while it waited: a dead letter', ['g1'], { kind: 'refused', reason: 'revoked' }],
    ['ended while it waited: delivered, as it was judged', ['g2'], { kind: 'accepted' }],
  ])('a grant that %s', async (_name, revoked, outcome) => {
    const authority = { token: async () => new Secret('own') }
    const key = await newSealKey()
    const grant = { ...dispatchOf('a', 'key').credential, kind: 'grant' as const, id: 'g1' }
    const sealed = await sealEventsFor(key)({ ...dispatchOf('a'), credential: grant })
    const event = { delivery: 'a', lane: 'o/r#own', at: 0, tries: 0, next: 0, reason: 'queued' }
    const now = () => new Date()
    const ports = {
      keys: [key],
      credentials: judgeCredentials({ authority, revoked: new Set(revoked), now }),
      send: async () => DONE,
      report: () => {},
    }
    const waiting = { ...event, ...sealed, bytes: 1, died: undefined }
    expect(await attempt(waiting, ports)).toEqual(outcome)
  })

  test('what no key opens as it should holds up nobody', async () => {
    const { calls, time, send } = platform(() => undefined)
    const outbox = memoryOutbox()
    const lanes = await fakeLanes(send, { time, outbox })
    await lanes.put('broken')
    const [broken] = await outbox.list()
    if (!broken) throw new Error('it was put')
    await outbox.drop({ delivery: 'broken' })
    await outbox.put({ ...broken, sealed: 'eyJh.x.y.z.w' })
    await lanes.put('whole')
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['whole'])
    expect(await outbox.list()).toMatchObject([{ delivery: 'broken', reason: 'unreadable' }])
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
    expect(await outbox.list()).toMatchObject([{ delivery: 'poisoned', reason: 'internal_error' }])
    expect(calls.at(-1)?.delivery).toBe('next')
  })
})

describe('age', () => {
  test('older than its time when a try fails: a dead letter; the young ones go on waiting', async () => {
    const { time, send } = platform(() => unavailable())
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    await put('a', { tries: 1, next: START + SECOND })
    await put('b')
    await time.pass(HOUR / 2)
    await put('c')
    await time.pass(HOUR / 2 + 2 * MINUTE)
    const all = await outbox.list()
    expect(all.map(({ delivery, reason, died }) => [delivery, reason, died !== undefined])).toEqual(
      [
        ['a', 'too_old', true],
        ['b', 'too_old', true],
        ['c', 'platform_unavailable', false],
      ],
    )
  })

  test('one that always fails takes no other with it: each is tried, at the pace, before it is given up', async () => {
    const { calls, time, send } = platform(({ delivery }) =>
      delivery === 'poison' ? unavailable() : undefined,
    )
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    await put('poison', { tries: 1, next: START + SECOND })
    for (let n = 0; n < 20; n++) {
      await put(`innocent ${n}`)
      await time.pass(10 * SECOND)
    }
    await time.pass(2 * HOUR)
    expect(await outbox.list()).toMatchObject([{ delivery: 'poison', reason: 'too_old' }])
    const others = calls.filter(({ delivery }) => delivery !== 'poison')
    expect(others).toEqual(
      others.map((_, n) => ({ at: HOUR + 1 + 350 * n, delivery: `innocent ${n}` })),
    )
    expect(others).toHaveLength(20)
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
    expect(await outbox.list()).toMatchObject([{ delivery: 'a', reason: 'too_old' }])
  })

  test('what grew old while no relay ran is tried once more before it is given up: each of them', async () => {
    const { time, send } = platform(() => unavailable())
    const { put, outbox, key, queue } = await fakeLanes(send, { time })
    for (const id of ['a', 'b', 'c']) await put(id, { tries: 1, next: START + SECOND })
    await queue.stop()
    await time.pass(48 * HOUR)
    const again = platform(({ delivery }) => (delivery === 'a' ? unavailable() : undefined))
    again.time.now = time.now
    await fakeLanes(again.send, { time: again.time, outbox, keys: [key] })
    await again.time.pass(MINUTE)
    expect(again.calls.map(({ delivery }) => delivery)).toEqual(['a', 'b', 'c'])
    expect(await outbox.list()).toMatchObject([{ delivery: 'a', reason: 'too_old', tries: 2 }])
  })

  test('dead letters stay 14 days, and the newest thousand', async () => {
    const { time, send } = platform(() => refused())
    const { put, outbox, queue, log, key } = await fakeLanes(send, { time })
    await put('first')
    await time.pass(13 * 24 * HOUR)
    await put('second')
    await time.pass(25 * HOUR)
    await queue.check()
    expect((await outbox.list()).map(({ delivery }) => delivery)).toEqual(['second'])
    expect(log).toContainEqual(expect.objectContaining({ outbox: 'forgotten', delivery: 'first' }))
    await queue.stop()
    const second = await outbox.find('second')
    if (!second) throw new Error('it is there')
    for (let n = 0; n < 999; n++) await outbox.put({ ...second, delivery: `${n}`, died: time.now })
    const again = await fakeLanes(send, { time, outbox, keys: [key] })
    await again.put('last')
    await time.pass(MINUTE)
    const left = (await outbox.list()).map(({ delivery }) => delivery)
    expect(left).toHaveLength(1000)
    expect([left[0], left.at(-1)]).toEqual(['0', 'last'])
    expect(again.queue.figures().dead).toBe(1000)
  })

  test('what waits for more than an hour is said once an hour', async () => {
    const { time, send } = platform(() => unavailable())
    const { put, queue, log } = await fakeLanes(send, { time })
    await put('a', { tries: 1, next: START + SECOND })
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

  test('events: what is beyond is refused, dead letters do not count, and room comes back', async () => {
    let answer: RelayError | undefined = unavailable()
    const { time, send } = platform(() => answer)
    const { put, queue, outbox } = await fakeLanes(send, { time, limits: { events: 4 } })
    queue.accepted(LANE)
    for (const id of ['1', '2', '3', '4']) await put(id)
    await expect(put('5')).rejects.toMatchObject(full)
    expect(await outbox.find('5')).toBeUndefined()
    answer = refused()
    await time.pass(10 * MINUTE)
    expect(queue.figures()).toMatchObject({ waiting: 0, dead: 4 })
    answer = unavailable()
    for (const id of ['6', '7', '8', '9']) await put(id)
    await expect(put('10')).rejects.toMatchObject(full)
  })

  test('bytes', async () => {
    const { time, send } = platform(() => unavailable())
    const measure = await fakeLanes(send, { time })
    await measure.put('0')
    const bytes = 2.5 * ((await measure.outbox.find('0'))?.bytes ?? 0)
    const { put, queue } = await fakeLanes(send, { time, limits: { bytes } })
    queue.accepted(LANE)
    await put('1')
    await put('2')
    await expect(put('3')).rejects.toMatchObject(full)
  })

  test('credentials that GitHub has not accepted since the start fill half of it, all together', async () => {
    let down = true
    const { time, send } = platform(() => (down ? unavailable() : undefined))
    const { put } = await fakeLanes(send, { time, limits: { events: 10 } })
    for (let n = 0; n < 5; n++) await put(`made up ${n}`, { lane: `o/r#${n}` })
    await expect(put('made up 6', { lane: 'o/r#6' })).rejects.toMatchObject(full)
    await put('judged by the relay', { kind: 'key', lane: 'o/r#own' })
    down = false
    await time.pass(2 * MINUTE)
    down = true
    // Now GitHub has accepted them.
    for (let n = 0; n < 10; n++) await put(`${n}`, { lane: 'o/r#0' })
  })
})

describe('the disk', () => {
  test('that takes nothing: refused, and nothing waits', async () => {
    const outbox = {
      ...memoryOutbox(),
      put: async () => {
        throw new StorageError('disk full')
      },
    }
    const { put, queue, reported } = await fakeLanes(async () => DONE, { outbox })
    await expect(put('a')).rejects.toMatchObject({ status: 503, code: 'outbox_full' })
    expect(queue.waits(LANE)).toBe(false)
    expect(queue.figures().waiting).toBe(0)
    expect(reported).toHaveLength(1)
  })

  test('that does not forget what GitHub has: not sent again, forgotten when it can be', async () => {
    let full = true
    const memory = memoryOutbox()
    const outbox = {
      ...memory,
      done: async (delivery: string) => {
        if (full) throw new StorageError('disk full')
        return memory.done(delivery)
      },
    }
    const { calls, time, send } = platform(() => undefined)
    const { put, log } = await fakeLanes(send, { time, outbox })
    await put('a')
    await put('b')
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['a'])
    expect(log).toContainEqual(expect.objectContaining({ outbox: 'disk', delivery: 'a' }))
    full = false
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['a', 'b'])
    expect(await outbox.list()).toEqual([])
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
    expect(await outbox.list()).toHaveLength(1)
    await after.queue.stop()
    await fakeLanes(send, { time, outbox, keys: [key, old] })
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['new', 'sealed for the old key'])
  })
})
