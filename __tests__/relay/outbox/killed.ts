import { describe, expect, test } from '@jest/globals'
import { startGitHub } from '../../support/github.ts'
import { OUTBOX_RUNTIMES, type OutboxRelay } from '../../support/outbox-relays.ts'

/** A killed relay loses no accepted event. */
export function testKilledRelay({
  events,
  kills,
}: {
  readonly events: number
  readonly kills: number
}): void {
  const LANES = ['alpha', 'beta', 'gamma']

  /** Milliseconds from one kill to the next, at most. */
  const LONGEST_LIFE = 1500

  interface Sent {
    readonly body: string
    readonly delivery: string
  }

  function pause(milliseconds: number) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds))
  }

  describe.each(OUTBOX_RUNTIMES)(
    'a relay with an outbox on $name that is killed repeatedly',
    ({ isThere, start }) => {
      const run = isThere ? test : test.skip
      run(
        `loses none of ${events} events in ${kills} kills, keeps their order, and retries with the same id`,
        async () => {
          const github = await startGitHub()
          const relay = await start({
            HOOKLINE_API_URL: github.url,
            HOOKLINE_ACCEPT_MS: '300',
            HOOKLINE_OUTBOX_PACE_MS: '1',
          })
          let isDown = true
          const taken: Sent[] = []
          github.always((call, response) => {
            if (isDown) return { status: 503 }
            const { body, headers } = JSON.parse(call.body).client_payload
            taken.push({ body, delivery: headers['x-hookline-delivery'] })
            if (Math.random() >= 0.02) return { status: 204 }
            // GitHub has it, and nobody is told.
            response.destroy()
            return undefined
          })
          // Of a credential that GitHub never accepted nothing is kept.
          isDown = false
          for (const name of LANES) await send(relay, name, `before ${name}`)
          isDown = true
          let restarted = Promise.resolve()
          const sending = LANES.map(async (name) => {
            const accepted: Sent[] = []
            for (let n = 0; n < events / LANES.length; n++) {
              await restarted
              const sent = await send(relay, name, `${name} ${n}`).catch(() => undefined)
              if (sent) accepted.push(sent)
              // Half of them come while nothing gets through.
              if (n > events / LANES.length / 2) isDown = false
            }
            return accepted
          })
          const killing = (async () => {
            for (let kill = 0; kill < kills; kill++) {
              await pause(Math.random() * LONGEST_LIFE)
              restarted = relay.restart('kill')
              await restarted
            }
          })()
          const accepted = await Promise.all(sending)
          await killing
          isDown = false
          await allTaken(taken, accepted.flat())
          await relay.close()
          // Calls of a lane overlap while GitHub takes them, so only what comes is asked for.
          for (const lane of accepted) expect(sorted(firstOf(taken, lane))).toEqual(sorted(lane))
          const ids = new Set(taken.map(({ body, delivery }) => `${body} ${delivery}`))
          expect(ids.size).toBe(new Set(taken.map(({ body }) => body)).size)
          expect(accepted.flat().length).toBeGreaterThan(events / 2)
          await github.close()
        },
        600_000,
      )
    },
  )

  /** @throws when the relay went away: nobody knows then what became of the event */
  async function send({ url }: OutboxRelay, name: string, body: string): Promise<Sent | undefined> {
    const answer = await fetch(`${url}/o/${name}/hook/webhook`, {
      method: 'POST',
      headers: { 'x-platform-authorization': `ghp_the-token-of-the-sender-${name}` },
      body,
    })
    await answer.text()
    const delivery = answer.headers.get('x-hookline-delivery') ?? ''
    return answer.status === 200 || answer.status === 202 ? { body, delivery } : undefined
  }

  function sorted(events: readonly Sent[]): Sent[] {
    return events.toSorted((a, b) => (a.body < b.body ? -1 : 1))
  }

  /** Each of these events as GitHub took it first, in the order in which it did. */
  function firstOf(taken: readonly Sent[], events: readonly Sent[]): Sent[] {
    const wanted = new Set(events.map(({ body }) => body))
    return taken.filter(({ body }) => wanted.delete(body))
  }

  async function allTaken(taken: readonly Sent[], events: readonly Sent[]): Promise<void> {
    for (let n = 0; n < 5000; n++) {
      const there = new Set(taken.map(({ body }) => body))
      if (events.every(({ body }) => there.has(body))) return
      await pause(50)
    }
  }
}
