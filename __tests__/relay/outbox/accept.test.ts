import { describe, expect, test } from '@jest/globals'
import type { Dispatch, DispatchPort } from '../../../src/relay/dispatch.ts'
import { type Attempts, RelayError } from '../../../src/relay/errors.ts'
import { type AcceptPorts, throughOutbox } from '../../../src/relay/outbox/accept.ts'
import { laneNames } from '../../../src/relay/outbox/lane.ts'
import { memoryOutbox } from '../../../src/relay/outbox/memory.ts'
import type { Outbox } from '../../../src/relay/outbox/outbox.ts'
import { sealEventsFor } from '../../../src/relay/outbox/sealed-event.ts'
import {
  dispatchOf,
  FakeTime,
  fakeLanes,
  HOUR,
  MINUTE,
  SECOND,
  START,
} from '../../support/fake-lanes.ts'
import { unavailable as down } from '../../support/relay-errors.ts'

function all(outbox: Outbox) {
  return outbox.list({ states: ['waiting', 'dead'], limit: 10_000 })
}

const DONE: Attempts = { tries: 1, platformStatus: 204 }

/** A relay's dispatch with an outbox, where `ask` and `send` stand for GitHub. */
async function accepting(
  { ask, send }: { ask: DispatchPort; send: DispatchPort },
  {
    time = new FakeTime(),
    outbox = memoryOutbox(),
    pace = 350,
    events = 40_000,
    isKnown = true,
  } = {},
) {
  const lanes = await fakeLanes(send, { time, outbox, pace, limits: { events } })
  const laneOf = laneNames(lanes.governors)
  // GitHub accepted this credential lately, and that of the relay itself.
  for (const kind of ['token', 'key'] as const) {
    if (isKnown) lanes.queue.accepted(await laneOf(dispatchOf('before', kind)))
  }
  const background: Promise<void>[] = []
  const ports: AcceptPorts = {
    ask,
    lanes: lanes.queue,
    seal: sealEventsFor(lanes.key),
    laneOf,
    log: (line) => lanes.log.push(line),
    acceptTime: 2500,
    callTime: 8000,
    now: () => time.now,
    random: () => 1,
    after: (milliseconds, back) => time.at(Symbol('after'), milliseconds, back),
    background: (work) => void background.push(work),
    report: (error) => lanes.reported.push(error),
  }
  const dispatch = throughOutbox(ports)
  /** What became of an event, once it is answered. */
  const accept = (event: Dispatch) => {
    const answer: { attempts?: Attempts; error?: unknown; at?: number } = {}
    const work = dispatch(event)
      .then((attempts) => Object.assign(answer, { attempts }))
      .catch((error) => Object.assign(answer, { error }))
      .then(() => Object.assign(answer, { at: time.now - START }))
    return { answer, work }
  }
  return { ...lanes, time, accept, dispatch, background, laneOf }
}

describe('what GitHub says at once', () => {
  const answer = (code: string, status: number, platformStatus?: number) =>
    new RelayError(status, code, 'no', {
      hint: '',
      ...(platformStatus !== undefined && { attempts: { tries: 1, platformStatus } }),
    })

  test.each([
    ['401', answer('invalid_token', 401, 401)],
    ['403', answer('repository_not_accessible', 403, 403)],
    ['404', answer('repository_not_accessible', 403, 404)],
    ['413', answer('payload_too_large', 413, 413)],
    ['422', answer('rejected', 422, 422)],
    ['a redirect elsewhere', answer('platform_unavailable', 502, 301)],
    ['a fault of ours', new TypeError('ours')],
  ])('is told and not swallowed: %s', async (_name, error) => {
    const refuse = async () => {
      throw error
    }
    const { dispatch, outbox } = await accepting({ ask: refuse, send: refuse })
    await expect(dispatch(dispatchOf('a'))).rejects.toBe(error)
    expect(await all(outbox)).toEqual([])
  })

  test.each([
    ['429', answer('rate_limited', 429, 429)],
    ['503', down()],
    ['408', answer('platform_unavailable', 502, 408)],
    ['409', answer('platform_unavailable', 502, 409)],
    ['a page that is not GitHub’s', answer('platform_unavailable', 502, 200)],
    ['no room to ask for a token', answer('overloaded', 503)],
    ['a reset', answer('platform_unavailable', 502)],
    ['no answer', answer('platform_timeout', 504)],
  ])('is kept where it is not now: %s', async (_name, error) => {
    const refuse = async () => {
      throw error
    }
    const { dispatch, outbox } = await accepting({ ask: refuse, send: refuse })
    await expect(dispatch(dispatchOf('a'))).resolves.toMatchObject({ queued: expect.any(String) })
    expect(await all(outbox)).toMatchObject([{ delivery: 'a', reason: error.code }])
  })
})

describe('time to accept', () => {
  test('an answer in time is the answer; nothing is kept, and no timer is left', async () => {
    const time = new FakeTime()
    const { accept, queue } = await accepting(
      {
        ask: async () => {
          await time.sleep(2400)
          return DONE
        },
        send: async () => DONE,
      },
      { time },
    )
    const { answer, work } = accept(dispatchOf('a'))
    await time.settled(work)
    await time.pass(2400)
    await work
    expect(answer).toEqual({ attempts: DONE, at: 2400 })
    expect(queue.figures().waiting).toBe(0)
  })

  test.each([
    ['accepted at last: one call, and nothing waits', undefined, 1],
    ['failed at last: called again after it', down(), 2],
    ['refused at last: a dead letter', new RelayError(422, 'rejected', 'no', { hint: '' }), 1],
  ])('no answer in 2.5 s is kept, and the call is not cut off; %s', async (_name, error, count) => {
    const calls: number[] = []
    const time = new FakeTime()
    const { accept, outbox } = await accepting(
      {
        ask: async () => {
          calls.push(time.now - START)
          await time.sleep(6 * SECOND)
          if (error) throw error
          return DONE
        },
        send: async () => {
          calls.push(time.now - START)
          return DONE
        },
      },
      { time },
    )
    const { answer, work } = accept(dispatchOf('a'))
    await time.settled(work)
    await time.pass(2500)
    await work
    expect(answer).toEqual({ attempts: { tries: 1, queued: 'platform_timeout' }, at: 2500 })
    // What follows waits behind it.
    const behind = accept(dispatchOf('b'))
    await behind.work
    expect(behind.answer.attempts).toEqual({ tries: 0, queued: 'queued' })
    await time.pass(3400)
    expect(calls).toEqual([0])
    await time.pass(MINUTE)
    const left = await all(outbox)
    expect(left.map(({ delivery, reason }) => [delivery, reason])).toEqual(
      error?.code === 'rejected' ? [['a', 'rejected']] : [],
    )
    expect(calls).toHaveLength(count + 1)
    expect(calls[1]).toBeGreaterThanOrEqual(6000)
  })

  test('a call that was open when the relay was killed is made again once it must have ended', async () => {
    const time = new FakeTime()
    const never = new Promise<never>(() => {})
    const first = await accepting({ ask: () => time.rest(never), send: async () => DONE }, { time })
    const { work } = first.accept(dispatchOf('a'))
    await time.settled(work)
    await time.pass(2500)
    await work
    await first.queue.stop()
    const calls: number[] = []
    const after = new FakeTime()
    after.now = time.now
    await fakeLanes(
      async () => {
        calls.push(after.now - START)
        return DONE
      },
      { time: after, outbox: first.outbox, keys: [first.key] },
    )
    await after.pass(MINUTE)
    expect(calls).toEqual([8000])
  })
})

describe('whom it keeps events of', () => {
  const GONE = new RelayError(401, 'invalid_token', 'no', {
    hint: '',
    attempts: { tries: 1, platformStatus: 401 },
  })
  const refusing = (error: RelayError) => async () => {
    throw error
  }

  test.each([
    'invalid_token',
    'repository_not_accessible',
    'app_not_installed',
    'app_key_rejected',
    'app_permission_missing',
  ])(
    'the relay’s own authority, accepted before and now %s: all are kept, with an alarm',
    async (code) => {
      const error = new RelayError(403, code, 'no', { hint: '' })
      const { dispatch, outbox, log } = await accepting({
        ask: refusing(error),
        send: refusing(error),
      })
      for (let n = 0; n < 50; n++) {
        const kept = await dispatch(dispatchOf(`${n}`, 'key'))
        expect(kept).toMatchObject({ queued: n === 0 ? code : 'queued' })
      }
      expect(await all(outbox)).toHaveLength(50)
      expect(log).toContainEqual(
        expect.objectContaining({ level: 'error', outbox: 'kept', reason: code }),
      )
    },
  )

  test.each([
    ['the authority of the relay in its first trial', 'key' as const, GONE],
    ['a stranger’s token while GitHub is down', 'token' as const, down()],
    ['a key of the relay for a repository that GitHub never took', 'key' as const, down()],
  ])('%s is told at once, and nothing is kept', async (_name, kind, error) => {
    const ports = { ask: refusing(error), send: refusing(error) }
    const { dispatch, outbox } = await accepting(ports, { isKnown: false })
    for (let n = 0; n < 20; n++) {
      await expect(dispatch(dispatchOf(`${n}`, kind))).rejects.toBe(error)
    }
    expect(await all(outbox)).toEqual([])
  })

  test('a sender’s own token is told of its refusal, though it was accepted before', async () => {
    const { dispatch, outbox } = await accepting({ ask: refusing(GONE), send: refusing(GONE) })
    await expect(dispatch(dispatchOf('a'))).rejects.toBe(GONE)
    expect(await all(outbox)).toEqual([])
  })

  test('a success that needs no outbox makes a credential one that is kept later, after a restart too', async () => {
    const answers: (RelayError | undefined)[] = [undefined, down()]
    const ask = async () => {
      const error = answers.shift()
      if (error) throw error
      return DONE
    }
    const first = await accepting({ ask, send: refusing(down()) }, { isKnown: false })
    await first.dispatch(dispatchOf('a'))
    const { outbox, key, time, laneOf } = first
    const again = await fakeLanes(refusing(down()), { outbox, keys: [key], time })
    expect(await again.queue.wasAccepted(await laneOf(dispatchOf('a')))).toBe(true)
    expect(await first.dispatch(dispatchOf('b'))).toMatchObject({ queued: 'platform_unavailable' })
  })

  test('thirty days later it is a stranger’s again', async () => {
    const time = new FakeTime()
    const { queue, laneOf } = await accepting(
      { ask: async () => DONE, send: async () => DONE },
      { time },
    )
    const lane = await laneOf(dispatchOf('a'))
    expect(await queue.wasAccepted(lane)).toBe(true)
    await time.pass(31 * 24 * HOUR)
    expect(await queue.wasAccepted(lane)).toBe(false)
  })

  test('what GitHub cannot take, and the outbox has no room for, is 503; what it takes passes', async () => {
    const answers = [down(), down(), undefined]
    const ask = async () => {
      const error = answers.shift()
      if (error) throw error
      return DONE
    }
    const { dispatch, queue, laneOf } = await accepting(
      { ask, send: refusing(down()) },
      { events: 1 },
    )
    const other = { ...dispatchOf('b'), repository: { owner: 'o', name: 'elsewhere' } }
    queue.accepted(await laneOf(other))
    await expect(dispatch(dispatchOf('a'))).resolves.toMatchObject({ queued: expect.any(String) })
    await expect(dispatch(other)).rejects.toMatchObject({ status: 503, code: 'outbox_full' })
    await expect(dispatch({ ...other, delivery: 'c' })).resolves.toEqual(DONE)
  })
})

test('lanes: one a repository and token, whatever case; one for all keys and grants', async () => {
  const { laneOf } = await accepting({ ask: async () => DONE, send: async () => DONE })
  const named = (owner: string, name: string, kind?: 'key') => ({
    ...dispatchOf('a', kind),
    repository: { owner, name },
  })
  const lane = await laneOf(named('O', 'R'))
  expect(lane).toMatch(/^o\/r#[0-9a-f]{64}$/)
  expect(await laneOf(named('o', 'r'))).toBe(lane)
  expect(await laneOf(named('o', 'r2'))).not.toBe(lane)
  expect(await laneOf(named('o', 'r', 'key'))).toBe('o/r#own')
})

describe('in which order a lane is handed over', () => {
  const failed = () =>
    new RelayError(502, 'platform_unavailable', 'no', {
      hint: '',
      attempts: { tries: 1, platformStatus: 500 },
    })
  const silent = () => new RelayError(504, 'platform_timeout', 'no answer', { hint: '' })
  const limited = () => new RelayError(429, 'rate_limited', 'no', { hint: '', retryAfter: 50 })
  const between = (at: number, from: number, to: number) => at >= from && at < to
  const isPoison = (delivery: string) => ['0', '1', '2'].includes(delivery)

  const EVERY = 75

  interface Weather {
    /** What GitHub answers to an event, so many seconds after the start; takes it where nothing. */
    readonly github: (delivery: string, at: number) => RelayError | undefined
    /** Of its answers to what waited. */
    readonly seconds?: number
    /** Seconds between events, for an hour and a half; {@link EVERY} when left out. */
    readonly every?: number
    /** Those that may come behind others, and must be set aside. */
    readonly aside?: readonly string[]
    readonly dead?: number
    /** So often those are tried at most. */
    readonly tries?: number
    readonly events?: number
  }

  const WEATHERS: readonly (readonly [string, Weather])[] = [
    [
      'an hour of outage, from the first event on: as they came',
      { github: (_delivery, at) => (at < 3600 ? down() : undefined) },
    ],
    ...[37].map((more): readonly [string, Weather] => [
      `an outage that ends ${more} s after an hour: as they came`,
      { github: (_delivery, at) => (between(at, 60, 3660 + more) ? down() : undefined) },
    ]),
    [
      'an outage of few events, so that each was tried often: as they came',
      { github: (_delivery, at) => (at < 3660 ? down() : undefined), every: 900 },
    ],
    [
      'twelve outages, none for a minute: as they came',
      { github: (_delivery, at) => (at % 300 < 50 ? down() : undefined) },
    ],
    [
      'an hour of limits: as they came',
      { github: (_delivery, at) => (at < 3600 ? limited() : undefined) },
    ],
    [
      'a GitHub so slow that calls overlap, then away for an hour: as they came',
      {
        github: (_delivery, at) =>
          between(at, 30, 1800) || between(at, 2400, 4000) ? down() : undefined,
        ...{ seconds: 5, every: 15 },
      },
    ],
    [
      'no answer for half an hour: as they came, but for those that ten calls may have started',
      { github: (_delivery, at) => (at < 1800 ? silent() : undefined), dead: 4 },
    ],
    [
      'an hour of 500, which may have started a run: the same, and few of them',
      { github: (_delivery, at) => (at < 3600 ? failed() : undefined), dead: 8 },
    ],
    [
      'one among many that GitHub alone refuses: the others as they came',
      { github: (delivery) => (delivery === '20' ? down() : undefined), aside: ['20'] },
    ],
    [
      'one of those whose calls overlap: the others as they came, and it waits by itself',
      {
        github: (delivery, at) => (between(at, 30, 600) || delivery === '90' ? down() : undefined),
        ...{ seconds: 5, every: 4, events: 200, aside: ['90'], tries: 20 },
      },
    ],
    [
      'three such ones in a row: the others as they came',
      { github: (delivery) => (isPoison(delivery) ? down() : undefined), aside: ['0', '1', '2'] },
    ],
    [
      'one, when an outage begins that lasts for an hour: the others as they came',
      {
        github: (delivery, at) => (at < 3600 || delivery === '0' ? down() : undefined),
        aside: ['0'],
      },
    ],
    [
      'one in the middle of what came in an outage: the others as they came',
      {
        github: (delivery, at) => (at < 3600 || delivery === '40' ? down() : undefined),
        aside: ['40'],
      },
    ],
    [
      'one that is taken after an hour: it comes back, and the others do not wait for it',
      {
        github: (delivery, at) => (delivery === '0' && at < 3600 ? down() : undefined),
        aside: ['0'],
      },
    ],
    [
      'one that is refused for good in an outage: a dead letter, and the others as they came',
      {
        github: (delivery, at) => {
          if (delivery === '1' && at > 60)
            return new RelayError(422, 'rejected', 'no', { hint: '' })
          return at < 3600 ? down() : undefined
        },
        dead: 1,
      },
    ],
  ]

  test.each(WEATHERS)('%s', async (_name, weather) => {
    const { github, seconds = 0, every = EVERY, aside = [], dead = 0, tries = 200 } = weather
    const time = new FakeTime()
    const delivered: string[] = []
    const asked: string[] = []
    const send: DispatchPort = async ({ delivery }) => {
      asked.push(delivery)
      const error = github(delivery, (time.now - START) / SECOND)
      if (seconds > 0) await time.sleep(seconds * SECOND)
      if (error) throw error
      delivered.push(delivery)
      return DONE
    }
    const outbox = memoryOutbox()
    const isAside = new Set<string>()
    const watched: Outbox = {
      ...outbox,
      apply: async (changes) => {
        for (const change of changes) {
          if ('set' in change && change.set.aside > 0) isAside.add(change.set.delivery)
        }
        await outbox.apply(changes)
      },
    }
    const { accept, queue } = await accepting({ ask: send, send }, { time, outbox: watched })
    const events = weather.events ?? Math.floor(5400 / every)
    for (let n = 0; n < events; n++) {
      const { work } = accept(dispatchOf(`${n}`))
      await time.settled(work)
      await time.pass(every * SECOND)
    }
    await time.pass(HOUR)
    const gone = (await outbox.list({ states: ['dead'], limit: 100 })).map(
      ({ delivery }) => delivery,
    )
    const inLine = (delivery: string) => ![...aside, ...gone].includes(delivery)
    const arrived = Array.from({ length: events }, (_, n) => `${n}`)
    expect(delivered.filter(inLine)).toEqual(arrived.filter(inLine))
    expect([...isAside]).toEqual(aside)
    expect(gone.length).toBeLessThanOrEqual(dead)
    for (const alone of aside) {
      expect(asked.filter((delivery) => delivery === alone).length).toBeLessThanOrEqual(tries)
    }
    const refused = aside.filter((delivery) => github(delivery, 5400))
    expect(queue.figures().waiting).toBe(refused.length)
    expect(new Set([...delivered, ...gone, ...refused]).size).toBe(events)
  })

  test.each([
    ['asks for patience', limited],
    [
      'refuses the credential',
      () => new RelayError(403, 'repository_not_accessible', 'no', { hint: '' }),
    ],
  ])(
    'where GitHub %s when others are tried, the first in line is the next',
    async (_name, said) => {
      const time = new FakeTime()
      const calls: string[] = []
      const { put } = await fakeLanes(
        async ({ delivery }) => {
          calls.push(delivery)
          if (calls.length <= 3) throw down()
          if (calls.length === 4) throw said()
          return DONE
        },
        { time },
      )
      for (const delivery of ['a', 'b', 'c']) await put(delivery)
      await time.pass(10 * SECOND)
      expect(calls).toEqual(['a', 'a', 'a', 'b'])
      await time.pass(2 * MINUTE)
      expect(calls.slice(4)).toEqual(['a', 'b', 'c'])
    },
  )

  test('no other is tried of which a call may still be open', async () => {
    const time = new FakeTime()
    const calls: [string, number][] = []
    const { put } = await fakeLanes(
      async ({ delivery }) => {
        calls.push([delivery, (time.now - START) / SECOND])
        throw down()
      },
      { time },
    )
    await put('a', { tries: 1, wait: SECOND })
    await put('b', { wait: 20 * SECOND, reason: 'platform_timeout' })
    await put('c', { wait: 70 * SECOND, reason: 'platform_timeout' })
    await time.pass(5 * MINUTE)
    const first = (delivery: string) => calls.find(([called]) => called === delivery)?.[1] ?? 0
    expect(first('b')).toBeGreaterThanOrEqual(20)
    expect(first('c')).toBeGreaterThanOrEqual(70)
  })

  test('once GitHub takes one, its failures count from one again: a second, then two', async () => {
    const time = new FakeTime()
    const calls: number[] = []
    let isDown = true
    const send: DispatchPort = async () => {
      calls.push(time.now - START)
      if (isDown) throw down()
      return DONE
    }
    const { accept } = await accepting({ ask: send, send }, { time })
    for (const delivery of ['a', 'b', 'c']) await accept(dispatchOf(delivery)).work
    await time.pass(10 * MINUTE)
    isDown = false
    const before = calls.length
    for (let n = 0; n < 60 && calls.length === before; n++) await time.pass(SECOND)
    isDown = true
    const [taken = 0] = calls.slice(before)
    await time.pass(10 * SECOND)
    expect(calls.slice(before).map((at) => at - taken)).toEqual([0, 350, 700, 1700, 3700, 7700])
  })

  test('an event that comes while its lane waits goes straight in, and behind; after it GitHub is asked first again', async () => {
    const time = new FakeTime()
    const asked: string[] = []
    const send =
      (name: string): DispatchPort =>
      async ({ delivery }) => {
        asked.push(`${name} ${delivery}`)
        if (time.now - START < MINUTE) throw down()
        return DONE
      }
    const { accept } = await accepting({ ask: send('ask'), send: send('send') }, { time })
    for (const delivery of ['a', 'b']) await accept(dispatchOf(delivery)).work
    await time.pass(MINUTE - SECOND)
    await accept(dispatchOf('c')).work
    await time.pass(MINUTE)
    await accept(dispatchOf('d')).work
    expect(asked.filter((call) => call.startsWith('ask'))).toEqual(['ask a', 'ask d'])
    expect(asked.slice(-4)).toEqual(['send a', 'send b', 'send c', 'ask d'])
  })
})

test('an hour of outage at 80 events a minute: none lost, in order, drained in 53 minutes', async () => {
  // A fortieth of the events, at a fortieth of the pace, is the same outage.
  const events = 240
  const slower = 9600 / events
  const time = new FakeTime()
  const delivered: string[] = []
  const isDown = () => time.now - START < HOUR
  const github: DispatchPort = async ({ delivery }) => {
    if (isDown()) throw down()
    delivered.push(delivery)
    return DONE
  }
  const { accept, queue } = await accepting(
    { ask: github, send: github },
    { time, pace: 350 * slower },
  )
  const answers: (Attempts | undefined)[] = []
  let drained = 0
  for (let n = 0; n < events; n++) {
    const { answer, work } = accept(dispatchOf(`${n}`))
    await time.settled(work)
    answers.push(answer.attempts)
    if (!isDown() && drained === 0 && queue.figures().waiting === 0) drained = time.now - START
    await time.pass(750 * slower)
  }
  await time.pass(HOUR)
  expect(answers.every((attempts) => attempts !== undefined)).toBe(true)
  expect(delivered).toEqual(Array.from({ length: events }, (_, n) => `${n}`))
  expect(queue.figures()).toMatchObject({ waiting: 0, dead: 0 })
  const minutes = (drained - HOUR) / MINUTE
  expect(minutes).toBeGreaterThan(50)
  expect(minutes).toBeLessThan(56)
})
