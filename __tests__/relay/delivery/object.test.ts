import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { bundle } from '../../support/build.ts'
import { listed } from '../../support/deliveries.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../../support/relay-keys.ts'
import { sqlite } from '../../support/sqlite.ts'
import { until } from '../../support/until.ts'
import { startWorkerd, type Workerd } from '../../support/workerd.ts'

const DOWN = { status: 503 }

describe('the object of an owner on workerd', () => {
  let github: GitHub
  let folder: string
  let settings: Record<string, string>
  let relay: Workerd | undefined
  beforeAll(async () => {
    github = await startGitHub()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'owner-object-'))
    settings = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: `ghp_${'R'.repeat(36)}`,
      HOOKLINE_ALLOW_TOKENS: 'true',
      HOOKLINE_TEST_MIN_INTERVAL_MS: '1',
      HOOKLINE_RELAY_KEY: RELAY_KEY,
    }
  })
  afterEach(async () => {
    await stop()
    github.reset()
    await rm(folder, { recursive: true })
  })
  afterAll(() => github.close())

  const stop = async () => {
    await relay?.close()
    relay = undefined
  }
  const start = async (
    options: Omit<Parameters<typeof startWorkerd>[2], 'disk'> = {},
    script = bundle('relay/worker.js'),
  ): Promise<Workerd> => {
    await stop()
    relay = await startWorkerd(script, settings, { disk: folder, ...options })
    return relay
  }
  const send = (body: string, path = '/o/r/hook/webhook') =>
    fetch(`${relay?.url}${path}`, {
      method: 'POST',
      headers: { 'x-platform-authorization': 'ghp_a-token-of-a-sender' },
      body,
    })
  const operate = (path: string) =>
    fetch(`${relay?.url}${path}`, { headers: { authorization: `Bearer ${ADMIN_BEARER}` } })
  const files = async () => {
    const all = await readdir(folder, { recursive: true })
    return all
      .filter((name) => /[0-9a-f]{64}\.sqlite(?:-wal)?$/.test(name))
      .map((name) => join(folder, name))
  }
  /** The number of objects with a table of deliveries. */
  const objects = async () => {
    await stop()
    const names = (await files()).filter((file) => file.endsWith('.sqlite'))
    const found = await Promise.all(names.map((file) => sqlite(file, TABLES)))
    return found.flat().length
  }

  testOnNode24(
    'stores nothing for an owner without endpoints and without an accepted token',
    async () => {
      await start()
      github.always(DOWN)
      expect((await send('1')).status).toBe(502)
      const unknown = await fetch(`${relay?.url}/-/o/${'a'.repeat(22)}`, { method: 'POST' })
      expect(unknown.status).toBe(401)
      expect((await operate('/-admin/deliveries/o')).status).toBe(200)
      expect(await objects()).toBe(0)
      await start()
      github.reset()
      expect((await send('2')).status).toBe(200)
      github.always(DOWN)
      expect((await send('3')).status).toBe(202)
      expect(await objects()).toBe(1)
    },
  )

  testOnNode24('is one for each owner, whatever its repositories', async () => {
    const { url } = await start()
    for (const repository of ['a/one', 'A/two', 'b/one']) {
      const target = await createEndpoint({ url }, { repository })
      expect((await send('{}', target)).status).toBe(200)
    }
    const count = async (owner: string) => (await listed({ url }, owner)).delivered.length
    await until(async () => (await count('a')) >= 2 && (await count('b')) >= 1)
    expect([await count('a'), await count('b')]).toEqual([2, 1])
    expect(await objects()).toBe(2)
  })

  test('records the delivery of an endpoint after the response, with its request', async () => {
    const { url } = await start()
    const target = await createEndpoint({ url }, { name: 'orders', repository: 'o/r' })
    const { status, headers } = await send('{"order":7}', target)
    expect(status).toBe(200)
    await until(async () => (await listed({ url })).delivered.length === 1)
    const shown = await operate(`/-admin/deliveries/o/${headers.get('x-hookline-delivery')}`)
    expect(await shown.json()).toMatchObject({
      delivery: { state: 'delivered', endpoint: 'orders' },
      request: { method: 'POST', body: '{"order":7}' },
    })
  })

  test('delivers by its alarm, also after it was evicted with all of its memory', async () => {
    await start()
    expect((await send('before')).status).toBe(200)
    github.always(DOWN)
    for (const body of ['1', '2', '3']) expect((await send(body)).status).toBe(202)
    // Nothing but the alarm on disk tells the next process of the events.
    await relay?.kill()
    relay = undefined
    github.reset()
    await start()
    await until(() => github.calls.length === 3)
    const bodies = github.calls.map(({ body }) => JSON.parse(body).client_payload.body)
    expect(bodies.sort()).toEqual(['1', '2', '3'])
  })

  test('that is flooded leaves the deliveries of another owner alone', async () => {
    const { url } = await start()
    const noisy = await createEndpoint({ url }, { repository: 'noisy/r' })
    const calm = await createEndpoint({ url }, { repository: 'calm/r' })
    for (const target of [noisy, calm]) expect((await send('{"n":0}', target)).status).toBe(200)
    github.always((call) => (call.url?.includes('/noisy/') ? DOWN : { status: 204 }))
    const flood = Array.from({ length: 100 }, (_, n) => send(`{"n":${n}}`, noisy))
    const times: number[] = []
    for (let n = 0; n < 10; n++) {
      const started = performance.now()
      expect((await send(`{"n":${n}}`, calm)).status).toBe(200)
      times.push(performance.now() - started)
    }
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
    expect([...statuses]).toEqual([202])
    expect(times.toSorted((a, b) => a - b)[8]).toBeLessThan(2000)
    await until(async () => (await listed({ url }, 'calm')).delivered.length === 11)
    expect((await listed({ url }, 'noisy')).imbalance).toBe(0)
  })

  test('that does not respond holds up no token URL, and an endpoint for 5 s', async () => {
    const worker = bundle('relay/worker.js')
    const others = (await readdir(dirname(worker))).filter((name) => name.endsWith('.js'))
    const modules = new Map<string, string>()
    for (const name of others) {
      const text = await readFile(join(dirname(worker), name), 'utf8')
      modules.set(name === 'worker.js' ? 'relay.js' : name, text)
    }
    const script = join(folder, 'hanging.js')
    await writeFile(script, HANGING)
    await start({ modules }, script)
    const took = async (work: Promise<Response>) => {
      const started = performance.now()
      const { status } = await work
      return { status, isHeldUp: performance.now() - started > 4900 }
    }
    expect(await took(send('1'))).toEqual({ status: 200, isHeldUp: false })
    expect(github.calls).toHaveLength(1)
    // A request that waits without a limit would never have a response.
    expect(await took(send('2', `/-/o/${'a'.repeat(22)}`))).toEqual({ status: 503, isHeldUp: true })
  })

  test('that is damaged: an event that GitHub cannot take is refused, one that it takes is 200; the files stay', async () => {
    await start()
    expect((await send('0')).status).toBe(200)
    github.always(DOWN)
    expect((await send('1')).status).toBe(202)
    await stop()
    const garbage = 'this is a diary, not a database\n'.repeat(500)
    for (const file of await files()) await writeFile(file, garbage)
    expect((await files()).length).toBeGreaterThan(0)
    await start({ isBroken: true })
    expect((await send('2')).status).toBeGreaterThanOrEqual(500)
    github.reset()
    expect((await send('3')).status).toBe(200)
    // An empty list would be wrong.
    for (const path of ['/-admin/deliveries/o', '/-admin/metrics?owner=o']) {
      expect((await operate(path)).status).toBeGreaterThanOrEqual(500)
    }
    for (const file of await files()) expect(await readFile(file, 'utf8')).toBe(garbage)
  })

  test('that is full: an event is 503 storage_full, and accepted events are delivered after a restart', async () => {
    await start({ isBroken: true, mostOfFile: 500 })
    expect((await send('0')).status).toBe(200)
    github.always(DOWN)
    const accepted: string[] = []
    let refused: Response | undefined
    for (let n = 0; n < 100 && !refused; n++) {
      const answer = await send(`${n} ${'x'.repeat(30_000)}`)
      if (answer.status === 202) accepted.push(answer.headers.get('x-hookline-delivery') ?? '')
      else refused = answer
    }
    expect(refused?.status).toBe(503)
    expect(await refused?.json()).toMatchObject({ error: { code: 'storage_full' } })
    expect(accepted.length).toBeGreaterThan(3)
    github.reset()
    await start()
    const delivered = () => github.calls.map(({ body }) => DELIVERY.exec(body)?.[1] ?? '')
    await until(() => new Set(delivered()).size >= accepted.length)
    expect([...new Set(delivered())].sort()).toEqual(accepted.sort())
  })
})

const HANGING = `import relay, { RelayObject as Real } from 'relay.js'
export default relay
export class RelayObject extends Real {
  fetch() {
    return new Promise(() => {})
  }
}`

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'delivery'"
const DELIVERY = /"x-hookline-delivery":"([^"]+)"/
