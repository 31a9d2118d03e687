import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { StorageError } from '../../../src/relay/store/database.ts'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'
import { SCHEMA } from '../../../src/relay/store/schema.ts'
import { githubFetch } from '../../../src/relay/workers/github-fetch.ts'
import type { ObjectNamespace } from '../../../src/relay/workers/object-call.ts'
import { ObjectDatabase } from '../../../src/relay/workers/object-database.ts'
import { LOOK_HOLDS, OwnerObjects } from '../../../src/relay/workers/owner-objects.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { objectStorage } from '../../support/object-storage.ts'

interface Call {
  readonly url: string
  readonly method: string
  readonly body?: unknown
}

/** Objects that give these responses; `undefined` is an object that cannot be reached. */
function begin(...replies: readonly (Response | undefined | (() => Response))[]) {
  const time = { now: 1000 }
  const calls: Call[] = []
  const reported: unknown[] = []
  const fetch = async (url: string, { method, body }: { method: string; body?: unknown }) => {
    calls.push({ url, method, body: typeof body === 'string' ? JSON.parse(body) : body })
    const reply = replies[calls.length - 1]
    if (!reply) throw new Error('no connection')
    return typeof reply === 'function' ? reply() : reply
  }
  const namespace: ObjectNamespace = { idFromName: (name) => name, get: () => ({ fetch }) }
  const report = (error: unknown) => reported.push(error)
  const objects = new OwnerObjects(namespace, { now: () => time.now, report })
  return { objects, time, calls, reported }
}

const result = (value: unknown) => Response.json({ result: value })

/** Only the queue matters here. */
const rowOf = (queue: string) => ({ queue }) as NewDelivery

const QUEUE = 'octo/shop#own'

describe('whether a queue waits', () => {
  const look = () => result({ versions: [{ hash: 'a', changed: 1 }], waiting: [QUEUE] })

  test('is asked only if the last look at its owner, at most 10 s ago, named it', async () => {
    const { objects, time, calls } = begin(look(), result(true), look(), result(true))
    const { deliveries } = objects
    expect(await deliveries.waits(QUEUE)).toBe(false)
    expect(await objects.of('octo').versions()).toEqual([{ hash: 'a', changed: 1 }])
    expect(await deliveries.waits('octo/other#own')).toBe(false)
    expect(await deliveries.waits('acme/shop#own')).toBe(false)
    expect(calls).toEqual([
      {
        url: 'https://object/octo/endpoints',
        method: 'POST',
        body: { method: 'look', given: [] },
      },
    ])
    time.now += LOOK_HOLDS - 1
    expect(await deliveries.waits(QUEUE)).toBe(true)
    expect(calls[1]).toEqual({
      url: 'https://object/octo/deliveries',
      method: 'POST',
      body: { method: 'waits', given: [QUEUE] },
    })
    time.now += 1
    expect(await deliveries.waits(QUEUE)).toBe(false)
    expect(calls).toHaveLength(2)
  })

  test('is asked again while it waits', async () => {
    const { objects } = begin(look(), result(true), result(true))
    await objects.of('octo').versions()
    expect([await objects.deliveries.waits(QUEUE), await objects.deliveries.waits(QUEUE)]).toEqual([
      true,
      true,
    ])
  })

  test('is not asked again after it waits no more', async () => {
    const { objects, calls } = begin(look(), result(false), result(true))
    await objects.of('octo').versions()
    expect([await objects.deliveries.waits(QUEUE), await objects.deliveries.waits(QUEUE)]).toEqual([
      false,
      false,
    ])
    expect(calls).toHaveLength(2)
  })

  test('is not known while the object does not respond', async () => {
    const { objects, reported } = begin(look())
    await objects.of('octo').versions()
    expect(await objects.deliveries.waits(QUEUE)).toBe(false)
    expect(reported).toEqual([new StorageError('disk fails')])
  })

  test('is known from what the isolate stored, for 10 s from then', async () => {
    const { objects, time, calls } = begin(
      look(),
      result(true),
      result(true),
      result(true),
      result(true),
      result(true),
    )
    const { deliveries } = objects
    await objects.of('octo').versions()
    time.now += LOOK_HOLDS - 1
    expect(await deliveries.put([rowOf('octo/other#own'), rowOf('octo/third#own')])).toBe(true)
    time.now += 1
    // What the look named is remembered, too.
    for (const name of ['other', 'third', 'shop']) {
      expect(await deliveries.waits(`octo/${name}#own`)).toBe(true)
    }
    time.now += LOOK_HOLDS
    expect(await deliveries.put([rowOf('octo/fourth#own')])).toBe(true)
    expect(await deliveries.waits(QUEUE)).toBe(false)
    expect(calls).toHaveLength(6)
  })
})

describe('an event', () => {
  test('that is stored, recorded or settled is a call of the object of its owner', async () => {
    const { objects, calls } = begin(
      result(false),
      result(undefined),
      result(undefined),
      result(undefined),
      result(true),
    )
    const { deliveries } = objects
    expect(await deliveries.put([])).toBe(true)
    await deliveries.record([])
    expect(calls).toEqual([])
    expect(await deliveries.put([rowOf(QUEUE)])).toBe(false)
    await deliveries.record([rowOf('acme/site#own')])
    const outcome = { kind: 'failed', reason: 'x' } as const
    await deliveries.settle({ id: 'a', queue: QUEUE }, outcome)
    await deliveries.noteAccepted('acme/site#aa')
    expect(await deliveries.wasAccepted('acme/site#aa')).toBe(true)
    expect(calls.map(({ url, body }) => [url.slice('https://object/'.length), body])).toEqual([
      ['octo/deliveries', { method: 'put', given: [[{ queue: QUEUE }]] }],
      ['acme/deliveries', { method: 'record', given: [[{ queue: 'acme/site#own' }]] }],
      ['octo/deliveries', { method: 'settle', given: [{ id: 'a', queue: QUEUE }, outcome] }],
      ['acme/deliveries', { method: 'noteAccepted', given: ['acme/site#aa'] }],
      ['acme/deliveries', { method: 'wasAccepted', given: ['acme/site#aa'] }],
    ])
    // What was not stored makes no queue wait, so nothing is asked.
    expect(await deliveries.waits(QUEUE)).toBe(false)
    expect(calls).toHaveLength(5)
  })

  test('is not stored by an object that fails', async () => {
    const { objects, reported } = begin(new Response('', { status: 500 }))
    expect(await objects.deliveries.put([rowOf(QUEUE)])).toBe(false)
    const [error] = reported
    expect(error).toMatchObject({ cause: new Error('the object responded with status 500') })
  })
})

test('the table of deliveries is a store of its own', async () => {
  const { objects, calls } = begin(result([]))
  expect(await objects.deliveriesOf('octo').table.list({ limit: 1 })).toEqual([])
  expect(calls).toMatchObject([{ url: 'https://object/octo/table', body: { method: 'list' } }])
})

test('the chunks of a body are bytes', async () => {
  const bytes = new Uint8Array([1, 2])
  const { objects, calls } = begin(
    new Response(null, { status: 201 }),
    new Response(null, { status: 204 }),
    new Response(bytes),
    result(7),
  )
  const bodies = objects.bodiesOf('octo')
  expect([await bodies.put('h', 0, bytes), await bodies.put('h', 1, bytes)]).toEqual([true, false])
  expect(await bodies.chunk('h', 1)).toEqual(bytes)
  expect(await bodies.find('h')).toBe(7)
  expect(calls).toEqual([
    { url: 'https://object/octo/chunks/h/0', method: 'PUT', body: bytes },
    { url: 'https://object/octo/chunks/h/1', method: 'PUT', body: bytes },
    { url: 'https://object/octo/chunks/h/1', method: 'GET', body: undefined },
    { url: 'https://object/octo/bodies', method: 'POST', body: { method: 'find', given: ['h'] } },
  ])
})

describe('the database of an object', () => {
  const FIRST = ["INSERT INTO accepted VALUES ('octo/shop#own', 1)"] as const

  test('takes no storage until a first row is stored', async () => {
    const storage = await objectStorage()
    const tables = () => storage.sql.exec('SELECT count(*) AS count FROM sqlite_master').toArray()
    const database = new ObjectDatabase(storage)
    for (const text of [
      'SELECT * FROM delivery',
      'DELETE FROM accepted',
      "INSERT INTO alarm VALUES ('a', 'b', 1)",
      "-- INSERT INTO accepted VALUES ('a', 1)",
    ]) {
      expect([await database.read(text), await database.write([[text]])]).toEqual([[], []])
    }
    expect([database.hasTables, tables()]).toEqual([false, [{ count: 0 }]])
    expect(
      await database.write([["UPDATE meta SET value = 7 WHERE name = 'gone'"], FIRST]),
    ).toEqual([])
    expect(database.hasTables).toBe(true)
    const text = "SELECT value, (SELECT at FROM accepted) AS at FROM meta WHERE name = 'gone'"
    expect(await database.read(text)).toEqual([{ value: 7, at: 1 }])
    expect(await database.write([['DELETE FROM accepted WHERE at = ? RETURNING at', 1]])).toEqual([
      { at: 1 },
    ])
    expect(new ObjectDatabase(storage).hasTables).toBe(true)
  })

  test.each(['delivery', 'endpoint', 'body', 'accepted'])(
    'is created by a first row of %s',
    async (name) => {
      const database = new ObjectDatabase(await objectStorage())
      const text = `INSERT INTO ${name} (rowid) SELECT 1 WHERE 0`
      expect(await database.write([[text]])).toEqual([])
      expect(database.hasTables).toBe(true)
    },
  )

  test('that fails says so, and has no tables if its first row failed', async () => {
    const storage = await objectStorage()
    const fault = new Error('full')
    const database = new ObjectDatabase({
      ...storage,
      transactionSync: () => {
        throw fault
      },
    })
    const error = await database.write([FIRST]).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(StorageError)
    expect([error, database.hasTables]).toMatchObject([{ cause: fault }, false])
  })

  test('of a newer version is refused', async () => {
    const storage = await objectStorage()
    for (const text of SCHEMA) storage.sql.exec(text)
    storage.sql.exec("UPDATE meta SET value = 2 WHERE name = 'schema'")
    expect(() => new ObjectDatabase(storage)).toThrow(
      'a newer version of Hookline wrote the database of this object',
    )
    storage.sql.exec("DELETE FROM meta WHERE name = 'schema'")
    expect(() => new ObjectDatabase(storage)).toThrow('a newer version')
  })
})

describe('a call of GitHub by fetch', () => {
  let github: GitHub
  beforeEach(async () => {
    github = await startGitHub()
  })
  afterEach(() => github.close())
  const request = { path: '/repos/o/r/dispatches?a=1', headers: { 'x-a': 'b' }, timeout: 20_000 }
  const call = (more: object = {}) =>
    githubFetch(new URL(`${github.url}/x`))({ ...request, ...more })

  test('is a POST with its body, and reads no body of a success', async () => {
    github.always({ status: 200, headers: { 'x-answer': '1' }, body: 'text' })
    const answer = await call({ body: '{}' })
    expect([answer.status, answer.text, answer.header('x-answer'), answer.header('x-no')]).toEqual([
      200,
      '',
      '1',
      undefined,
    ])
    expect(github.calls).toMatchObject([
      { method: 'POST', url: '/repos/o/r/dispatches?a=1', body: '{}', headers: { 'x-a': 'b' } },
    ])
  })

  test.each([
    [200, true, undefined, 'ä12345'],
    [300, false, undefined, 'ä12345'],
    [422, false, undefined, 'ä12345'],
    [200, true, 7, 'ä12345'],
    [200, true, 6, ''],
  ])(
    'with status %i (reads: %p, at most %p bytes) has the text %j',
    async (status, reads, responseBytes, text) => {
      github.always({ status, headers: { location: '/elsewhere' }, body: 'ä12345' })
      const answer = await call({ method: 'GET', reads, ...(responseBytes && { responseBytes }) })
      expect([answer.status, answer.text]).toEqual([status, text])
      expect(github.calls).toMatchObject([{ method: 'GET' }])
    },
  )

  test('reads a character whose bytes come one by one', async () => {
    github.always((_, response) => {
      response.writeHead(422)
      const [first, ...others] = Buffer.from('ä')
      response.write(Buffer.from([first ?? 0]), () => {
        setImmediate(() => response.end(Buffer.from(others)))
      })
      return undefined
    })
    expect((await call()).text).toBe('ä')
  })

  test('without a response may have been sent', async () => {
    github.always((_, response) => {
      response.destroy()
      return undefined
    })
    await expect(call()).rejects.toMatchObject({ message: 'no answer', sent: true })
  })

  test('that never left was not sent', async () => {
    const { fetch } = globalThis
    try {
      for (const [message, sent] of [
        ['internal error; reference = x', false],
        ['an internal error', true],
      ] as const) {
        globalThis.fetch = async () => {
          throw new Error(message)
        }
        await expect(call()).rejects.toMatchObject({ sent, cause: new Error(message) })
      }
    } finally {
      globalThis.fetch = fetch
    }
  })
})
