import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { senderText } from '../../scripts/docs/sender-text.js'
import { SENDERS } from '../../src/triggers/senders.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { payloadOf } from '../support/receive.ts'
import { CREDENTIALS, headersOf, inputsOf, known, REQUEST_CASES } from '../support/request-cases.ts'

/** Programs that people host themselves. These programs sign nothing, so each sends a token or a password. */
const PRODUCTS = [
  ...['alertmanager', 'apprise', 'buildbot', 'directus', 'docker-registry', 'n8n', 'node-red'],
  ...['unleash', 'uptime-kuma', 'verdaccio', 'zabbix'],
]

/** `action/cases.test.ts` runs each of them through a relay. */
const FIRING = REQUEST_CASES.filter(({ sender, outputs }) => sender && outputs)

test('every program has a request that fires, and says how long it waits and what it does then', () => {
  expect([...new Set(FIRING.map(({ sender }) => sender))].sort()).toEqual(PRODUCTS)
  for (const name of PRODUCTS) {
    const { scheme = '', secret } = known(name)
    const { 'time-out': limit, retries } = senderText(name)
    expect([name, Object.hasOwn(CREDENTIALS, scheme), secret !== undefined]).toEqual([
      name,
      true,
      true,
    ])
    expect(limit).toBeDefined()
    expect(retries.text).toMatch(/4xx|429|whatever|400|every status|throws/)
  }
  expect(SENDERS.filter(({ respond }) => respond).map(({ name }) => name)).toEqual([
    'docker-registry',
  ])
})

describe('a store runs each occurrence once', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookline-products-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** The same occurrence in another request, and another occurrence. */
  const OTHERS: Readonly<
    Record<string, readonly [again: readonly [string, string], other: readonly [string, string]]>
  > = {
    alertmanager: [
      ['DiskFull', 'DiskFull'],
      ['9c1185a5c5e9fc54', '9c1185a5c5e9fc55'],
    ],
    apprise: [
      ['failed', 'failed'],
      ['2026-11-20', '2026-11-21'],
    ],
    buildbot: [
      ['failed test', 'failed  test'],
      ['318', '319'],
    ],
    directus: [
      ['Hello', 'Hello'],
      ['"key":31', '"key":32'],
    ],
    'docker-registry': [
      ['192.0.2.7', '192.0.2.8'],
      ['0c2d6f0b', '0c2d6f0c'],
    ],
    n8n: [
      ['49.90', '49.91'],
      ['231-0', '231-1'],
    ],
    'node-red': [
      ['4.2', '4.3'],
      ['c3a1f0de', 'c3a1f0df'],
    ],
    unleash: [
      ['production', 'staging'],
      ['899', '900'],
    ],
    'uptime-kuma': [
      ['Down', 'Down'],
      ['08:15:30.250', '08:25:30.250'],
    ],
    verdaccio: [
      ['ada', 'bob'],
      ['3.2.0', '3.2.1'],
    ],
    zabbix: [
      ['High', 'Disaster'],
      ['48213', '48214'],
    ],
  }

  test.each(PRODUCTS)('%s', async (name) => {
    const [again, other] = OTHERS[name] ?? [
      ['', ''],
      ['', ''],
    ]
    const request = FIRING.find(({ sender, body }) => sender === name && body.includes(other[0]))
    if (!request) throw new Error(`no request of ${name}`)
    const counts: unknown[] = []
    const bodies = [
      request.body,
      request.body.replaceAll(...again),
      request.body.replaceAll(...other),
    ]
    expect(bodies[2]).not.toBe(bodies[0])
    for (const [run, body] of bodies.entries()) {
      const headers = Object.fromEntries(headersOf(request))
      const event = dispatchEvent(payloadOf('webhook', { headers, body }))
      const inputs = {
        ...inputsOf(request, { shouldDeduplicate: true }),
        state: `file:${join(folder, `${name}.json`)}`,
      }
      const { outputs } = await runInShared({
        ...event,
        env: { GITHUB_RUN_ID: String(run) },
        inputs,
      })
      counts.push(outputs.count)
    }
    expect(counts).toEqual(['1', '0', '1'])
  })
})
