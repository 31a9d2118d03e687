import { describe, expect, test } from '@jest/globals'
import { generateSigningKey, type SigningKey } from '../../../src/relay/credentials/grant.ts'
import { generateSealingKey } from '../../../src/relay/credentials/seal.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/dispatch.ts'
import { memoryOutbox } from '../../../src/relay/outbox/memory.ts'
import { type Outbox, StorageError } from '../../../src/relay/outbox/outbox.ts'
import { sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
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

const DONE = { tries: 1, githubStatus: 204 }

function limited(retryAfter: number) {
  return new RelayError(429, 'rate_limited', 'too many', { hint: '', retryAfter })
}

function refused(code = 'event_rejected') {
  return new RelayError(422, code, 'no', { hint: '' })
}

function all(outbox: Outbox) {
  return outbox.list({ states: ['waiting', 'dead'], limit: 10_000 })
}

/** A stand-in for GitHub: `respond` has its refusals, `calls` the time and event of each call. */
function gitHub(respond: (delivery: string, at: number) => Error | undefined = () => undefined) {
  const calls: { at: number; delivery: string }[] = []
  const time = new FakeTime()
  const send = async ({ delivery }: Dispatch) => {
    calls.push({ at: time.now - START, delivery })
    const error = respond(delivery, time.now - START)
    if (error) throw error
    return DONE
  }
  return { calls, time, send }
}

describe('a queue', () => {
  test('delivers its events in order, one call every 350 ms', async () => {
    const { calls, time, send } = gitHub()
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

  test('waits from a second to a minute between calls while GitHub is down', async () => {
    const { calls, time, send } = gitHub(() => unavailable())
    const { put } = await fakeLanes(send, { time })
    await put('a', { tries: 1, wait: SECOND })
    await time.pass(6 * MINUTE)
    const gaps = calls.map(({ at }, n) => (at - (calls[n - 1]?.at ?? 0)) / SECOND)
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
  })

  test.each([
    ['of 0 s is none', 0, [0, 1, 3, 7]],
    ['of years is an hour', 99_999_999, [0, 3600, 7200]],
  ])('a pause that GitHub asks for, %s', async (_name, asked, seconds) => {
    const { calls, time, send } = gitHub(() => limited(asked))
    const { put } = await fakeLanes(send, { time })
    await put('a')
    await time.pass((seconds.at(-1) ?? 0) * SECOND)
    expect(calls.map(({ at }) => at / SECOND)).toEqual(seconds)
  })

  test('waits for the longest of the pauses that concurrent requests were asked for', async () => {
    const { calls, time, send } = gitHub()
    const { put } = await fakeLanes(send, { time })
    await put('a', { tries: 1, wait: SECOND })
    await put('b', { tries: 1, wait: 30 * SECOND })
    await time.pass(MINUTE)
    expect(calls).toEqual([
      { at: 30 * SECOND, delivery: 'a' },
      { at: 30 * SECOND + 350, delivery: 'b' },
    ])
  })

  test('of a repository whose rate is limited does not delay another one', async () => {
    const { calls, time, send } = gitHub((delivery) =>
      delivery.startsWith('slow') ? limited(3600) : undefined,
    )
    const { put } = await fakeLanes(send, { time })
    await put('slow 1', { lane: 'o/slow#1' })
    await put('quick 1')
    await put('quick 2')
    await time.pass(MINUTE)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['slow 1', 'quick 1', 'quick 2'])
  })
})

describe('an event', () => {
  test('that GitHub rejects later is a dead letter with the reason, and the next is delivered', async () => {
    const { calls, time, send } = gitHub((delivery) => (delivery === 'bad' ? refused() : undefined))
    const { put, outbox, log, queue } = await fakeLanes(send, { time })
    await put('bad')
    await put('good')
    await time.pass(SECOND)
    expect(calls.map(({ delivery }) => delivery)).toEqual(['bad', 'good'])
    expect(await all(outbox)).toMatchObject([
      { delivery: 'bad', reason: 'event_rejected', state: 'dead', since: START },
    ])
    expect(log).toContainEqual({
      time: new Date(START).toISOString(),
      outbox: 'dead',
      delivery: 'bad',
      repository: 'o/r',
      credential: 'token:1234',
      tries: 1,
      reason: 'event_rejected',
    })
    expect(queue.figures()).toMatchObject({ waiting: 0, oldest: 0, dead: 1, unreadable: 0 })
  })

  test('that is rejected ends the back-off: the next begins with a second', async () => {
    const { calls, time, send } = gitHub((delivery, at) =>
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

  test('waits where the relay has no free call to ask for a token of the App', async () => {
    const { calls, time, send } = gitHub((_delivery, at) =>
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

  test('that no key opens is a dead letter, and the next is delivered', async () => {
    const { calls, time, send } = gitHub()
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

  test('that meets a fault of the relay is tried and reported five times; then the next is delivered', async () => {
    const { calls, time, send } = gitHub((delivery) =>
      delivery === 'poisoned' ? new TypeError('a fault of the relay') : undefined,
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

  const failed = () =>
    new RelayError(502, 'github_unavailable', 'no', {
      hint: '',
      attempts: { tries: 1, githubStatus: 500 },
    })

  test('that GitHub may have accepted is a dead letter after ten tries, because each may have started a run', async () => {
    const { calls, time, send } = gitHub(() => failed())
    const { put, outbox } = await fakeLanes(send, { time })
    await put('a')
    await time.pass(HOUR)
    expect(calls).toHaveLength(10)
    expect(await all(outbox)).toMatchObject([
      { state: 'dead', reason: 'maybe_accepted', tries: 10 },
    ])
  })

  test('that is too old when it fails is a dead letter, and younger ones wait on', async () => {
    const { time, send } = gitHub(() => unavailable())
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
      ['c', 'github_unavailable', false],
    ])
  })

  test('that always fails is isolated: others are delivered without delay', async () => {
    const { calls, time, send } = gitHub((delivery) =>
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
    // It is isolated after the third failure.
    const delays = others.slice(1).map(({ at }, n) => at - 10 * SECOND * (n + 1))
    expect(Math.max(...delays)).toBeLessThanOrEqual(350)
    expect(others).toHaveLength(20)
  })

  test('that is isolated is tried by itself: after a second, then two, up to an hour', async () => {
    const { calls, time, send } = gitHub((delivery) =>
      delivery === 'poison' ? unavailable() : undefined,
    )
    const { put } = await fakeLanes(send, { time })
    for (const id of ['poison', 'next', 'third']) await put(id)
    await time.pass(5 * HOUR)
    expect(calls.find(({ delivery }) => delivery === 'third')?.at).toBe(3700)
    const tries = calls.filter(({ delivery }) => delivery === 'poison').slice(3)
    const gaps = tries.map(({ at }, n) => (at - (tries[n - 1]?.at ?? 3350)) / SECOND)
    const doubled = Array.from({ length: 12 }, (_, n) => 2 ** n)
    expect(gaps.slice(0, 15)).toEqual([...doubled, 3600, 3600, 3600].slice(0, gaps.length))
    expect(gaps.length).toBeGreaterThan(13)
  })

  test('that was isolated does not end the back-off of the others when it is too old', async () => {
    const { calls, time, send } = gitHub((delivery, at) =>
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

  test('that is too old does not end the pause that GitHub asked for', async () => {
    const { calls, time, send } = gitHub((delivery) => (delivery === 'a' ? limited(60) : undefined))
    const { put } = await fakeLanes(send, { time, limits: { age: 10 * SECOND } })
    for (const id of ['a', 'b']) await put(id)
    await time.pass(MINUTE)
    expect(calls).toEqual([
      { at: 0, delivery: 'a' },
      { at: MINUTE, delivery: 'b' },
    ])
  })

  test('is too old in a pause that GitHub asked for, too', async () => {
    const { calls, time, send } = gitHub(() => limited(3600))
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: 10 * SECOND } })
    await put('a')
    await time.pass(11 * SECOND)
    expect(calls).toHaveLength(1)
    expect(await all(outbox)).toMatchObject([{ delivery: 'a', reason: 'too_old' }])
  })

  test('that became too old while no relay ran is tried once more', async () => {
    const { time, send } = gitHub(() => unavailable())
    const { put, outbox, key, queue } = await fakeLanes(send, { time })
    for (const id of ['a', 'b', 'c']) await put(id, { tries: 1, wait: SECOND })
    await queue.stop()
    await time.pass(48 * HOUR)
    const again = gitHub((delivery) => (delivery === 'a' ? unavailable() : undefined))
    again.time.now = time.now
    await fakeLanes(again.send, { time: again.time, outbox, keys: [key] })
    await again.time.pass(MINUTE)
    expect(again.calls.map(({ delivery }) => delivery)).toEqual(['a', 'b', 'c'])
    expect(await all(outbox)).toMatchObject([{ delivery: 'a', reason: 'too_old', tries: 2 }])
  })

  test('that waits for more than an hour is logged once an hour', async () => {
    const { time, send } = gitHub(() => unavailable())
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

describe('a queue whose credential GitHub refuses', () => {
  const gone = () => new RelayError(403, 'repository_not_accessible', 'no', { hint: '' })

  test('asks again after 1, 5, 15 and then every 60 minutes, with the oldest event', async () => {
    const { calls, time, send } = gitHub(() => gone())
    const { put, queue, outbox } = await fakeLanes(send, { time })
    for (let n = 0; n < 50; n++) await put(`${n}`)
    await time.pass(3 * HOUR)
    expect(calls).toEqual(
      [0, 1, 6, 21, 81, 141].map((minutes) => ({ at: minutes * MINUTE, delivery: '0' })),
    )
    expect(queue.figures()).toMatchObject({ waiting: 50, dead: 0 })
    expect((await all(outbox))[0]).toMatchObject({ tries: 6, reason: 'repository_not_accessible' })
  })

  test('delivers all 50 events in order once GitHub accepts the credential', async () => {
    const { calls, time, send } = gitHub((_delivery, at) => (at < HOUR ? gone() : undefined))
    const { put, outbox } = await fakeLanes(send, { time })
    const ids = Array.from({ length: 50 }, (_, n) => `${n}`)
    for (const id of ids) await put(id)
    await time.pass(3 * HOUR)
    expect(calls.slice(-50).map(({ delivery }) => delivery)).toEqual(ids)
    expect(await all(outbox)).toEqual([])
  })

  test('keeps its pauses when the oldest event is too old', async () => {
    const { calls, time, send } = gitHub(() => gone())
    const { put, outbox } = await fakeLanes(send, { time, limits: { age: HOUR } })
    await put('old')
    await time.pass(30 * MINUTE)
    await put('young')
    await time.pass(HOUR - SECOND)
    const asked = calls.map(({ at, delivery }) => [delivery, at / MINUTE])
    expect(asked).toEqual([...[0, 1, 6, 21].map((minute) => ['old', minute]), ['young', 81]])
    expect((await all(outbox)).map(({ reason }) => reason)).toEqual(['too_old', gone().code])
  })

  test('is an error in the log where the credential is of the relay', async () => {
    const { time, send } = gitHub(() => gone())
    const { put, log } = await fakeLanes(send, { time })
    await put('a', { kind: 'key', lane: 'o/r#own' })
    await time.pass(SECOND)
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'error', outbox: 'deferred', reason: gone().code }),
    )
  })

  test('makes dead letters of 1,100 events that are too old, and all can be replayed', async () => {
    const { time, send } = gitHub(() => gone())
    const { put, outbox, queue, actions } = await fakeLanes(send, { time })
    // More than one page of what is stored.
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

describe('a GitHub that responds after 1.5 s', () => {
  test('has up to four calls of a queue, so that a backlog becomes less', async () => {
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

  test('gets calls in the order of the events, although the disk takes 2 s for one', async () => {
    const { calls, time, send } = gitHub()
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

  test('has one call at a time while it fails', async () => {
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

describe('the limits of an outbox', () => {
  const full = { status: 503, code: 'outbox_full', retryAfter: 60 }

  test('a queue may hold half of the events, the next one half of the rest', async () => {
    const { time, send } = gitHub(() => unavailable())
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

  test('dead letters count, and deleting them frees their quota', async () => {
    const { time, send } = gitHub(() => refused())
    const { put, actions } = await fakeLanes(send, { time, limits: { events: 4 } })
    for (const id of ['1', '2']) await put(id)
    await time.pass(MINUTE)
    await expect(put('3')).rejects.toMatchObject(full)
    expect(await actions.dropAll({ lane: LANE })).toBe(2)
    await put('3')
  })

  test('the bytes of a queue are limited to half too', async () => {
    const { time, send } = gitHub(() => unavailable())
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

test('events of a grant whose signing key was removed wait until it is back, and others are delivered', async () => {
  const [removed, other] = [await generateSigningKey(), await generateSigningKey()]
  const { calls, time, send } = gitHub()
  const outbox = memoryOutbox()
  const seal = await generateSealingKey()
  const start = (...signingKeys: SigningKey[]) =>
    fakeLanes(send, { time, outbox, keys: [seal], credentials: { signingKeys } })
  const before = await start(removed)
  const credential = {
    ...{ kind: 'grant' as const, id: 'g1', kid: removed.id, secrets: [] },
    token: async () => undefined,
  }
  const { sealed, key } = await sealEventsFor(seal)({ ...dispatchOf('a'), credential })
  const given = { delivery: 'a', lane: 'o/r#own', credential: 'grant:g1', tries: 0, wait: 0 }
  await before.queue.put({ ...given, reason: 'queued', key, sealed })
  await before.queue.stop()
  const without = await start(other)
  await time.pass(HOUR)
  expect(calls).toEqual([])
  expect(await all(outbox)).toMatchObject([{ state: 'waiting', reason: 'credential_revoked' }])
  await without.put('b', { kind: 'key', lane: 'o/r#own' })
  await time.pass(SECOND)
  expect(calls.map(({ delivery }) => delivery)).toEqual(['b'])
  await without.queue.stop()
  await start(other, removed)
  await time.pass(SECOND)
  expect(calls.map(({ delivery }) => delivery)).toEqual(['b', 'a'])
})

test('events that GitHub took and the disk cannot delete: others are delivered, and none is sent again', async () => {
  let full = true
  const memory = memoryOutbox()
  const outbox: Outbox = {
    ...memory,
    apply: async (changes) => {
      if (full && changes.some((change) => 'forget' in change)) throw new StorageError('disk full')
      await memory.apply(changes)
    },
  }
  const { calls, time, send } = gitHub()
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

describe('after a start', () => {
  test('queued events are delivered in order, after the pause that GitHub asked for before', async () => {
    const first = gitHub(() => limited(30))
    const { put, outbox, key, queue } = await fakeLanes(first.send, { time: first.time })
    for (const id of ['a', 'b']) await put(id)
    await first.time.pass(SECOND)
    await queue.stop()
    const second = gitHub()
    second.time.now = first.time.now
    const again = await fakeLanes(second.send, { time: second.time, outbox, keys: [key] })
    expect(again.queue.waits(LANE)).toBe(true)
    await second.time.pass(HOUR)
    expect(second.calls).toEqual([
      { at: 30 * SECOND, delivery: 'a' },
      { at: 30 * SECOND + 350, delivery: 'b' },
    ])
  })

  test('the first call comes 350 ms later, because the last one may have been just before', async () => {
    const { put, outbox, key, queue, time } = await fakeLanes(async () => DONE)
    for (const id of ['a', 'b']) await put(id)
    await queue.stop()
    const again = gitHub()
    again.time.now = time.now
    await fakeLanes(again.send, { time: again.time, outbox, keys: [key] })
    await again.time.pass(SECOND)
    expect(again.calls).toEqual([
      { at: 350, delivery: 'a' },
      { at: 700, delivery: 'b' },
    ])
  })

  test('with the clock set back by 50 minutes a pause is as long as GitHub asked for', async () => {
    const first = gitHub(() => limited(30))
    first.time.now = START + 50 * MINUTE
    const { put, outbox, key, queue } = await fakeLanes(first.send, { time: first.time })
    await put('a')
    await first.time.pass(SECOND)
    await queue.stop()
    const second = gitHub()
    await fakeLanes(second.send, { time: second.time, outbox, keys: [key] })
    await second.time.pass(MINUTE)
    expect(second.calls.map(({ at }) => at)).toEqual([30 * SECOND])
  })

  test('with the clock set back by a day a pause is an hour at most', async () => {
    const first = gitHub(() => limited(30))
    const { put, outbox, key } = await fakeLanes(first.send, { time: first.time })
    await put('a')
    await first.time.pass(SECOND)
    const second = gitHub()
    second.time.now = START - 24 * HOUR
    await fakeLanes(second.send, { time: second.time, outbox, keys: [key] })
    await second.time.pass(HOUR)
    expect(second.calls).toHaveLength(1)
  })

  test('events of a removed sealing key wait, are counted and logged, and delay no other', async () => {
    const [old, key] = [await generateSealingKey(), await generateSealingKey()]
    const outbox = memoryOutbox()
    const time = new FakeTime()
    const before = await fakeLanes(async () => DONE, { time, outbox, keys: [old] })
    await before.put('sealed for the old key')
    await before.queue.stop()
    const { calls, send } = gitHub()
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
