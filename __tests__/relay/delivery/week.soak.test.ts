import { expect, test } from '@jest/globals'
import {
  githubTimeout,
  invalidToken,
  RelayError,
  rateLimited,
  unknownOutcome,
} from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/send.ts'
import { dispatchOf, type FakeGitHub, fakeOutbox, storedEvents } from '../../support/fake-outbox.ts'
import { FakeTime, HOUR, MINUTE, randomOf, SECOND, START } from '../../support/fake-time.ts'
import { memoryDatabase } from '../../support/memory-database.ts'
import { unavailable } from '../../support/relay-errors.ts'

/** One event every three seconds for a week. */
const EVENTS = 201_600
const BETWEEN = 3 * SECOND
const REPOSITORIES = ['alpha', 'beta', 'gamma']

/** States of GitHub, with their shortest and longest time in minutes. */
const WEATHER = {
  healthy: [10, 120],
  slow: [5, 60],
  down: [1, 240],
  silent: [1, 60],
  // GitHub accepts events, and the connection ends before its response.
  resetting: [1, 5],
  limited: [1, 60],
  expired: [5, 180],
  gone: [5, 60],
} as const satisfies Record<string, readonly [number, number]>

type Weather = keyof typeof WEATHER
const KINDS = Object.keys(WEATHER) as Weather[]

/** Another seed in each run; the name of the test contains it. */
const SEED = Math.floor(Math.random() * 2 ** 32)
const random = randomOf(SEED)
const between = (least: number, most: number) => least + random() * (most - least)

/** GitHub rejects the event for itself after it waited. */
const isRejected = (number: number) => number % 500 === 7
/** GitHub answers each attempt with 503, whatever its state. */
const isUnlucky = (number: number) => number % 900 === 11
const numberOf = (delivery: string) => Number(delivery.split('-')[0])

/** A GitHub that accepts an event, or throws. */
class Weathered {
  weather: Weather = 'healthy'
  readonly taken = new Set<string>()
  isFixed = false
  time = new FakeTime()
  /** End of the present state, in milliseconds since the start, independent of clocks. */
  #until = 0

  /** @param passed milliseconds since the start */
  change(passed: number): void {
    if (passed < this.#until) return
    // Every other state is fine, so that a backlog can shrink.
    this.weather =
      this.weather === 'healthy'
        ? (KINDS[Math.floor(between(1, KINDS.length))] ?? 'down')
        : 'healthy'
    const [least, most] = WEATHER[this.weather]
    this.#until = passed + between(least, most) * MINUTE
  }

  take(dispatch: Dispatch, hasWaited: boolean): void {
    const { delivery, credential } = dispatch
    const number = numberOf(delivery)
    const isOwn = credential.kind === 'endpoint'
    if (this.weather === 'down') throw unavailable()
    if (this.weather === 'silent') throw githubTimeout(undefined)
    if (this.weather === 'limited') throw rateLimited(Math.ceil(between(1, 3600)))
    if (this.weather === 'expired' && isOwn) throw invalidToken()
    if (this.weather === 'gone' && isOwn) {
      throw new RelayError(403, 'repository_not_accessible', 'gone', { hint: '' })
    }
    if (!this.isFixed && hasWaited && isRejected(number)) {
      throw new RelayError(422, 'event_rejected', 'no', { hint: '' })
    }
    if (!this.isFixed && isUnlucky(number)) throw unavailable()
    this.taken.add(delivery)
    if (this.weather === 'resetting') throw unknownOutcome()
  }

  readonly live: FakeGitHub = async (dispatch) => this.take(dispatch, false)

  readonly later: FakeGitHub = async (dispatch) => {
    if (this.weather === 'slow') await this.time.sleep(1500)
    this.take(dispatch, true)
  }
}

const limits = { events: 100_000, bytes: 256 * 1024 * 1024, age: 72 * HOUR }

function eventOf(number: number): Dispatch {
  const name = REPOSITORIES[number % REPOSITORIES.length] ?? ''
  return dispatchOf(`${number}-event`, { kind: number % 4 === 0 ? 'token' : 'endpoint', name })
}

test(`201,600 events, one every 3 s for a week, through outages, limits, refusals, restarts and clock jumps: no accepted event is lost (seed ${SEED})`, async () => {
  const sky = new Weathered()
  const database = await memoryDatabase()
  /** A relay on the same disk, with the clock of its machine at its start. */
  const startAt = async (now: number) => {
    const time = new FakeTime()
    time.now = now
    sky.time = time
    const { live, later } = sky
    return fakeOutbox(later, { time, database, limits, live, random: Math.random })
  }
  let relay = await startAt(START)
  for (let number = -12; number < 0; number++) {
    await relay.dispatch(eventOf(number + 12)).catch(() => {})
  }
  const stored: string[] = []
  const falselyDelivered: string[] = []
  let nextStart = HOUR
  let restarts = 0
  for (let number = 12; number < EVENTS; number++) {
    const passed = number * BETWEEN
    sky.change(passed)
    const event = eventOf(number)
    void relay.dispatch(event).then(
      ({ queued }) => {
        if (queued) stored.push(event.delivery)
        else if (!sky.taken.has(event.delivery)) falselyDelivered.push(event.delivery)
      },
      // the sender gets the error
      () => {},
    )
    await relay.time.pass(BETWEEN)
    if (number % 20 === 0) await relay.outbox.check()
    if (passed < nextStart) continue
    nextStart = passed + between(1, 6) * HOUR
    restarts++
    await relay.stop()
    expect(relay.reported).toEqual([])
    expect((await relay.outbox.figures()).imbalance).toBe(0)
    // The clock of the machine at its start is ahead, behind, or right.
    const jump = [0, 50 * MINUTE, -50 * MINUTE, 0][restarts % 4] ?? 0
    relay = await startAt(START + passed + jump)
  }
  sky.weather = 'healthy'
  sky.isFixed = true
  const undelivered = async () => {
    const { waiting, uncertain } = (await relay.outbox.figures()).events
    return waiting + uncertain
  }
  for (let hours = 0; hours < 100 && (await undelivered()) > 0; hours++) {
    await relay.time.pass(HOUR)
    await relay.outbox.check()
  }
  const left = await storedEvents(relay)
  const dead = new Map(left.map(({ delivery, reason }) => [delivery, reason]))
  const gone = stored.filter((delivery) => !sky.taken.has(delivery) && !dead.has(delivery))
  expect([gone, falselyDelivered]).toEqual([[], []])
  expect(await undelivered()).toBe(0)
  expect(stored.length).toBeGreaterThan(EVENTS / 20)
  // Only events that GitHub itself does not take become dead letters: no outage makes one.
  const unexpected = [...dead].filter(([delivery, reason]) => {
    const number = numberOf(delivery)
    if (reason === 'event_rejected') return !isRejected(number)
    return !(isUnlucky(number) && ['too_old', 'maybe_accepted'].includes(reason))
  })
  expect(unexpected).toEqual([])
  expect(new Set(dead.values())).toContain('event_rejected')
  expect((await relay.outbox.figures()).imbalance).toBe(0)

  // Each of these can be sent again, once its fault is fixed.
  expect(await relay.outbox.replayAll({})).toBe(dead.size)
  await relay.time.pass(dead.size * SECOND + HOUR)
  expect(await relay.outbox.figures()).toMatchObject({
    events: { waiting: 0, uncertain: 0, dead: 0 },
    imbalance: 0,
  })
  expect(stored.filter((delivery) => !sky.taken.has(delivery))).toEqual([])
})
