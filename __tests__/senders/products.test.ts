import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseDocument } from 'yaml'
import { senderText } from '../../scripts/docs/sender-text.js'
import { onSection, secretsOf, triggerOf } from '../../src/cli/init/sender-workflow.ts'
import type { Sender } from '../../src/triggers/sender.ts'
import { SENDERS, senderNamed } from '../../src/triggers/senders.ts'
import { type Json, valueAt } from '../../src/wire/json.ts'
import {
  type ActionResult,
  type ActionRun,
  dispatchEvent,
  runActions,
  runInShared,
} from '../support/action.ts'
import { payloadOf } from '../support/receive.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'
import { CREDENTIALS, PRODUCT_REQUESTS, type ProductRequest } from './products.ts'

/** Programs that people host themselves. These programs sign nothing, so each sends a token or a password. */
const PRODUCTS = [
  ...['alertmanager', 'apprise', 'buildbot', 'directus', 'docker-registry', 'n8n', 'node-red'],
  ...['unleash', 'uptime-kuma', 'verdaccio', 'zabbix'],
]

function known(name: string): Sender {
  const sender = senderNamed(name)
  if (!sender) throw new Error(`${name} is unknown`)
  return sender
}

function inputsOf(name: string, config: object = {}) {
  const sender = known(name)
  const [secret = ''] = CREDENTIALS[sender.scheme ?? ''] ?? []
  const secrets = Object.fromEntries(secretsOf(sender).map((one) => [one, secret]))
  const on = parseDocument(onSection(sender))
  for (const [option, value] of Object.entries(config)) {
    on.setIn([triggerOf(sender), 'config', option], value)
  }
  return { on: on.toString(), secrets: JSON.stringify(secrets) }
}

/** The request with the credentials of the program, or with others. */
function headersOf({ sender, headers }: ProductRequest, isRight = true): [string, string][] {
  const [, name = '', value = ''] = CREDENTIALS[known(sender).scheme ?? ''] ?? []
  return [...Object.entries(headers), [name, isRight ? value : `${value.slice(0, -1)}_`]]
}

test('every program has a request that fires, and says how long it waits and what it does then', () => {
  const firing = PRODUCT_REQUESTS.filter(({ outputs }) => outputs).map(({ sender }) => sender)
  expect([...new Set(firing)].sort()).toEqual(PRODUCTS)
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

describe.each(RUNTIMES)('from the URL to the outputs, through the relay on %s', (_, start) => {
  const here = scene(start)
  let results: readonly ActionResult[]
  let refused: readonly ActionResult[]

  beforeAll(async () => {
    const sent = async (request: ProductRequest, isRight: boolean) => {
      const { sender, method = 'POST', query = '', body } = request
      const target = `/octo/repo/hook/webhook${query}`
      const headers = headersOf(request, isRight)
      const { status } = await here.sendKept({ method, target, headers, body })
      const [payload] = here.payloads()
      here.github.reset()
      if (status !== 200) throw new Error(`${sender}, ${request.name}: ${status}`)
      return { ...dispatchEvent(payload), inputs: inputsOf(sender) }
    }
    const runs: ActionRun[] = []
    for (const isRight of [true, false]) {
      for (const request of PRODUCT_REQUESTS) runs.push(await sent(request, isRight))
    }
    const all = await runActions(runs)
    results = all.slice(0, PRODUCT_REQUESTS.length)
    refused = all.slice(PRODUCT_REQUESTS.length)
  })

  test.each(PRODUCT_REQUESTS.map((request, at) => [request.sender, request.name, at] as const))(
    '%s: %s',
    (_, __, at) => {
      const { outputs: wanted } = PRODUCT_REQUESTS[at] ?? {}
      const { exitCode, outputs } = results[at] ?? {}
      expect([exitCode, outputs?.triggered]).toEqual([0, String(wanted !== undefined)])
      for (const [path, value] of Object.entries(wanted ?? {})) {
        const all: Json = JSON.parse(outputs?.on ?? '{}')
        const names = ['webhook', 'outputs', ...path.split('.')]
        expect([path, valueAt(all, names)]).toEqual([path, value])
      }
      for (const [secret] of Object.values(CREDENTIALS)) {
        expect(JSON.stringify(outputs)).not.toContain(secret)
      }
      expect(refused[at]?.outputs.triggered).toBe('false')
    },
  )
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
    const request = PRODUCT_REQUESTS.find((one) => one.sender === name && one.outputs)
    const [again, other] = OTHERS[name] ?? [
      ['', ''],
      ['', ''],
    ]
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
        ...inputsOf(name, { shouldDeduplicate: true }),
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
