import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Dispatch, DispatchPort } from '../../../src/relay/dispatch.ts'
import { RelayError, rateLimited } from '../../../src/relay/errors.ts'
import { memoryOutbox } from '../../../src/relay/outbox/memory.ts'
import { readOutboxSettings } from '../../../src/relay/outbox/settings.ts'
import { newSealKey } from '../../../src/relay/seal.ts'
import { acceptingRelay } from '../../support/accepting-relay.ts'
import { dispatchOf, FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-lanes.ts'
import { unavailable } from '../../support/relay-errors.ts'

/** A queue that receives more events than GitHub takes reports each event that it does not store. */
export function testHour({ events }: { readonly events: number }): void {
  /** Limits are scaled by the share of ten events a second. */
  const SHARE = events / 36_000
  const BETWEEN = HOUR / events

  /** GitHub's primary limit of a token: calls that it takes in an hour. */
  const PRIMARY = 5000 * SHARE

  interface GitHub {
    readonly take: (time: FakeTime) => void
  }

  const GITHUBS: Readonly<Record<string, () => GitHub>> = {
    'is down': () => ({
      take: (time) => {
        if (time.now < START + HOUR) throw unavailable()
      },
    }),
    'takes 5,000 an hour': () => {
      let [window, left] = [0, 0]
      return {
        take: ({ now }) => {
          const hour = Math.floor((now - START) / HOUR)
          if (hour >= window) [window, left] = [hour + 1, PRIMARY]
          if (left <= 0) throw rateLimited(Math.ceil((START + window * HOUR - now) / SECOND))
          left--
        },
      }
    },
  }

  test.each([
    ['is down', 2000],
    ['is down', 8000],
    ['takes 5,000 an hour', 2000],
    ['takes 5,000 an hour', 8000],
  ])(
    `${events} events in an hour to one queue, while GitHub %s, each of %i bytes: each event that is not stored is reported`,
    async (name, size) => {
      const settings = readOutboxSettings({ HOOKLINE_SEAL_KEYS: '{}' })
      const limits = {
        ...settings.limits,
        events: Math.round(settings.limits.events * SHARE),
        bytes: settings.limits.bytes * SHARE,
      }
      const time = new FakeTime()
      const taken = new Set<string>()
      const github = GITHUBS[name]?.()
      let isKnown = false
      const send: DispatchPort = async ({ delivery }) => {
        if (isKnown) github?.take(time)
        taken.add(delivery)
        return { tries: 1, platformStatus: 204 }
      }
      const outbox = memoryOutbox()
      const key = await newSealKey()
      const relay = await acceptingRelay({ time, outbox, key, limits, ask: send, send })
      const text = randomBytes(size / 2).toString('hex')
      const eventOf = (number: number): Dispatch => ({
        ...dispatchOf(`${number}`),
        clientPayload: JSON.stringify({ path: 'hook/webhook', body: text }),
      })
      await time.settled(relay.dispatch(eventOf(-1)))
      isKnown = true
      const kept: string[] = []
      let [refused, firstRefused] = [0, 0]
      for (let number = 0; number < events; number++) {
        const event = eventOf(number)
        const work = relay.dispatch(event).then(
          ({ queued }) => void (queued && kept.push(event.delivery)),
          (error) => {
            expect(error instanceof RelayError && error.code).toBe('outbox_full')
            refused++
            firstRefused ||= time.now - START
          },
        )
        await time.settled(work)
        await time.pass(BETWEEN)
      }
      const { waiting, bytes } = relay.queue.figures()
      const each = Math.round(bytes / Math.max(1, waiting))
      let hours = 0
      for (; relay.queue.figures().waiting > 0 && hours < 80; hours++) await time.pass(HOUR)
      const first = refused === 0 ? '' : ` from minute ${Math.round(firstRefused / MINUTE)} on`
      process.stdout.write(
        `GitHub ${name}, ${size} bytes (${each} kept): of ${events} ${kept.length} kept, ${refused} refused${first}; empty ${hours} h later\n`,
      )
      expect(kept.filter((delivery) => !taken.has(delivery))).toEqual([])
      expect(kept.length + refused).toBeLessThanOrEqual(events)
      expect(relay.queue.figures()).toMatchObject({ waiting: 0, dead: 0 })
    },
    3_600_000,
  )
}
