import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpointsOf } from '../../support/endpoint-relays.ts'
import type { RunBehavior } from '../../support/github-runs.ts'
import { describeOnNode24 } from '../../support/node24.ts'
import { type NotifyingRelay, startNotifyingRelay } from '../../support/notifying-relay.ts'
import { send } from '../../support/raw-http.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

const EVENTS = 1000

/** Milliseconds between events: GitHub allows 900 points a minute, and a dispatch takes 5. */
const BETWEEN = 350

/** The repositories, by how GitHub treats a dispatch, and the outcome that a notification must name. */
const REPOSITORIES: readonly (readonly [RunBehavior, string])[] = [
  ['success', 'success'],
  ['success', 'success'],
  ['success', 'success'],
  ['failure', 'failure'],
  ['failure', 'failure'],
  ['skipped', 'skipped'],
  ['held', 'waiting_for_approval'],
  ['startup_failure', 'startup_failure'],
  ['none', 'no_run'],
  ['unnamed', 'unknown'],
]

const nameOf = (number: number) => `octo/r${number % REPOSITORIES.length}`

describeOnNode24('a relay that follows runs, on real sockets and in real time', () => {
  let github: NotifyingRelay['github']
  let relay: NotifyingRelay['relay']
  let receiver: NotifyingRelay['receiver']
  let close: NotifyingRelay['close']
  beforeAll(async () => {
    ;({ github, relay, receiver, close } = await startNotifyingRelay())
  }, 60_000)
  afterAll(() => close?.())

  test('reports each of 1,000 events once, as it ended, over a kill and within the limits of GitHub', async () => {
    for (const [number, [behavior]] of REPOSITORIES.entries()) {
      github.behavior.set(nameOf(number), behavior)
    }
    const addressOf = endpointsOf(() => relay)
    const wanted: Record<string, string> = {}
    const sent: number[] = []
    const started = Date.now()
    for (let number = 0; number < EVENTS; number++) {
      // 50 runs of other events in each repository, which are newer than those of the events before.
      if (number % 200 === 199)
        REPOSITORIES.forEach((_, at) => void github.addOthers(nameOf(at), 50))
      // The receiver is down at first, and GitHub lists nothing for half a minute.
      if (number === 100) receiver.answer.status = 204
      github.listingStatus = number >= 300 && number < 385 ? 503 : 200
      if (number === 500) {
        // The runs of the events before are being followed.
        await pause(SECOND)
        await relay.restart('kill')
      }
      const { status, headers } = await send(relay.url, {
        method: 'POST',
        target: await addressOf(`/${nameOf(number)}/hook/webhook`),
        body: JSON.stringify({ number, secret: 'of the payload' }),
      })
      expect([number, status]).toEqual([number, 200])
      const [, outcome = ''] = REPOSITORIES[number % REPOSITORIES.length] ?? []
      wanted[headers['x-hookline-delivery'] ?? ''] = outcome
      sent.push(Date.now())
      await pause(BETWEEN)
    }

    const notifications = () =>
      receiver.received
        .filter(({ status }) => status === 204)
        .map(({ id, body }) => ({ id, body, ...JSON.parse(body) }))
        .filter(({ type }) => type.startsWith('run.'))
    for (let n = 0; n < 600 && notifications().length < EVENTS; n++) await pause(SECOND)
    // Nothing may come twice.
    await pause(30 * SECOND)

    const { listings, calls } = github
    const spent = [
      ...sent.map((at) => ({ at, points: 5 })),
      ...listings.map(({ at }) => ({ at, points: 1 })),
    ]
    const perMinute = spent.map(({ at }) => {
      const within = spent.filter((call) => call.at > at - MINUTE && call.at <= at)
      return within.reduce((sum, { points }) => sum + points, 0)
    })
    const dispatches = calls.filter(({ method }) => method === 'POST').length
    console.log(
      `${EVENTS} events in ${Math.round((Date.now() - started) / SECOND)} s: ${dispatches} dispatches, ${listings.length} pages of runs, at most ${Math.max(...perMinute)} points in a minute`,
    )
    const reported = notifications().map(({ data }) => [data.delivery, data.outcome])
    expect(Object.fromEntries(reported)).toEqual(wanted)
    expect([reported.length, new Set(notifications().map(({ id }) => id)).size]).toEqual([
      EVENTS,
      EVENTS,
    ])
    expect(receiver.received.filter(({ body }) => body.includes('of the payload'))).toEqual([])

    // GitHub's limits, and the share of 10 % that lookups may use.
    expect(dispatches).toBe(EVENTS)
    expect(listings.length).toBeLessThanOrEqual(500)
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(900)
    // A filtered list of runs is stale.
    expect(calls.filter(({ url }) => /[?&](?:event|created|status)=/.test(url))).toEqual([])
  })
})
