import { describe, expect, jest, test } from '@jest/globals'
import { readBatch } from '../../../src/wire/batch-payload.ts'
import { readClientPayload } from '../../../src/wire/payload.ts'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { randomOf } from '../../support/fake-time.ts'
import { startGitHub } from '../../support/github.ts'

const EVENTS = 3000
const KILLS = 20

/** The most milliseconds between two kills. */
const LONGEST_LIFE = 2500

const random = randomOf(jest.getSeed())

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe.each(DATABASE_RUNTIMES)(
  'a relay on $name that is killed while it collects',
  ({ isThere, start }) => {
    const run = isThere ? test : test.skip
    run(
      'delivers 3,000 events in spite of 20 kills, and retries a batch only with the same members',
      async () => {
        const github = await startGitHub()
        const relay = await start({
          HOOKLINE_API_URL: github.url,
          HOOKLINE_TEST_MIN_INTERVAL_MS: '1',
        })
        const batches = new Map<string, Set<string>>()
        const taken = new Set<string>()
        const working: Promise<void>[] = []
        const note = async (body: string) => {
          const payload = readClientPayload(JSON.parse(body).client_payload)
          const all = (await readBatch(payload)) ?? [payload]
          const ids = all.map((one) => readClientPayload(one).headers['x-hookline-delivery'] ?? '')
          const id = payload.headers['x-hookline-delivery'] ?? ''
          const members = batches.get(id) ?? new Set<string>()
          batches.set(id, members.add(ids.join()))
          for (const each of ids) taken.add(each)
        }
        github.always(({ body }, response) => {
          working.push(note(body))
          if (random() >= 0.05) return { status: 204 }
          // GitHub has accepted it, but nobody gets the response.
          response.destroy()
          return undefined
        })
        const accepted: string[] = []
        let restarted = Promise.resolve()
        const sending = (async () => {
          for (let n = 0; n < EVENTS; n++) {
            await restarted
            const id = await send(relay, n).catch(() => undefined)
            if (id !== undefined) accepted.push(id)
            await pause(10)
          }
        })()
        for (let kill = 0; kill < KILLS; kill++) {
          await pause(random() * LONGEST_LIFE)
          restarted = relay.restart('kill')
          await restarted
        }
        await sending
        for (let n = 0; n < 2000 && !accepted.every((id) => taken.has(id)); n++) await pause(50)
        await Promise.all(working)
        expect(accepted.filter((id) => !taken.has(id))).toEqual([])
        // Each id must always have the same members.
        expect([...batches.values()].filter(({ size }) => size !== 1)).toEqual([])
        const members = [...batches.values()].flatMap(([ids = '']) => ids.split(','))
        expect(members).toHaveLength(new Set(members).size)
        expect(accepted.length).toBeGreaterThan(EVENTS / 2)
        await relay.close()
        await github.close()
      },
    )
  },
)

/** @throws if the relay was killed before it responded */
async function send({ url }: DatabaseRelay, n: number): Promise<string | undefined> {
  const query = n === 0 ? '' : '?__batch=1'
  const answer = await fetch(`${url}/o/r/hook/webhook${query}`, {
    method: 'POST',
    headers: { 'x-platform-authorization': 'ghp_the-token-of-the-sender' },
    body: `event ${n}`,
  })
  await answer.text()
  const delivery = answer.headers.get('x-hookline-delivery') ?? ''
  return answer.status === 200 || answer.status === 202 ? delivery : undefined
}
