import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { SCHEMA_VERSION } from '../../../src/relay/database/schema.ts'
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

  testOnNode24(
    'is of version 3: it is migrated with a line in the log, and its event is delivered',
    async () => {
      await start()
      expect((await send('0')).status).toBe(200)
      github.always(DOWN)
      expect((await send('1')).status).toBe(202)
      await stop()
      const names = (await files()).filter((file) => file.endsWith('.sqlite'))
      const hasEvents = await Promise.all(
        names.map(async (file) => (await sqlite(file, TABLES)).length),
      )
      const [file = '', ...others] = names.filter((_, index) => hasEvents[index] === 1)
      expect(others).toEqual([])
      await sqlite(file, TO_VERSION_3)
      await start()
      const migrated = () => relay?.log.filter((line) => line.includes('migrated')) ?? []
      await until(() => migrated().length > 0)
      expect(migrated().map((line) => JSON.parse(line))).toMatchObject([
        { outbox: 'migrated', from: 3, to: SCHEMA_VERSION },
      ])
      await stop()
      const [row] = await sqlite(file, "SELECT value FROM meta WHERE name = 'schema'")
      expect(row).toEqual({ value: SCHEMA_VERSION })
      github.reset()
      await start()
      await until(() => github.calls.length > 0)
      expect(github.calls.map(({ body }) => JSON.parse(body).client_payload.body)).toEqual(['1'])
      // A queue without events gives up its storage.
      await until(async () => (await sqlite(file, TABLES)).length === 0)
      await stop()
      expect(await sqlite(file, TABLES)).toEqual([])
    },
  )

  testOnNode24('has an index of an earlier version: events are stored and delivered', async () => {
    await start()
    expect((await send('0')).status).toBe(200)
    await stop()
    const names = (await files()).filter((name) => name.endsWith('.sqlite'))
    const isIndex = await Promise.all(names.map((name) => sqlite(name, AT_COLUMN)))
    const [file = '', ...others] = names.filter((_, index) => isIndex[index]?.length === 1)
    expect(others).toEqual([])
    await sqlite(file, 'ALTER TABLE queue DROP COLUMN at')
    await start()
    github.always(DOWN)
    expect((await send('1')).status).toBe(202)
    github.reset()
    await until(() => github.calls.length > 0)
    expect(github.calls.map(({ body }) => JSON.parse(body).client_payload.body)).toEqual(['1'])
    await stop()
    expect(await sqlite(file, AT_COLUMN)).toHaveLength(1)
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

const HANGING_INDEX = `import relay, { Outbox as Real } from 'relay.js'
export default relay
export class Outbox extends Real {
  fetch(request) {
    return request.url.endsWith('/index') ? new Promise(() => {}) : super.fetch(request)
  }
}`

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'event'"
const AT_COLUMN = "SELECT name FROM pragma_table_info('queue') WHERE name = 'at'"
/** Version 3 had no tables of receipts. */
const TO_VERSION_3 = `DROP TABLE followed; DROP TABLE receipt; DROP TABLE alarm; DROP TABLE last_event;
  UPDATE meta SET value = 3 WHERE name = 'schema'`
const DELIVERY = /"x-hookline-delivery":"([^"]+)"/
