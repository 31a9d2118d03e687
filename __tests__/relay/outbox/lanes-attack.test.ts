import { expect, test } from '@jest/globals'
import { judgeCredentials } from '../../../src/relay/credentials.ts'
import { Governors } from '../../../src/relay/governor.ts'
import { RelayMetrics } from '../../../src/relay/metrics.ts'
import { LaneObject, type ObjectPorts } from '../../../src/relay/outbox/durable.ts'
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
