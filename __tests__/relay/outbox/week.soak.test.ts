import { expect, test } from '@jest/globals'
import { generateSealingKey, type SealingKey } from '../../../src/relay/credentials/seal.ts'
import {
  githubTimeout,
  invalidToken,
  RelayError,
  rateLimited,
  unknownOutcome,
} from '../../../src/relay/errors.ts'
import type { Dispatch, DispatchPort } from '../../../src/relay/github/dispatch.ts'
import { memoryOutbox } from '../../../src/relay/outbox/memory.ts'
import { allEvents } from '../../../src/relay/outbox/outbox.ts'
import {
  dispatchOf,
  FakeTime,
  fakeLanes,
  HOUR,
  MINUTE,
  SECOND,
  START,
} from '../../support/fake-lanes.ts'
import { unavailable } from '../../support/relay-errors.ts'
import { randomOf } from '../../support/virtual-time.ts'

/** One every three seconds for a week. */
const EVENTS = 201_600
const BETWEEN = 3 * SECOND
const REPOSITORIES = ['alpha', 'beta', 'gamma']

/** What GitHub is like for some minutes, the shortest and the longest time. */
const WEATHER = {
  healthy: [10, 120],
  slow: [5, 60],
  down: [1, 240],
  silent: [1, 60],
  // It takes events, and breaks off before it says so.
  resetting: [1, 5],
  limited: [1, 60],
  expired: [5, 180],
  gone: [5, 60],
} as const satisfies Record<string, readonly [number, number]>

type Weather = keyof typeof WEATHER
const KINDS = Object.keys(WEATHER) as Weather[]

/** Another week at each run; the name of the test has the seed. */
const SEED = Math.floor(Math.random() * 2 ** 32)
const random = randomOf(SEED)
const between = (least: number, most: number) => least + random() * (most - least)

/** What GitHub does with an event: takes it, or throws. */
class Sky {
  weather: Weather = 'healthy'
  readonly taken = new Set<string>()
  isFixed = false
  time = new FakeTime()
  /** Passed, whatever clocks say. */
  #until = 0

  /** @param passed milliseconds since the start */
  change(passed: number): void {
    if (passed < this.#until) return
    // Every other time it is well, so that a backlog can fall.
    this.weather =
      this.weather === 'healthy'
        ? (KINDS[Math.floor(between(1, KINDS.length))] ?? 'down')
        : 'healthy'
    const [least, most] = WEATHER[this.weather]
    this.#until = passed + between(least, most) * MINUTE
  }

  take(dispatch: Dispatch, hasWaited: boolean): void {
    const { delivery, credential } = dispatch
    const number = Number(delivery.split('-')[0])
    const isOwn = credential.kind === 'key'
    if (this.weather === 'down') throw unavailable()
    if (this.weather === 'silent') throw githubTimeout(undefined)
    if (this.weather === 'limited') throw rateLimited(Math.ceil(between(1, 3600)))
    if (this.weather === 'expired' && isOwn) throw invalidToken()
    if (this.weather === 'gone' && isOwn) {
      throw new RelayError(403, 'repository_not_accessible', 'gone', { hint: '' })
    }
    // Some are refused for themselves, once they have waited; some alone meet a fault of GitHub's.
    if (!this.isFixed && hasWaited && number % 500 === 7) {
      throw new RelayError(422, 'event_rejected', 'no', { hint: '' })
    }
    if (!this.isFixed && number % 900 === 11) throw unavailable()
    this.taken.add(delivery)
    if (this.weather === 'resetting') throw unknownOutcome()
  }

  readonly ask: DispatchPort = async (dispatch) => {
    this.take(dispatch, false)
    return { tries: 1, githubStatus: 204 }
  }

  readonly send: DispatchPort = async (dispatch) => {
    if (this.weather === 'slow') await this.time.sleep(1500)
    this.take(dispatch, true)
    return { tries: 1, githubStatus: 204 }
  }
}

const outbox = memoryOutbox()
const limits = { events: 100_000, bytes: 256 * 1024 * 1024, age: 72 * HOUR }

/** A relay on the same outbox, with the clock of its machine at its start. */
async function startAt(now: number, sky: Sky, key: SealingKey) {
  const time = new FakeTime()
  time.now = now
  sky.time = time
  return fakeLanes(sky.send, { time, outbox, keys: [key], limits, ask: sky.ask })
}

function eventOf(number: number): Dispatch {
  const name = REPOSITORIES[number % REPOSITORIES.length] ?? ''
  const dispatch = dispatchOf(`${number}-event`, number % 4 === 0 ? 'token' : 'key')
  return { ...dispatch, repository: { owner: 'o', name } }
}

test(`201,600 events, one every 3 s for a week, through outages, limits, refusals, restarts and clock jumps: no accepted event is lost (seed ${SEED})`, async () => {
  const sky = new Sky()
  const key = await generateSealingKey()
  let relay = await startAt(START, sky, key)
  for (let number = -12; number < 0; number++) {
    await relay.time.settled(relay.dispatch(eventOf(number + 12)).catch(() => {}))
  }
  const kept: string[] = []
  const falselyDelivered: string[] = []
  let nextStart = HOUR
  let restarts = 0
  for (let number = 12; number < EVENTS; number++) {
    const passed = number * BETWEEN
    sky.change(passed)
    const event = eventOf(number)
    const work = relay.dispatch(event).then(
      ({ queued }) => {
        if (queued) kept.push(event.delivery)
        else if (!sky.taken.has(event.delivery)) falselyDelivered.push(event.delivery)
      },
      // The sender was told.
      () => {},
    )
    await relay.time.settled(work)
    await relay.time.pass(BETWEEN)
    if (number % 1200 === 0) await relay.queue.check()
    if (passed < nextStart) continue
    nextStart = passed + between(1, 6) * HOUR
    restarts++
    await relay.stop()
    expect(relay.reported).toEqual([])
    // Ahead, behind, or right: a machine whose clock is set at its start.
    const jump = [0, 50 * MINUTE, -50 * MINUTE, 0][restarts % 4] ?? 0
    relay = await startAt(START + passed + jump, sky, key)
  }
  sky.weather = 'healthy'
  for (let hours = 0; hours < 100 && relay.queue.figures().waiting > 0; hours++) {
    await relay.time.pass(HOUR)
    await relay.queue.check()
  }
  const dead = new Set<string>()
  for await (const { delivery } of allEvents(outbox, { states: ['dead'] })) dead.add(delivery)
  const gone = kept.filter((delivery) => !sky.taken.has(delivery) && !dead.has(delivery))
  expect([gone, falselyDelivered]).toEqual([[], []])
  expect(relay.queue.figures().waiting).toBe(0)
  expect(kept.length).toBeGreaterThan(EVENTS / 20)
  expect(dead.size).toBeGreaterThan(0)

  // And each of these can be sent again, once its fault is fixed.
  sky.isFixed = true
  expect(await relay.actions.replayAll({})).toBe(dead.size)
  await relay.time.pass(dead.size * SECOND + HOUR)
  expect(relay.queue.figures()).toMatchObject({ waiting: 0, dead: 0 })
  expect(kept.filter((delivery) => !sky.taken.has(delivery))).toEqual([])
})
