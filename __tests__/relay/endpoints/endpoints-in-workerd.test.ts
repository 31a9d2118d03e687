import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { newRelayKey, readRelayKeys } from '../../../src/relay/store/relay-key.ts'
import { startWorkerd, type Workerd } from '../../support/workerd.ts'

const KEY = newRelayKey()
const [key] = await readRelayKeys(KEY, 'key')
const ADMIN = key.admin.reveal()
const MINE = `ghp_${'m'.repeat(36)}`
const HOOK = { repository: 'octo/shop', workflow: 'orders', trigger: 'webhook' }

const WORKER = fileURLToPath(new URL('../../support/endpoints-worker.ts', import.meta.url))

let folder: string
let script: string
let workerd: Workerd
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endpoints-'))
  script = join(folder, 'built.js')
  await build({
    stdin: {
      contents: `export { worker as default, RelayObject } from ${JSON.stringify(WORKER)}`,
      resolveDir: folder,
    },
    ...{ bundle: true, format: 'esm', outfile: script, logLevel: 'error' },
    conditions: ['workerd', 'worker', 'browser'],
  })
  workerd = await start()
}, 60_000)
afterAll(async () => {
  await workerd?.close()
  await rm(folder, { recursive: true })
})

const start = () =>
  startWorkerd(script, { HOOKLINE_RELAY_KEY: KEY.reveal() }, { disk: folder, modules: new Map() })

const call = async (bearer: string, method: string, path: string, body?: object) => {
  const response = await fetch(workerd.url + path, {
    method,
    headers: { authorization: `Bearer ${bearer}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text || 'null') }
}

test('an endpoint is created, found, and survives a restart', async () => {
  const created = await call(ADMIN, 'POST', '/-admin/endpoints', { ...HOOK, name: 'orders' })
  expect(created).toMatchObject({
    status: 201,
    body: { endpoint: { owner: 'octo', credential: 'relay' } },
  })
  const path: string = created.body.url
  const event = { events: [{ repository: 'octo/shop', path: 'orders/webhook/7?x=1' }] }
  expect((await call('', 'POST', `${path}/7?x=1`)).body).toEqual(event)
  await workerd.close()
  workerd = await start()
  expect((await call('', 'POST', `${path}/7?x=1`)).body).toEqual(event)
  expect((await call('', 'POST', path.replace('octo', 'acme'))).status).toBe(401)
  const listed = await call(ADMIN, 'GET', '/-admin/endpoints?owner=octo')
  expect(listed.body.endpoints).toMatchObject([{ name: 'orders' }])
  expect((await call(ADMIN, 'GET', '/-admin/endpoints')).status).toBe(400)
})

test('120 requests with wrong bearers, owners and ids reach nothing', async () => {
  const { body } = await call(MINE, 'POST', '/-admin/endpoints', { ...HOOK, name: 'mine' })
  const bearers = [
    ...['', 'x', key.read.reveal(), ADMIN.slice(1), `${ADMIN}x`, ADMIN.toUpperCase()],
    ...[MINE.slice(1), `${MINE}m`, MINE.toUpperCase(), `ghp_${'n'.repeat(36)}`],
  ]
  const requests = [
    ['GET', ''],
    ['GET', '?url=true'],
    ['PATCH', ''],
    ['POST', '/rotate'],
    ['DELETE', ''],
  ] as const
  for (const bearer of bearers) {
    for (const [method, rest] of requests) {
      const { status } = await call(bearer, method, `/-admin/endpoints/octo/mine${rest}`)
      expect([bearer, method, [401, 403, 404].includes(status)]).toEqual([bearer, method, true])
    }
  }
  const id = body.url.split('/')[3]
  for (let n = 0; n < 70; n++) {
    const guess =
      n % 2 ? `/-/octo/${id.slice(0, 20)}${String(n).padStart(2, '0')}` : `/-/o${n}/${id}`
    expect([guess, [401, 429].includes((await call('', 'POST', guess)).status)]).toEqual([
      guess,
      true,
    ])
  }
  expect((await call('', 'POST', body.url)).status).toBe(200)
  expect((await call(MINE, 'GET', '/-admin/endpoints/octo/mine')).status).toBe(200)
})
