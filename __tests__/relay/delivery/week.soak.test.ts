import { expect, jest, test } from '@jest/globals'
import {
  type GitHubRule,
  id,
  type Reply,
  type SeenCall,
  startScene,
  testDatabase,
} from '../../support/delivery-scene.ts'
import { FakeTime, HOUR, MINUTE, randomOf, SECOND, START } from '../../support/fake-time.ts'

// A quiet machine needs a quarter of an hour.
jest.setTimeout(90 * 60_000)

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

const random = randomOf(jest.getSeed())
const between = (least: number, most: number) => least + random() * (most - least)

/** GitHub rejects the event for itself after it waited. */
const isRejected = (number: number) => number % 500 === 7
/** GitHub answers each attempt with 503, whatever its state. */
const isUnlucky = (number: number) => number % 900 === 11
/** The first events, which GitHub accepts immediately, so that no queue is new when the week begins. */
const BEFORE = 10
const numberOf = (delivery: string) => Number(delivery.slice(-12))

/** A GitHub that accepts an event, or does not. */
class Weathered {
  weather: Weather = 'healthy'
  readonly taken = new Set<string>()
  isFixed = false
  readonly #seen = new Set<string>()
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

  readonly rule: GitHubRule = (call) => {
    if (call.method === 'GET') return NO_RUNS
    return this.#reply(call)
  }

  #reply({ delivery, authorization }: SeenCall): Reply {
    const number = numberOf(delivery)
    const isOwn = authorization.includes('ghp_own-token')
    const hasWaited = this.#seen.has(delivery)
    this.#seen.add(delivery)
    if (this.weather === 'down') return { status: 503 }
    if (this.weather === 'silent') return 'silent'
    if (this.weather === 'limited') {
      return { status: 429, headers: { 'retry-after': String(Math.ceil(between(1, 3600))) } }
    }
    if (this.weather === 'expired' && isOwn) return { status: 401, body: '{}' }
    if (this.weather === 'gone' && isOwn) return { status: 404, body: '{}' }
    if (!this.isFixed && hasWaited && isRejected(number)) return { status: 422, body: '{}' }
    if (!this.isFixed && isUnlucky(number)) return { status: 503 }
    this.taken.add(delivery)
    if (this.weather === 'resetting') return 'reset'
    return { status: 204, ...(this.weather === 'slow' && { delay: 1500 }) }
  }
}

const NO_RUNS: Reply = { status: 200, body: '{"total_count":0,"workflow_runs":[]}' }

function eventOf(number: number) {
  const name = REPOSITORIES[number % REPOSITORIES.length] ?? ''
  return { kind: number % 4 === 0 ? 'token' : 'endpoint', name } as const
}

test('201,600 events, one every 3 s for a week, through outages, limits, refusals, restarts and clock jumps: no accepted event is lost', async () => {
  const sky = new Weathered()
  const database = await testDatabase()
  /** A relay on the same disk, with the clock of its machine at its start. */
  const startAt = (now: number) =>
    startScene(sky.rule, {
      database,
      time: new FakeTime(now),
      limits: { retention: HOUR },
      random,
    })
  let relay = await startAt(START)
  for (let number = 0; number < BEFORE; number++) {
    const first = relay.deliver(id(number), eventOf(number))
    await relay.time.pass(SECOND)
    await first
  }
  const stored: string[] = []
  const falselyDelivered: string[] = []
  let nextStart = HOUR
  let restarts = 0
  for (let number = BEFORE; number < EVENTS; number++) {
    const passed = number * BETWEEN
    sky.change(passed)
    const delivery = id(number)
    void relay.deliver(delivery, eventOf(number)).then(
      ({ queued }) => {
        if (queued) stored.push(delivery)
        else if (!sky.taken.has(delivery)) falselyDelivered.push(delivery)
      },
      // the sender gets the error
      () => {},
    )
    await relay.time.pass(BETWEEN)
    if (passed < nextStart) continue
    nextStart = passed + between(1, 6) * HOUR
    restarts++
    await relay.kill()
    expect(relay.reported).toEqual([])
    expect((await relay.deliveries.table.figures()).imbalance).toBe(0)
    // The clock of the machine at its start is ahead, behind, or right.
    const jump = [0, 50 * MINUTE, -50 * MINUTE, 0][restarts % 4] ?? 0
    relay = await startAt(START + passed + jump)
  }
  sky.weather = 'healthy'
  sky.isFixed = true
  const undelivered = async () => {
    const { waiting, uncertain } = await relay.states()
    return waiting + uncertain
  }
  for (let hours = 0; hours < 100 && (await undelivered()) > 0; hours++) {
    await relay.time.pass(HOUR)
  }
  const rows = await database.read("SELECT id, reason FROM delivery WHERE state = 'dead'")
  const dead = new Map(rows.map((row) => [String(row.id), String(row.reason)]))
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
  expect((await relay.deliveries.table.figures()).imbalance).toBe(0)

  // Each of these can be sent again, once its fault is fixed.
  const again = await relay.deliveries.replayAll({ state: 'dead' })
  expect(again).toEqual({ replayed: dead.size, missing: 0 })
  await relay.time.pass(dead.size * SECOND + HOUR)
  expect(await relay.states()).toMatchObject({ waiting: 0, uncertain: 0, dead: 0 })
  expect((await relay.deliveries.table.figures()).imbalance).toBe(0)
  expect(stored.filter((delivery) => !sky.taken.has(delivery))).toEqual([])
  await relay.close()
})
