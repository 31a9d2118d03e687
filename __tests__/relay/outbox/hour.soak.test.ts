import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { RelayError, rateLimited } from '../../../src/relay/errors.ts'
import type { Dispatch, DispatchPort } from '../../../src/relay/github/dispatch.ts'
import { readOutboxSettings } from '../../../src/relay/outbox/settings.ts'
import { dispatchOf, FakeTime, fakeLanes, HOUR, SECOND, START } from '../../support/fake-lanes.ts'
import { unavailable } from '../../support/relay-errors.ts'

/** Ten a second. */
const EVENTS = 36_000
const BETWEEN = HOUR / EVENTS

/** GitHub's primary limit of a token: calls that it takes in an hour. */
const PRIMARY = 5000

const isDown = ({ now }: FakeTime) => {
  if (now < START + HOUR) throw unavailable()
}

const takesItsLimit = () => {
  let [window, left] = [0, 0]
  return ({ now }: FakeTime) => {
    const hour = Math.floor((now - START) / HOUR)
    if (hour >= window) [window, left] = [hour + 1, PRIMARY]
    if (left <= 0) throw rateLimited(Math.ceil((START + window * HOUR - now) / SECOND))
    left--
  }
}

test.each([
  ['is down', 2000, isDown],
  ['is down', 8000, isDown],
  ['takes 5,000 an hour', 2000, takesItsLimit()],
  ['takes 5,000 an hour', 8000, takesItsLimit()],
])(
  '36,000 events in an hour to one queue, while GitHub %s, each of %i bytes: an event that is not delivered was refused',
  async (_name, size, take) => {
    const { limits } = readOutboxSettings({ HOOKLINE_SEALING_KEYS: '{}' })
    const time = new FakeTime()
    const delivered = new Set<string>()
    let isKnown = false
    const send: DispatchPort = async ({ delivery }) => {
      if (isKnown) take(time)
      delivered.add(delivery)
      return { tries: 1, githubStatus: 204 }
    }
    const relay = await fakeLanes(send, { time, limits })
    const body = randomBytes(size / 2).toString('hex')
    const eventOf = (number: number): Dispatch => ({
      ...dispatchOf(`${number}`),
      clientPayload: JSON.stringify({ path: 'hook/webhook', body }),
    })
    await time.settled(relay.dispatch(eventOf(-1)))
    isKnown = true
    const queued: string[] = []
    const refusals: unknown[] = []
    for (let number = 0; number < EVENTS; number++) {
      const event = eventOf(number)
      const work = relay.dispatch(event).then(
        (attempts) => void (attempts.queued && queued.push(event.delivery)),
        (error) => void refusals.push(error instanceof RelayError && error.code),
      )
      await time.settled(work)
      await time.pass(BETWEEN)
    }
    for (let n = 0; relay.queue.figures().waiting > 0 && n < 80; n++) await time.pass(HOUR)
    expect(relay.reported).toEqual([])
    expect(queued.length).toBeGreaterThan(1000)
    expect(queued.filter((delivery) => !delivered.has(delivery))).toEqual([])
    expect(refusals.filter((code) => code !== 'outbox_full')).toEqual([])
    // The first event, which made the token known, is one more.
    expect(delivered.size - 1 + refusals.length).toBe(EVENTS)
    expect(relay.queue.figures()).toMatchObject({ waiting: 0, dead: 0 })
  },
)
