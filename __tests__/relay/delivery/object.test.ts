import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { bundle } from '../../support/build.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { testOnNode24 } from '../../support/node24.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../../support/relay-keys.ts'
import { sqlite } from '../../support/sqlite.ts'
import { until } from '../../support/until.ts'
import { startWorkerd, type Workerd } from '../../support/workerd.ts'

const DOWN = { status: 503 }

describe('the storage of an outbox on workerd', () => {
  let github: GitHub
  let folder: string
  let settings: Record<string, string>
  let relay: Workerd | undefined
  beforeAll(async () => {
    github = await startGitHub()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outbox-object-'))
    settings = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '200',
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
  ) => {
    await stop()
    relay = await startWorkerd(script, settings, {
      disk: folder,
      ...options,
    })
  }
  const send = (body: string) =>
    fetch(`${relay?.url}/o/r/hook/webhook`, {
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

  testOnNode24('has a table only of a token that GitHub accepted', async () => {
    const tables = async () => {
      await stop()
      const names = (await files()).filter((file) => file.endsWith('.sqlite'))
      const found = await Promise.all(names.map((file) => sqlite(file, TABLES)))
      return found.flat().length
    }
    await start()
    github.always(DOWN)
    expect((await send('1')).status).toBe(502)
    expect(await tables()).toBe(0)
    await start()
    github.reset()
    expect((await send('2')).status).toBe(200)
    github.always(DOWN)
    expect((await send('3')).status).toBe(202)
    expect(await tables()).toBe(1)
  })

  test('has an index that does not respond: after 5 s, an event goes to GitHub', async () => {
    const worker = bundle('relay/worker.js')
    const others = (await readdir(dirname(worker))).filter((name) => name.endsWith('.js'))
    const modules = new Map<string, string>()
    for (const name of others) {
      const text = await readFile(join(dirname(worker), name), 'utf8')
      modules.set(name === 'worker.js' ? 'relay.js' : name, text)
    }
    const script = join(folder, 'hanging.js')
    await writeFile(script, HANGING_INDEX)
    await start({ modules }, script)
    expect((await send('1')).status).toBe(200)
    expect(github.calls).toHaveLength(1)
  })

  test('is damaged: an event that GitHub cannot take is 502, one that it takes is 200; the files stay', async () => {
    await start()
    expect((await send('0')).status).toBe(200)
    github.always(DOWN)
    expect((await send('1')).status).toBe(202)
    await stop()
    const garbage = 'this is a diary, not a database\n'.repeat(500)
    for (const file of await files()) await writeFile(file, garbage)
    expect((await files()).length).toBeGreaterThan(1)
    await start({ isBroken: true })
    // The relay cannot know any more that GitHub accepted this credential.
    expect((await send('2')).status).toBe(502)
    github.reset()
    expect((await send('3')).status).toBe(200)
    // An empty list would be wrong.
    for (const path of ['/-admin/deliveries/o', '/-admin/metrics'])
      expect((await operate(path)).status).toBe(500)
    for (const file of await files()) expect(await readFile(file, 'utf8')).toBe(garbage)
  })

  test('is full: an event is 503 storage_full, and accepted events are delivered after a restart', async () => {
    await start({ isBroken: true, mostOfFile: 400 })
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

const HANGING_INDEX = `import relay, { RelayObject as Real } from 'relay.js'
export default relay
export class RelayObject extends Real {
  fetch(request) {
    return request.url.endsWith('/index') ? new Promise(() => {}) : super.fetch(request)
  }
}`

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'event'"
const DELIVERY = /"x-hookline-delivery":"([^"]+)"/
