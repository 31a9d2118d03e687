import { expect, test } from '@jest/globals'
import { judgeCredentials } from '../../../src/relay/credentials.ts'
import { Governors } from '../../../src/relay/governor.ts'
import { RelayMetrics } from '../../../src/relay/metrics.ts'
import { LaneObject, type ObjectPorts } from '../../../src/relay/outbox/durable.ts'
import { CHUNK } from '../../../src/relay/outbox/room.ts'
import { PACK } from '../../../src/relay/payload.ts'

/** The storage of a Durable Object, as far as it notes what is written. */
function noted() {
  const written: string[] = []
  const exec = (statement: string) => {
    if (!/^\s*SELECT\b/i.test(statement)) written.push(statement.slice(0, 30))
    return { toArray: () => [] }
  }
  const storage = {
    sql: { exec },
    transactionSync: <Result>(change: () => Result) => change(),
    setAlarm: async () => void written.push('an alarm'),
  }
  const blockConcurrencyWhile = <Result>(work: () => Promise<Result>) => work()
  return { written, state: { storage, blockConcurrencyWhile } }
}

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
  credentials: judgeCredentials({ now: () => new Date() }),
  send: async () => ({ tries: 1 }),
  now: Date.now,
  random: Math.random,
  log: () => {},
  report: () => {},
  ...{ newId: () => crypto.randomUUID(), pack: PACK },
  loadBatches: () => import('../../../src/relay/outbox/batches.ts'),
}

function asked(name: string, given: unknown): Request {
  return new Request(`https://outbox/${name}`, { method: 'POST', body: JSON.stringify(given) })
}

test('a lane of a made-up token, which is only asked for, leaves nothing behind', async () => {
  const { state, written } = noted()
  const lane = await LaneObject.open(state, PORTS)
  const answer = await lane.fetch(asked('look', 'octo/repo#of-a-made-up-token'))
  expect(await answer.json()).toEqual({ waits: false, accepted: false })
  expect(written).toEqual([])
})

test('what is told of a lane has a database', async () => {
  const { state, written } = noted()
  const lane = await LaneObject.open(state, PORTS)
  await lane.fetch(asked('accepted', 'octo/repo#own'))
  await lane.fetch(asked('accepted', 'octo/repo#own'))
  expect(written.filter((statement) => /^CREATE TABLE event /.test(statement))).toHaveLength(1)
})

/** The object that knows the lanes, its table in memory. */
async function directory(ports: Partial<ObjectPorts>) {
  const { state } = noted()
  const chunksOf = new Map<unknown, unknown>()
  const exec = (statement: string, ...[name, chunks]: unknown[]) => {
    if (/^REPLACE INTO lane/.test(statement)) chunksOf.set(name, chunks)
    const isAsked = /^SELECT name, chunks FROM lane/.test(statement)
    const rows = [...chunksOf].map(([name, chunks]) => ({ name, chunks }))
    return { toArray: () => (isAsked ? rows : []) }
  }
  const storage = { ...state.storage, sql: { exec } }
  const object = await LaneObject.open({ ...state, storage }, { ...PORTS, ...ports })
  return async (name: string, given: unknown) => (await object.fetch(asked(name, given))).json()
}

test('lanes take turns by the authority that GitHub counts, a pace apart, behind what it asks for', async () => {
  let now = 0
  const ask = await directory({ now: () => now, pace: 350 })
  const turn = (authority: string, held = 0) => ask('turn', { authority, held })
  expect([await turn('own'), await turn('own'), await turn('own')]).toEqual([0, 350, 700])
  expect(await turn('another')).toBe(0)
  now = 1000
  expect(await turn('own')).toBe(50)
  expect([await turn('own', 60_000), await turn('own')]).toEqual([60_000, 60_350])
})

test('each lane may hold as much as is still free: one alone half, the next one half of the rest', async () => {
  const ask = await directory({ limits: { age: 1, events: 1000, bytes: 8 * CHUNK } })
  const most = async (lane: string) => {
    let chunks = 0
    while (chunks < 20 && (await ask('lease', { lane, chunks: chunks + 1 }))) chunks++
    return chunks
  }
  expect([await most('a'), await most('b'), await most('c')]).toEqual([4, 2, 1])
  // What is given back is free for others.
  await ask('lease', { lane: 'a', chunks: 0 })
  expect(await most('d')).toBe(3)
})
