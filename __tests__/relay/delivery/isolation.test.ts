import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES } from '../../support/database-relays.ts'
import { type DeliveryScene, id, type Reply, startScene } from '../../support/delivery-scene.ts'
import { MINUTE, randomOf, SECOND } from '../../support/fake-time.ts'
import { startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { until } from '../../support/until.ts'

let scene: DeliveryScene | undefined
afterEach(async () => {
  await scene?.close()
  scene = undefined
})

const NO_RUNS: Reply = { status: 200, body: '{"total_count":0,"workflow_runs":[]}' }

const ALL: readonly Reply[] = [
  { status: 500 },
  { status: 502, delay: 7 * SECOND },
  { status: 503, headers: { 'retry-after': '600' } },
  'silent',
  'reset',
  { status: 404, body: '{}' },
]

const MANNERS: Record<string, readonly Reply[]> = {
  '500': [{ status: 500 }],
  '502 after 7 s': [{ status: 502, delay: 7 * SECOND }],
  '503 with Retry-After': [{ status: 503, headers: { 'retry-after': '600' } }],
  silence: ['silent'],
  resets: ['reset'],
  '404': [{ status: 404, body: '{}' }],
  '422': [{ status: 422, body: '{}' }],
  'all of these': ALL,
}

/** Milliseconds of GitHub's response to an event of the healthy repository. */
const HEALTHY_DELAY = 200

interface Latencies {
  /** Milliseconds from each event of the healthy repository to its acceptance, in order of size. */
  readonly sorted: readonly number[]
}

/**
 * Sends events of the healthy repository for two minutes, and of the failing ones, each as a request and some
 * from the database, as after a restart.
 */
async function latencies(failing: number, replies: readonly Reply[]): Promise<Latencies> {
  const random = randomOf(failing + replies.length)
  const made = await startScene(
    ({ method, repository }) => {
      if (method === 'GET') return NO_RUNS
      if (repository === 'o/healthy') return { status: 204, delay: HEALTHY_DELAY }
      const n = Number(repository.slice('o/failing-'.length))
      return replies[n % replies.length] ?? { status: 500 }
    },
    { random },
  )
  scene = made
  const { time, deliver, posts, put } = made
  const sent = new Map<string, number>()
  let next = 1
  const later: Promise<unknown>[] = []
  for (let n = 0; n < failing; n++) {
    for (let each = 0; each < 5; each++) {
      await put(id(next++), { event: { name: `failing-${n}` } })
    }
  }
  for (let tick = 0; tick < 120; tick++) {
    for (let n = 0; n < failing; n++) {
      if (tick % 5 === n % 5) later.push(deliver(id(next++), { name: `failing-${n}` }))
    }
    if (tick % 3 === 0) {
      const delivery = id(next++)
      sent.set(delivery, time.now)
      later.push(deliver(delivery, { name: 'healthy' }))
    }
    await time.pass(SECOND)
  }
  await time.pass(MINUTE)
  const accepted = await made.table.list({
    repository: 'o/healthy',
    state: 'delivered',
    limit: 1000,
  })
  expect(accepted).toHaveLength(sent.size)
  const all = [...sent].map(([delivery, at]) => {
    const calls = posts(delivery)
    // Nothing of the healthy repository starts twice.
    expect(calls).toHaveLength(1)
    return (calls[0]?.at ?? Number.POSITIVE_INFINITY) + HEALTHY_DELAY - at
  })
  return { sorted: all.toSorted((a, b) => a - b) }
}

const p95 = ({ sorted }: Latencies) => sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0

describe.each(Object.entries(MANNERS))('repositories that answer with %s', (_name, replies) => {
  test.each([4, 20])(
    '%i of one credential leave p95 of a healthy one within 5 times its undisturbed p95',
    async (failing) => {
      const disturbed = await latencies(failing, replies)
      // Undisturbed each event goes to GitHub immediately.
      expect(p95(disturbed)).toBeLessThanOrEqual(5 * HEALTHY_DELAY)
      expect(disturbed.sorted.at(-1)).toBeLessThanOrEqual(5 * SECOND)
    },
  )
})

test('while GitHub as a whole answers 500, few events of 20 repositories are in doubt at first', async () => {
  let isDown = false
  const made = await startScene(({ method }) =>
    method === 'GET' ? NO_RUNS : { status: isDown ? 500 : 204 },
  )
  scene = made
  const { time, deliver, states } = made
  const all = (from: number) =>
    Array.from({ length: 20 }, (_, n) => deliver(id(from + n), { name: `r${n}` }))
  all(1)
  await time.pass(5 * SECOND)
  expect(await states()).toMatchObject({ delivered: 20 })
  isDown = true
  for (let n = 0; n < 20; n++) {
    const sent = deliver(id(100 + n), { name: `r${n}` })
    await time.pass(50)
    await sent
  }
  const { uncertain, waiting } = await states()
  expect(uncertain + waiting).toBe(20)
  expect(uncertain).toBeLessThanOrEqual(6)
  isDown = false
  await time.pass(3 * MINUTE)
  expect(await states()).toMatchObject({ delivered: 40, uncertain: 0, waiting: 0 })
})

test('after one ambiguous answer, a queue is tried with one event at a time', async () => {
  const made = await startScene(
    ({ method }) => (method === 'GET' ? NO_RUNS : { status: 500, delay: 500 }),
    { minInterval: 10, random: () => 0 },
  )
  scene = made
  const { time, deliver, posts } = made
  for (let n = 1; n <= 20; n++) {
    const sent = deliver(id(n))
    await time.pass(n === 1 ? 600 : 10)
    const { queued } = await sent
    expect(queued).toBe(n === 1 ? 'github_unavailable' : 'queued')
  }
  await time.pass(5 * SECOND)
  const times = posts().map(({ at }) => at)
  expect(times.length).toBeGreaterThan(2)
  expect(times.every((at, n) => n === 0 || at - (times[n - 1] ?? 0) >= 500)).toBe(true)
})

test('failing queues get at most a quarter of the turns while healthy queues have a backlog', async () => {
  const made = await startScene(({ method, repository }) =>
    method === 'GET' ? NO_RUNS : { status: repository.startsWith('o/failing') ? 503 : 204 },
  )
  scene = made
  const { time, put, posts } = made
  let next = 1
  for (let n = 0; n < 400; n++) await put(id(next++), { event: { name: `healthy-${n % 4}` } })
  for (let n = 0; n < 100; n++) await put(id(next++), { event: { name: `failing-${n % 20}` } })
  await time.pass(60 * SECOND)
  const failing = posts().filter(({ repository }) => repository.startsWith('o/failing'))
  // The first answers show which repositories fail.
  expect(failing.length).toBeLessThanOrEqual(20 + posts().length / 4)
  expect(failing.length).toBeGreaterThan(20)
  expect(posts().length).toBeGreaterThan(150)
})

describe.each(DATABASE_RUNTIMES)('on $name, in real time', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  const SILENCE = 30 * SECOND

  run(
    '20 repositories that fail in every manner leave p95 of a healthy one within 5 s',
    async () => {
      const github = await startGitHub()
      const arrived = new Map<string, number[]>()
      github.always(({ method, url, body }, response) => {
        const [, name = ''] = /^\/repos\/octo\/([^/?]+)/.exec(url) ?? []
        // A GET asks for the access of an endpoint's credential, or for runs.
        if (method === 'GET') return { status: 200, body: '{"total_count":0,"workflow_runs":[]}' }
        const [, delivery = ''] = /x-hookline-delivery\\?":\\?"([\w-]+)/.exec(body) ?? []
        if (name === 'healthy') {
          arrived.set(delivery, [...(arrived.get(delivery) ?? []), Date.now()])
          return { status: 204 }
        }
        const reply = ALL[Number(name.slice('failing-'.length)) % ALL.length] ?? 'reset'
        if (reply === 'reset') response.destroy()
        else if (reply === 'silent') setTimeout(() => response.destroy(), SILENCE).unref()
        else
          setTimeout(
            () => response.writeHead(reply.status, reply.headers).end('{}'),
            reply.delay ?? 20,
          ).unref()
        return undefined
      })
      const relay = await start({
        HOOKLINE_API_URL: github.url,
        HOOKLINE_GITHUB_TOKEN: 'ghp_own-token-of-the-relay-0000000000000',
      })
      try {
        const urlOf = async (repository: string) =>
          relay.url + (await createEndpoint(relay, { repository: `octo/${repository}` }))
        const healthy = await urlOf('healthy')
        const failing: string[] = []
        for (let n = 0; n < 20; n++) failing.push(await urlOf(`failing-${n}`))
        const post = (url: string) => fetch(url, { method: 'POST', body: '{}' })
        const latenciesOf = async (count: number, isDisturbed: boolean) => {
          const sent = new Map<string, number>()
          const others: Promise<unknown>[] = []
          for (let n = 0; n < count; n++) {
            const at = Date.now()
            others.push(
              post(healthy).then(({ headers }) => {
                sent.set(headers.get('x-hookline-delivery') ?? '', at)
              }),
            )
            const some = isDisturbed ? failing.filter((_, each) => each % 4 === n % 4) : []
            for (const url of some) others.push(post(url).then((response) => response.text()))
            // Requests come at this rate, whatever the relay takes for them.
            await sleep(400)
          }
          await Promise.all(others)
          await until(async () => [...sent.keys()].every((id) => arrived.has(id)))
          const all = [...sent].map(([id, at]) => (arrived.get(id)?.[0] ?? 0) - at)
          // Nothing of the healthy repository starts twice.
          expect([...sent.keys()].map((id) => arrived.get(id)?.length)).toEqual(all.map(() => 1))
          return { sorted: all.toSorted((a, b) => a - b) }
        }
        const undisturbed = await latenciesOf(10, false)
        const disturbed = await latenciesOf(60, true)
        expect(p95(disturbed)).toBeLessThanOrEqual(Math.max(5 * p95(undisturbed), 5 * SECOND))
      } finally {
        await relay.close()
        await github.close()
      }
    },
  )
})
