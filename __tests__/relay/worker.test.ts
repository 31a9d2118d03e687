import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import worker, { RelayObject } from '../../src/relay/workers/worker.ts'
import { bundle } from '../support/build.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test('the worker is at most 100 KB minified', async () => {
  const script = await readFile(`${ROOT}dist/relay/worker.js`)
  expect(script.length).toBeLessThanOrEqual(100 * 1024)
})

test.each(['worker', 'relay-object'])('%s.js names no module of Node', async (name) => {
  const script = await readFile(bundle(`relay/${name}.js`), 'utf8')
  expect(script).not.toMatch(/["']node:|\brequire\(|\bprocess\.|\bBuffer\b|__dirname/)
})

test.each(['5', '5, 5', '-1', '', 'x'])(
  'a declared length of "%s" lets no more than the limit through',
  async (length) => {
    const target = 'http://relay.test/o/r/hook/webhook'
    const whole = new Request(target, { method: 'POST', body: 'x'.repeat(400_000) })
    const headers = new Headers({ 'content-length': length, 'x-platform-authorization': 'token' })
    // A runtime that delimits bodies by their declared length would prevent this.
    const request = Object.create(whole, {
      headers: { value: headers },
      method: { value: 'POST' },
      url: { value: target },
      body: { get: () => whole.body },
      arrayBuffer: { value: () => whole.arrayBuffer() },
    })
    const answer = await worker.fetch(request, { HOOKLINE_API_URL: 'http://127.0.0.1:1' })
    expect(answer.status).toBe(413)
  },
)

test('an object that cannot be opened has another alarm, so that its events are not forgotten', async () => {
  let alarm: number | null = null
  const object = new RelayObject(
    {
      storage: {
        sql: { exec: () => ({ toArray: () => [] }) },
        transactionSync: (change) => change(),
        getAlarm: async () => alarm,
        setAlarm: async (time) => {
          alarm = time
        },
        deleteAlarm: async () => {
          alarm = null
        },
      },
      blockConcurrencyWhile: (work) => work(),
    },
    // The relay key is missing.
    {},
  )
  await expect(object.alarm()).rejects.toThrow()
  expect(alarm).toBeGreaterThan(Date.now())
})
