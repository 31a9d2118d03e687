import { expect, test } from '@jest/globals'
import { createCredentials } from '../../../src/relay/credentials/credentials.ts'
import { RelayMetrics } from '../../../src/relay/endpoints/metrics.ts'
import { Governors } from '../../../src/relay/governor.ts'
import { LaneObject, type ObjectPorts } from '../../../src/relay/outbox/durable.ts'
import { CHUNK } from '../../../src/relay/outbox/room.ts'
import { PACK } from '../../../src/relay/request/client-payload.ts'

const PORTS: ObjectPorts = {
  namespace: {
    idFromName: (name) => name,
    get: () => ({ fetch: async () => Response.json(null) }),
  },
  keys: [],
  limits: { age: 1, events: 1, bytes: 1 },
  ...{ age: 1, pace: 1, revoked: new Set<string>() },
  governors: new Governors(
    {
      now: () => 0,
      date: () => new Date(),
      after: () => () => {},
      ...{ pace: 1, metrics: new RelayMetrics() },
    },
    false,
  ),
  sleep: async () => {},
  credentials: createCredentials({ now: () => new Date() }),
  send: async () => ({ tries: 1 }),
  now: Date.now,
  random: Math.random,
  log: () => {},
  report: () => {},
  ...{ newId: () => crypto.randomUUID(), pack: PACK },
  loadBatches: () => import('../../../src/relay/outbox/batches.ts'),
}

/** The object that lists the queues, with its table in memory. */
async function directory(ports: Partial<ObjectPorts>) {
  const chunksOf = new Map<unknown, unknown>()
  const exec = (statement: string, ...[name, chunks]: unknown[]) => {
    if (statement.startsWith('REPLACE INTO lane')) chunksOf.set(name, chunks)
    const isAsked = statement.startsWith('SELECT name, chunks FROM lane')
    const rows = [...chunksOf].map(([name, chunks]) => ({ name, chunks }))
    return { toArray: () => (isAsked ? rows : []) }
  }
  const storage = {
    sql: { exec },
    transactionSync: <Result>(change: () => Result) => change(),
    setAlarm: async () => {},
  }
  const blockConcurrencyWhile = <Result>(work: () => Promise<Result>) => work()
  const object = await LaneObject.open({ storage, blockConcurrencyWhile }, { ...PORTS, ...ports })
  return async (name: string, given: unknown) => {
    const body = JSON.stringify(given)
    const request = new Request(`https://outbox/${name}`, { method: 'POST', body })
    return (await object.fetch(request)).json()
  }
}

test('queues take turns per credential, 350 ms apart, and after the pause that GitHub asks for', async () => {
  let now = 0
  const ask = await directory({ now: () => now, pace: 350 })
  const turn = (authority: string, held = 0) => ask('turn', { authority, held })
  expect([await turn('own'), await turn('own'), await turn('own')]).toEqual([0, 350, 700])
  expect(await turn('another')).toBe(0)
  now = 1000
  expect(await turn('own')).toBe(50)
  expect([await turn('own', 60_000), await turn('own')]).toEqual([60_000, 60_350])
})

test('a queue may hold half of the chunks, the next one half of the rest', async () => {
  const ask = await directory({ limits: { age: 1, events: 1000, bytes: 8 * CHUNK } })
  const most = async (lane: string) => {
    let chunks = 0
    while (chunks < 20 && (await ask('lease', { lane, chunks: chunks + 1 }))) chunks++
    return chunks
  }
  expect([await most('a'), await most('b'), await most('c')]).toEqual([4, 2, 1])
  await ask('lease', { lane: 'a', chunks: 0 })
  expect(await most('d')).toBe(3)
})
