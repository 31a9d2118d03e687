import { describe, expect, jest, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { randomOf } from '../../support/fake-time.ts'
import { startGitHub } from '../../support/github.ts'

const REPOSITORIES = ['alpha', 'beta', 'gamma']

/** The most milliseconds between two kills. */
const LONGEST_LIFE = 1500

const random = randomOf(jest.getSeed())

interface Sent {
  readonly body: string
  readonly delivery: string
}

/** Kills the built relay while GitHub is down, and while the relay delivers what it queued. */
export function testKilledRelay(events: number, kills: number): void {
  describe.each(DATABASE_RUNTIMES)('a relay with a database on $name', ({ isThere, start }) => {
    const run = isThere ? test : test.skip
    run(
      `loses none of ${events} events in ${kills} kills, and retries with the same id`,
      async () => {
        const github = await startGitHub()
        const relay = await start({
          HOOKLINE_API_URL: github.url,
          HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '300',
          HOOKLINE_TEST_MIN_INTERVAL_MS: '1',
        })
        let isDown = false
        const taken: Sent[] = []
        github.always((call, response) => {
          if (isDown) return { status: 503 }
          const { body, headers } = JSON.parse(call.body).client_payload
          taken.push({ body, delivery: headers['x-hookline-delivery'] })
          if (random() >= 0.02) return { status: 204 }
          // GitHub has accepted the event, but the relay gets no response.
          response.destroy()
          return undefined
        })
        // The relay queues only events of credentials that GitHub accepted before.
        for (const name of REPOSITORIES) await send(relay, name, `before ${name}`)
        isDown = true
        const each = events / REPOSITORIES.length
        let restarted = Promise.resolve()
        const sending = REPOSITORIES.map(async (name) => {
          const accepted: Sent[] = []
          for (let n = 0; n < each; n++) {
            await restarted
            const sent = await send(relay, name, `${name} ${n}`).catch(() => undefined)
            if (sent) accepted.push(sent)
            if (n > each / 2) isDown = false
          }
          return accepted
        })
        const killing = (async () => {
          for (let kill = 0; kill < kills; kill++) {
            await pause(random() * LONGEST_LIFE)
            restarted = relay.restart('kill')
            await restarted
          }
        })()
        const accepted = (await Promise.all(sending)).flat()
        await killing
        const missing = () => {
          const bodies = new Set(taken.map(({ body }) => body))
          return accepted.filter(({ body }) => !bodies.has(body))
        }
        for (let n = 0; n < 2000 && missing().length > 0; n++) await pause(50)
        await relay.close()
        await github.close()
        expect(missing()).toEqual([])
        const idOf = new Map(taken.map(({ body, delivery }) => [body, delivery]))
        expect(taken.filter(({ body, delivery }) => idOf.get(body) !== delivery)).toEqual([])
        expect(accepted.filter(({ body, delivery }) => idOf.get(body) !== delivery)).toEqual([])
        expect(accepted.length).toBeGreaterThan(events / 2)
      },
    )
  })
}

/** @throws if the relay was killed before it responded */
async function send({ url }: DatabaseRelay, name: string, body: string): Promise<Sent | undefined> {
  const answer = await fetch(`${url}/o/${name}/hook/webhook`, {
    method: 'POST',
    headers: { 'x-platform-authorization': `ghp_the-token-of-the-sender-${name}` },
    body,
  })
  await answer.text()
  const delivery = answer.headers.get('x-hookline-delivery') ?? ''
  return answer.status === 200 || answer.status === 202 ? { body, delivery } : undefined
}

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
