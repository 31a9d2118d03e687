import { afterEach, expect, test } from '@jest/globals'
import type { ShownRequest } from '../../src/inspector/api.ts'
import { serveRelayInspector } from '../../src/inspector/relay-source.ts'
import { UserError } from '../../src/wire/errors.ts'
import { standInDelivery } from '../support/admin-stand-in.ts'
import { ask, EventReader, rememberKey } from '../support/inspector.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const idOf = (number: number) => standInDelivery(number).id

const REQUEST = {
  ...{
    method: 'POST',
    path: 'orders/webhook',
    query: 'a=1',
    headers: { 'x-a': 'b' },
    body: 'hello',
  },
}

/** An inspector over a relay with deliveries 3, 2 and 1. */
async function scene(total = 3, fault?: Error) {
  const relay = {
    /** The failure of every request for the list. */
    fault,
    details: new Map<string, object>(),
    queries: [] as object[],
    replays: [] as string[],
    failures: new Map<string, Error>(),
  }
  const calls: (readonly unknown[])[] = []
  const reported: unknown[] = []
  const server = await serveRelayInspector({
    relay: {
      host: 'relay.example',
      async list(query) {
        relay.queries.push(query)
        if (relay.fault) throw relay.fault
        const { limit, after } = query
        const start = after === undefined ? total : Number(after) - 1
        const numbers = Array.from({ length: Math.min(limit, start) }, (_, at) => start - at)
        const last = numbers.at(-1) ?? 0
        const deliveries = numbers.map((number) => standInDelivery(number))
        return { deliveries, next: last > 1 ? String(last) : null }
      },
      async find(owner, id) {
        calls.push(['find', owner, id])
        const failure = relay.failures.get(id)
        if (failure) throw failure
        return relay.details.get(id)
      },
      async replay(owner, id) {
        calls.push(['replay', owner, id])
        const failure = relay.failures.get(id)
        if (failure) throw failure
        return [`again-${id}`]
      },
    },
    dev: 'http://localhost:3000',
    readers(repository, workflow) {
      calls.push(['readers', repository, workflow])
      return [{ kind: 'source', file: 'a.yml' }]
    },
    async sendToDev(request: ShownRequest) {
      calls.push(['send', request])
      return { status: 200, delivery: 'd', body: 'ok' }
    },
    cure: (text) => `${text} --relay r`,
    report: (error) => reported.push(error),
  })
  ends.push(() => server.close())
  rememberKey(server.url)
  const { origin } = new URL(server.url)
  const reader = new EventReader(origin)
  ends.push(() => reader.close())
  const get = async (path: string) => {
    const { status, body } = await ask(origin, `/inspector/${path}`)
    return [status, body]
  }
  const post = async (path: string, order: unknown) => {
    const body = typeof order === 'string' ? order : JSON.stringify(order)
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(origin, `/inspector/${path}`, { method: 'POST', headers, body })
    return [answer.status, answer.body]
  }
  return { relay, calls, reported, server, origin, reader, get, post }
}

const changed = (reader: EventReader) => reader.events.filter(({ name }) => name === 'changed')

/** Waits for a number of events by which the page loads its data again. */
async function changes(reader: EventReader, count: number): Promise<void> {
  while (changed(reader).length < count) await new Promise((resolve) => setTimeout(resolve, 20))
}

test('an inspector of a relay sends the list, newest first, and the facts of the relay', async () => {
  const { origin, reader, get, server, reported } = await scene()
  expect((await reader.summaries(3)).map(({ id }) => id)).toEqual([idOf(3), idOf(2), idOf(1)])
  const [status, body] = await get('run')
  const relay = { host: 'relay.example', dev: 'http://localhost:3000', isFull: false, fault: null }
  expect([status, JSON.parse(String(body))]).toEqual([
    200,
    {
      ...{ run: expect.stringMatching(/^[0-9a-f]{8}$/), triggers: [], polled: [] },
      ...{ polling: false, problems: [], relay },
    },
  ])
  expect(server.url).toMatch(/^http:\/\/localhost:\d+\/inspector\/\?key=[\w-]{22}$/)
  expect((await fetch(`${origin}/elsewhere`)).status).toBe(404)
  // The page has everything that a filter reads.
  expect(await get('search?q=a')).toEqual([200, '[]'])
  expect(await get('nothing')).toEqual([404, 'page not found\n'])
  const denied = await ask(origin, '/inspector/run', { headers: { Cookie: '' } })
  expect(denied.body).toBe(
    'the key of this run is missing: open the address that hookline deliveries --open printed in its terminal\n',
  )
  expect(reported).toEqual([])
})

test('the details of a delivery come from the relay, with the cure for this relay', async () => {
  const { relay, calls, reader, get } = await scene()
  await reader.summaries(3)
  const stages = [
    { stage: 'received', state: 'ok' },
    { stage: 'verified', state: 'failed', cure: 'hookline doctor' },
  ]
  relay.details.set(idOf(2), { delivery: standInDelivery(2), request: REQUEST, stages })
  const [status, body] = await get(`requests/${idOf(2)}`)
  expect(status).toBe(200)
  const unknown = { at: null, found: null, wanted: null }
  expect(JSON.parse(String(body))).toMatchObject({
    ...{ id: idOf(2), readers: [{ kind: 'source', file: 'a.yml' }] },
    stages: [
      { stage: 'received', state: 'ok', cure: null, ...unknown },
      { stage: 'verified', state: 'failed', cure: 'hookline doctor --relay r', ...unknown },
    ],
  })
  expect(calls).toEqual([
    ['find', 'octo', idOf(2)],
    ['readers', 'octo/shop', 'orders'],
  ])
  // The relay has deleted this one.
  expect(await get(`requests/${idOf(1)}`)).toEqual([404, 'this event is no longer stored\n'])
  calls.length = 0
  expect(await get(`requests/${idOf(9)}`)).toEqual([404, 'this event is no longer stored\n'])
  expect(calls).toEqual([])
  relay.failures.set(idOf(3), new UserError({ message: 'the relay does not respond' }))
  expect(await get(`requests/${idOf(3)}`)).toEqual([502, 'the relay does not respond\n'])
})

test('a fault of our own is reported, and its message is not in the response', async () => {
  const { relay, reader, reported, get, post } = await scene()
  await reader.summaries(3)
  const fault = new TypeError('secret')
  relay.failures.set(idOf(3), fault)
  expect(await get(`requests/${idOf(3)}`)).toEqual([500, ''])
  expect(await post('replay', { ids: [idOf(3)] })).toEqual([500, ''])
  expect(reported).toEqual([fault, fault])
})

test('a replay continues after a failure, and tells each reason once', async () => {
  const { relay, calls, reader, post } = await scene()
  await reader.summaries(3)
  const refused = new UserError({ message: 'it is too old' })
  for (const number of [1, 2]) relay.failures.set(idOf(number), refused)
  const before = relay.queries.length
  const ids = [idOf(1), idOf(3), idOf(9), idOf(2)]
  expect(await post('replay', { ids })).toEqual([
    200,
    JSON.stringify({
      ids: [`again-${idOf(3)}`],
      failures: ['it is too old', 'the relay has no such delivery'],
      failed: 3,
    }),
  ])
  expect(calls).toEqual([1, 3, 2].map((number) => ['replay', 'octo', idOf(number)]))
  expect(relay.queries.slice(before)).toEqual([{ limit: 100 }])
  // The list is read again later.
  relay.fault = new UserError({ message: 'the relay does not respond' })
  expect((await post('replay', { ids: [idOf(3)] }))[0]).toBe(200)
})

test('a replay takes 20 deliveries, and an order that the page never sends is refused', async () => {
  const { reader, calls, post } = await scene(21)
  await reader.summaries(21)
  const ids = (count: number) => Array.from({ length: count }, (_, at) => idOf(at + 1))
  expect((await post('replay', { ids: ids(20) }))[0]).toBe(200)
  expect(calls).toHaveLength(20)
  const orders = ['{', '[]', {}, { ids: [] }, { ids: 'a' }, { ids: [1] }, { ids: ids(21) }]
  for (const order of orders) {
    expect(await post('replay', order)).toEqual([400, 'invalid replay order\n'])
    expect(await post('open', order)).toEqual([400, 'invalid order\n'])
  }
  expect(await post('open', { ids: ids(2) })).toEqual([400, 'invalid order\n'])
  expect(calls).toHaveLength(20)
})

test('one request is sent to hookline dev, if the relay has all of it', async () => {
  const { relay, calls, reader, post } = await scene()
  await reader.summaries(3)
  relay.details.set(idOf(3), { delivery: standInDelivery(3), request: REQUEST, stages: [] })
  const cut = { ...REQUEST, isCut: true }
  relay.details.set(idOf(2), { delivery: standInDelivery(2), request: cut, stages: [] })
  expect(await post('open', { ids: [idOf(3)] })).toEqual([
    200,
    '{"status":200,"delivery":"d","body":"ok"}',
  ])
  const headers = { 'x-a': 'b' }
  const path = 'orders/webhook?a=1'
  expect(calls.at(-1)).toEqual([
    'send',
    { method: 'POST', path, headers, body: 'hello', encoding: 'text' },
  ])
  calls.length = 0
  expect(await post('open', { ids: [idOf(2)] })).toEqual([
    422,
    'The relay stores only the names of the headers and the beginning of the body of a refused request.\n',
  ])
  relay.details.set(idOf(2), { delivery: standInDelivery(2), request: null, stages: [] })
  expect(await post('open', { ids: [idOf(2)] })).toEqual([
    422,
    'The relay stores no request of this delivery.\n',
  ])
  expect(await post('open', { ids: [idOf(1)] })).toEqual([
    404,
    'the relay has this delivery no longer\n',
  ])
  expect(calls.filter(([kind]) => kind === 'send')).toEqual([])
})

test('a relay that does not respond is a fault on the page, until it responds', async () => {
  const { relay, reader, reported, get } = await scene()
  await reader.summaries(3)
  const facts = async () => JSON.parse(String((await get('run'))[1])).relay
  relay.fault = new UserError({ message: 'the relay does not respond' })
  await changes(reader, 1)
  expect(await facts()).toMatchObject({ fault: 'the relay does not respond', isFull: false })
  relay.fault = undefined
  await changes(reader, 2)
  expect(await facts()).toMatchObject({ fault: null })
  // All deliveries are read first, and for the next 30 seconds only the newest ones.
  expect(relay.queries.slice(0, 3)).toEqual([{ limit: 1000 }, { limit: 100 }, { limit: 100 }])
  expect(changed(reader).map(({ data }) => data)).toEqual(['{}', '{}'])
  expect(reported).toEqual([])
  const fault = new TypeError('our own')
  relay.fault = fault
  while (reported.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  expect([reported[0], await facts()]).toEqual([fault, expect.objectContaining({ fault: null })])
})

test('a list that failed the first time is read whole the next time', async () => {
  const { relay, reader, get } = await scene(3, new UserError({ message: 'no response' }))
  while (relay.queries.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(JSON.parse(String((await get('run'))[1])).relay).toMatchObject({ fault: 'no response' })
  relay.fault = undefined
  await reader.summaries(3)
  // A busy machine may have asked again since.
  expect(relay.queries.slice(0, 2)).toEqual([{ limit: 1000 }, { limit: 1000 }])
})

test('a list of 10,000 deliveries is full', async () => {
  const { relay, reader, get } = await scene(10_001)
  await reader.summaries(10_000)
  while (!JSON.parse(String((await get('run'))[1])).relay.isFull) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  // A busy machine may have asked for the newest ones since.
  const pages = relay.queries.filter((query) => 'limit' in query && query.limit === 1000)
  expect(pages).toHaveLength(10)
})

test('an inspector that is closed ends its streams and asks the relay no more', async () => {
  const { relay, reader, server } = await scene()
  await reader.summaries(3)
  await server.close()
  await reader.ended
  const asked = relay.queries.length
  await expect(fetch(server.url)).rejects.toThrow('fetch failed')
  expect(relay.queries).toHaveLength(asked)
})
