import { expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import type { DispatchPort } from '../../../src/relay/github/dispatch.ts'
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

const DONE = { tries: 1, githubStatus: 204 }

const failed = () =>
  new RelayError(502, 'github_unavailable', 'no', {
    hint: '',
    attempts: { tries: 1, githubStatus: 500 },
  })
const silent = () => new RelayError(504, 'github_timeout', 'no answer', { hint: '' })
const limited = () => new RelayError(429, 'rate_limited', 'no', { hint: '', retryAfter: 50 })
const between = (at: number, from: number, to: number) => at >= from && at < to

const NOT_ACCESSIBLE = 'repository_not_accessible'

interface Scenario {
  /** The response of GitHub to an event, so many seconds after the start; it takes the event where none. */
  readonly github: (delivery: string, at: number) => RelayError | undefined
  /** Seconds that GitHub takes to respond. */
  readonly seconds?: number
  /** Seconds between two events. */
  readonly every?: number
  readonly events?: number
  /** Events that GitHub refuses alone: they may be delivered after others. */
  readonly isolated?: readonly string[]
  /** Dead letters, at most. */
  readonly dead?: number
  /** Calls for an isolated event, at most. */
  readonly calls?: number
}

const SCENARIOS: readonly (readonly [string, Scenario])[] = [
  ['an outage of an hour', { github: (_, at) => (at < 3600 ? down() : undefined) }],
  [
    'an outage of an hour and 37 s, a minute after the first event',
    { github: (_, at) => (between(at, 60, 3697) ? down() : undefined) },
  ],
  [
    'an outage in which 5 events wait, so that each is tried often',
    { github: (_, at) => (at < 3660 ? down() : undefined), every: 900, events: 6 },
  ],
  ['18 outages of 50 s', { github: (_, at) => (at % 300 < 50 ? down() : undefined) }],
  ['an hour of rate limits', { github: (_, at) => (at < 3600 ? limited() : undefined) }],
  [
    'responses after 5 s, so that calls overlap, and two outages',
    {
      github: (_, at) => (between(at, 30, 1800) || between(at, 2400, 4000) ? down() : undefined),
      ...{ seconds: 5, every: 15, events: 360 },
    },
  ],
  [
    'half an hour without a response, in which at most 4 events are given up',
    { github: (_, at) => (at < 1800 ? silent() : undefined), dead: 4 },
  ],
  [
    'an hour of 500, in which at most 8 events are given up',
    { github: (_, at) => (at < 3600 ? failed() : undefined), dead: 8 },
  ],
  [
    'an event that GitHub refuses alone',
    { github: (delivery) => (delivery === '20' ? down() : undefined), isolated: ['20'] },
  ],
  [
    'such an event whose call overlaps with others, tried at most 20 times',
    {
      github: (delivery, at) => (between(at, 30, 600) || delivery === '90' ? down() : undefined),
      ...{ seconds: 5, every: 4, events: 200, isolated: ['90'], calls: 20 },
    },
  ],
  [
    'three such events in a row',
    {
      github: (delivery) => (['0', '1', '2'].includes(delivery) ? down() : undefined),
      isolated: ['0', '1', '2'],
    },
  ],
  [
    'such an event as the first of an outage',
    {
      github: (delivery, at) => (at < 3600 || delivery === '0' ? down() : undefined),
      isolated: ['0'],
    },
  ],
  [
    'such an event in the middle of an outage',
    {
      github: (delivery, at) => (at < 3600 || delivery === '40' ? down() : undefined),
      isolated: ['40'],
    },
  ],
  [
    'such an event that GitHub takes after an hour',
    {
      github: (delivery, at) => (delivery === '0' && at < 3600 ? down() : undefined),
      isolated: ['0'],
    },
  ],
  [
    'an event that is rejected in an outage: one dead letter',
    {
      github: (delivery, at) => {
        if (delivery === '1' && at > 60)
          return new RelayError(422, 'event_rejected', 'no', { hint: '' })
        return at < 3600 ? down() : undefined
      },
      dead: 1,
    },
  ],
]

test.each(SCENARIOS)(
  'events are delivered in the order of arrival: %s',
  async (_name, scenario) => {
    const { github, seconds = 0, every = 75, events = 72, isolated = [] } = scenario
    const time = new FakeTime()
    const delivered: string[] = []
    const called: string[] = []
    const send: DispatchPort = async ({ delivery }) => {
      called.push(delivery)
      const error = github(delivery, (time.now - START) / SECOND)
      if (seconds > 0) await time.sleep(seconds * SECOND)
      if (error) throw error
      delivered.push(delivery)
      return DONE
    }
    const { dispatch, outbox, queue } = await fakeLanes(send, { time, isKnown: true })
    for (let n = 0; n < events; n++) {
      await time.settled(dispatch(dispatchOf(`${n}`)))
      await time.pass(every * SECOND)
    }
    await time.pass(HOUR)
    const dead = (await outbox.list({ states: ['dead'], limit: 100 })).map(
      ({ delivery }) => delivery,
    )
    expect(dead.length).toBeLessThanOrEqual(scenario.dead ?? 0)
    const isInOrder = (delivery: string) => ![...isolated, ...dead].includes(delivery)
    const arrived = Array.from({ length: events }, (_, n) => `${n}`)
    expect(delivered.filter(isInOrder)).toEqual(arrived.filter(isInOrder))
    for (const one of isolated) {
      const calls = called.filter((delivery) => delivery === one)
      expect(calls.length).toBeLessThanOrEqual(scenario.calls ?? 200)
    }
    const refused = isolated.filter((delivery) => github(delivery, 5400))
    expect(queue.figures().waiting).toBe(refused.length)
    expect(new Set([...delivered, ...dead, ...refused]).size).toBe(events)
  },
)

test.each([
  ['limits the rate', limited],
  ['refuses the credential', () => new RelayError(403, NOT_ACCESSIBLE, 'no', { hint: '' })],
])(
  'GitHub %s when an event behind the first is tried: the first event is the next again',
  async (_name, refusal) => {
    const time = new FakeTime()
    const calls: string[] = []
    const { put } = await fakeLanes(
      async ({ delivery }) => {
        calls.push(delivery)
        if (calls.length <= 3) throw down()
        if (calls.length === 4) throw refusal()
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

test('an event whose call may still be open is not tried in place of the first', async () => {
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
  await put('b', { wait: 20 * SECOND, reason: 'github_timeout' })
  await put('c', { wait: 70 * SECOND, reason: 'github_timeout' })
  await time.pass(5 * MINUTE)
  const first = (delivery: string) => calls.find(([called]) => called === delivery)?.[1] ?? 0
  expect(first('b')).toBeGreaterThanOrEqual(20)
  expect(first('c')).toBeGreaterThanOrEqual(70)
})

test('after a delivery the pauses begin with a second again, then two, then four', async () => {
  const time = new FakeTime()
  const calls: number[] = []
  let isDown = true
  const send: DispatchPort = async () => {
    calls.push(time.now - START)
    if (isDown) throw down()
    return DONE
  }
  const { dispatch } = await fakeLanes(send, { time, isKnown: true })
  for (const delivery of ['a', 'b', 'c']) await dispatch(dispatchOf(delivery))
  await time.pass(10 * MINUTE)
  isDown = false
  const before = calls.length
  for (let n = 0; n < 60 && calls.length === before; n++) await time.pass(SECOND)
  isDown = true
  const [taken = 0] = calls.slice(before)
  await time.pass(10 * SECOND)
  expect(calls.slice(before).map((at) => at - taken)).toEqual([0, 350, 700, 1700, 3700, 7700])
})
