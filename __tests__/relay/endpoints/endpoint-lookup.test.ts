import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import { Encryption, reencrypt, rowsByKey } from '../../../src/relay/store/encryption.ts'
import { EndpointLookup } from '../../../src/relay/store/endpoint-lookup.ts'
import {
  decryptEndpoint,
  encryptEndpoint,
  endpointOf as endpointOfDelivery,
  newEndpointId,
} from '../../../src/relay/store/endpoint-records.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { type EndpointStores, EndpointTable } from '../../../src/relay/store/endpoint-table.ts'
import { newRelayKey, readRelayKeys } from '../../../src/relay/store/relay-key.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { endpointObjects } from '../../support/endpoint-objects.ts'
import { memoryDatabase } from '../../support/memory-database.ts'

const [OLD, NEW] = [newRelayKey().reveal(), newRelayKey().reveal()]
const encryptionOf = async (...keys: string[]) =>
  new Encryption(await readRelayKeys(new Secret(keys.join(',')), 'key'))
const encryption = await encryptionOf(OLD)

const TOKEN = new Secret(`ghp_${'t'.repeat(36)}`)

function endpointOf(owner: string, name: string, more: Partial<Endpoint> = {}): Endpoint {
  return {
    owner,
    name,
    id: newEndpointId(),
    repository: `${owner}/shop`,
    workflow: 'orders',
    trigger: 'webhook',
    dispatch: 'repository',
    respond: 'github',
    created: 1000,
    ...more,
  }
}

const rowOf = (endpoint: Endpoint, changed = 1000) =>
  encryptEndpoint(endpoint, { changed, firstEvent: null }, encryption)

const STORES: readonly [string, () => Promise<EndpointStores>][] = [
  ['one table', async () => new EndpointTable(await memoryDatabase())],
  ['one object for each owner', async () => endpointObjects().stores],
]

describe.each(STORES)('the store of endpoints in %s', (_, open) => {
  test('keeps the endpoints of two owners apart', async () => {
    const stores = await open()
    const [octo, acme] = [stores.of('octo'), stores.of('acme')]
    expect([await octo.versions(), await octo.list(), await octo.find('x')]).toEqual([
      [],
      [],
      undefined,
    ])
    expect(await octo.delete('orders')).toBe(false)
    const [a, b] = await Promise.all([
      rowOf(endpointOf('octo', 'orders', { token: TOKEN })),
      rowOf(endpointOf('acme', 'orders')),
    ])
    expect(await octo.create(a)).toBe(true)
    expect(await acme.create(b)).toBe(true)
    expect(await octo.create({ ...b, hash: 'other' })).toBe(false)
    for (const all of [await octo.list(), await octo.list(undefined)]) expect(all).toEqual([a])
    expect(await acme.named('orders')).toEqual(b)
    expect([await octo.find(b.hash), await acme.find(b.hash)]).toEqual([undefined, b])
    const hashes = await encryption.tokenHashes(TOKEN)
    expect(await octo.list(hashes)).toEqual([a])
    expect(await acme.list(hashes)).toEqual([])
    expect(await octo.list([])).toEqual([])
    await acme.noteFirstEvent(a.hash, 5)
    await octo.noteFirstEvent(a.hash, 7)
    await octo.noteFirstEvent(a.hash, 9)
    expect((await octo.named('orders'))?.firstEvent).toBe(7)
    const next = { ...a, hash: 'next', changed: 2000 }
    expect(await acme.replace(next, a)).toBe(false)
    expect(await octo.replace(next, { ...a, changed: 999 })).toBe(false)
    expect(await octo.replace(next, a)).toBe(true)
    expect(await octo.versions()).toEqual([{ hash: 'next', changed: 2000 }])
    expect(await octo.delete('orders')).toBe(true)
    expect(await octo.delete('orders')).toBe(false)
    expect([await octo.list(), await acme.list()]).toEqual([[], [b]])
  })
})

test('the row contains no id, token or settings, and is decrypted as itself alone', async () => {
  const endpoint = endpointOf('octo', 'orders', { token: TOKEN, if: 'body.secret-condition' })
  const row = await rowOf(endpoint)
  const text = Buffer.from(JSON.stringify(row)).toString()
  for (const secret of [endpoint.id, TOKEN]) expect(secret.isIn(text)).toBe(false)
  expect(text).not.toContain('secret-condition')
  expect(row.hash).toBe(createHash('sha256').update(endpoint.id.reveal()).digest('hex'))
  const read = await decryptEndpoint(row, encryption)
  expect([read, read.id.reveal(), read.token?.reveal()]).toEqual([
    endpoint,
    endpoint.id.reveal(),
    TOKEN.reveal(),
  ])
  const other = await rowOf(endpointOf('octo', 'other'))
  const mixed = [
    { ...row, content: other.content },
    { ...row, owner: 'acme' },
    { ...row, hash: other.hash },
  ]
  for (const swapped of mixed) await expect(decryptEndpoint(swapped, encryption)).rejects.toThrow()
})

test.each([
  [undefined, null],
  ['30m', 30 * 60_000],
  ['2h', 2 * 3_600_000],
])(
  'an endpoint that expects an event within %s has %p milliseconds in its row',
  async (expected, milliseconds) => {
    expect((await rowOf(endpointOf('octo', 'orders', { expect: expected }))).expect).toBe(
      milliseconds,
    )
  },
)

test('content that is no endpoint is refused', async () => {
  const row = await rowOf(endpointOf('octo', 'orders'))
  for (const content of [[], { id: 7 }]) {
    const record = await encryption.encrypt('hookline-endpoint', content)
    await expect(decryptEndpoint({ ...row, ...record }, encryption)).rejects.toThrow('no endpoint')
  }
  await expect(decryptEndpoint({ ...row, name: 'other' }, encryption)).rejects.toThrow(
    'another row',
  )
})

test('the endpoint of a delivery is the one of its owner and name, if a key decrypts it', async () => {
  const stores = new EndpointTable(await memoryDatabase())
  const endpoint = endpointOf('octo', 'orders', { token: TOKEN })
  await stores.of('octo').create(await rowOf(endpoint))
  const find = (owner: string, name: string | null, by = encryption) =>
    endpointOfDelivery({ owner, endpoint: name }, { stores, encryption: by })
  expect(await find('octo', 'orders')).toEqual(endpoint)
  expect(await find('octo', 'other')).toBeUndefined()
  expect(await find('acme', 'orders')).toBeUndefined()
  expect(await find('octo', null)).toBeUndefined()
  expect(await find('octo', 'orders', await encryptionOf(NEW))).toBeUndefined()
})

test('a table lists the endpoints of all owners, and tells of changes alone', async () => {
  const table = new EndpointTable(await memoryDatabase())
  let changes = 0
  table.onChange(() => changes++)
  const a = await rowOf(endpointOf('octo', 'a', { token: TOKEN }))
  const b = await rowOf(endpointOf('octo', 'b'))
  const c = await rowOf(endpointOf('acme', 'c'))
  for (const row of [b, a, c]) await table.of(row.owner).create(row)
  expect(changes).toBe(3)
  await table.of('octo').create(a)
  await table.of('octo').delete('none')
  expect(changes).toBe(3)
  expect(await table.all.list()).toEqual([c, a, b])
  expect(await table.all.list(await encryption.tokenHashes(TOKEN))).toEqual([a])
  expect(await table.all.list([])).toEqual([])
  await table.of('octo').delete('b')
  const hashes = (await table.all.versions()).map(({ hash }) => hash)
  expect([changes, hashes.sort()]).toEqual([4, [a.hash, c.hash].sort()])
})

test('new ids are 22 characters of 128 random bits', () => {
  const ids = Array.from({ length: 1000 }, () => newEndpointId().reveal())
  expect(new Set(ids).size).toBe(1000)
  expect(ids.every((id) => /^[\w-]{22}$/.test(id))).toBe(true)
})

test('endpoints of an older key are encrypted anew, and stay found by their token', async () => {
  const database = await memoryDatabase()
  const both = await encryptionOf(NEW, OLD)
  const store = new EndpointTable(database).of('octo')
  await store.create(await rowOf(endpointOf('octo', 'a', { token: TOKEN })))
  await store.create(await rowOf(endpointOf('octo', 'b')))
  expect((await store.list(await both.tokenHashes(TOKEN))).map(({ name }) => name)).toEqual(['a'])
  expect(await reencrypt(database, both)).toEqual({ rows: 2, unreadable: 0 })
  const fresh = await encryptionOf(NEW)
  expect(await rowsByKey(database)).toEqual({
    [fresh.key]: 2,
  })
  expect(await database.read('SELECT name, tokenHash FROM endpoint ORDER BY name')).toEqual([
    { name: 'a', tokenHash: await fresh.tokenHash(TOKEN) },
    { name: 'b', tokenHash: null },
  ])
  const [a] = await store.list(await fresh.tokenHashes(TOKEN))
  expect(a && (await decryptEndpoint(a, fresh)).token?.reveal()).toBe(TOKEN.reveal())
})

describe('EndpointLookup', () => {
  async function lookup(
    stores: EndpointStores,
    holds: { known: number; unknown: number } | null = { known: 10_000, unknown: 1000 },
  ) {
    const time = { now: 0 }
    const reported: unknown[] = []
    const endpoints = new EndpointLookup({
      stores,
      encryption,
      ...(holds && { holds }),
      now: () => time.now,
      date: () => new Date(time.now),
      report: (error) => reported.push(error),
    })
    const find = async (owner: string, id: string) => {
      try {
        return (await endpoints.find({ owner, id })).name
      } catch (error) {
        if (!(error instanceof RelayError)) throw error
        return `${error.status} ${error.code}`
      }
    }
    const create = async (endpoint: Endpoint) => {
      await stores.of(endpoint.owner).create(await rowOf(endpoint))
      endpoints.changed(endpoint.owner)
      return endpoint.id.reveal()
    }
    return { endpoints, find, create, time, reported }
  }

  test.each(STORES)('in %s, finds an endpoint by owner and id alone', async (_, open) => {
    const { find, create } = await lookup(await open())
    const id = await create(endpointOf('octo', 'orders'))
    const other = await create(endpointOf('acme', 'other'))
    expect(await find('octo', id)).toBe('orders')
    expect(await find('acme', other)).toBe('other')
    const guesses = [
      ['acme', id],
      ['OCTO', id],
      ['Octo', id],
      ['nobody', id],
      ['..', id],
      ['octo', id.toLowerCase()],
      ['octo', `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`],
    ] as const
    for (const [owner, guess] of guesses) {
      if (owner === 'octo' && guess === id) continue
      expect([owner, guess, await find(owner, guess)]).toEqual([owner, guess, '401 invalid_token'])
    }
    expect(await find('octo', id)).toBe('orders')
  })

  test('the errors of unknown ids, and of a failing disk, say what to do', async () => {
    const database = await memoryDatabase()
    const { endpoints } = await lookup(new EndpointTable(database))
    const fault = (owner: string) =>
      endpoints.find({ owner, id: 'A'.repeat(22) }).then(
        () => undefined,
        ({ status, code, message, hint, retryAfter, cause }: RelayError) => ({
          ...{ status, code, message, hint, retryAfter, cause },
        }),
      )
    const unknown = await fault('octo')
    // One error for all reasons, without a token, because a guess must tell nothing.
    expect(unknown).toEqual({
      ...{ status: 401, code: 'invalid_token', retryAfter: undefined, cause: undefined },
      message: 'the URL names no endpoint of the relay',
      hint: 'Check the URL: hookline endpoint show <name> --url prints the current one.',
    })
    for (let n = 1; n < 30; n++) expect(await fault('..')).toEqual(unknown)
    expect(await fault('octo')).toEqual({
      ...{ status: 429, code: 'rate_limited', retryAfter: 1, cause: undefined },
      message: 'too many requests with unknown endpoints',
      hint: 'Check the URL of the webhook, and send the request again in 1 second.',
    })
    database.read = async () => {
      throw new StorageError('disk fails')
    }
    endpoints.changed('octo')
    expect(await fault('octo')).toMatchObject({
      ...{ status: 503, code: 'overloaded', retryAfter: 5 },
      message: 'the endpoints cannot be read',
      cause: new StorageError('disk fails'),
    })
  })

  test('from 30 unknown ids in a second on the response is 429; known ids are found', async () => {
    const { find, create, time } = await lookup(new EndpointTable(await memoryDatabase()))
    const id = await create(endpointOf('octo', 'orders'))
    const guesses = Array.from({ length: 100 }, (_, n) =>
      find(n % 2 ? 'octo' : `o${n}`, 'A'.repeat(22)),
    )
    const answers = await Promise.all(guesses)
    expect(answers.filter((answer) => answer === '401 invalid_token')).toHaveLength(30)
    expect(answers.filter((answer) => answer === '429 rate_limited')).toHaveLength(70)
    expect(await find('octo', id)).toBe('orders')
    time.now += 999
    expect(await find('octo', 'A'.repeat(22))).toBe('429 rate_limited')
    time.now += 1
    expect(await find('octo', 'A'.repeat(22))).toBe('401 invalid_token')
  })

  test('100 unknown ids call the object once in a second, and a deletion counts within 10', async () => {
    const { stores, calls } = endpointObjects()
    const { find, create, time } = await lookup(stores)
    const id = await create(endpointOf('octo', 'orders'))
    const unseen = await create(endpointOf('octo', 'unseen'))
    calls.length = 0
    for (let n = 0; n < 100; n++) await find('octo', `${n}`.padEnd(22, 'x'))
    for (const owner of ['OCTO', '..']) await find(owner, id)
    time.now += 1_000
    await find('octo', 'x'.repeat(22))
    expect(calls).toEqual(['octo'])
    time.now += 1
    await find('octo', 'x'.repeat(22))
    expect(calls).toEqual(['octo', 'octo'])
    expect(await find('octo', id)).toBe('orders')
    await stores.of('octo').delete('orders')
    await stores.of('octo').delete('unseen')
    // The list has it, and the table does not.
    expect(await find('octo', unseen)).toBe('401 invalid_token')
    time.now += 10_000
    expect(await find('octo', id)).toBe('orders')
    time.now += 1
    expect(await find('octo', id)).toBe('401 invalid_token')
  })

  test('where one table has all owners, invented owners and ids read nothing', async () => {
    const database = await memoryDatabase()
    const { find, create, time } = await lookup(new EndpointTable(database), null)
    expect(await find('octo', 'x'.repeat(22))).toBe('401 invalid_token')
    // A change counts immediately.
    const id = await create(endpointOf('octo', 'orders'))
    expect(await find('octo', id)).toBe('orders')
    let reads = 0
    const { read } = database
    database.read = (...statement) => {
      reads++
      return read(...statement)
    }
    for (let n = 0; n < 2000; n++) {
      time.now += 1000
      await find(`owner${n}`, `${n}`.padEnd(22, 'x'))
    }
    expect(await find('octo', id)).toBe('orders')
    expect(reads).toBe(0)
  })

  test('a failing disk and a missing key are 503, and are reported', async () => {
    const database = await memoryDatabase()
    const { find, create, endpoints, reported } = await lookup(new EndpointTable(database))
    const id = await create(endpointOf('octo', 'orders'))
    const foreign = endpointOf('octo', 'foreign')
    const times = { created: 1, changed: 1, firstEvent: null }
    const row = await encryptEndpoint(foreign, times, await encryptionOf(NEW))
    await endpoints.stores.of('octo').create(row)
    endpoints.changed('octo')
    expect(await find('octo', foreign.id.reveal())).toBe('503 overloaded')
    expect(reported).toHaveLength(1)
    const { read } = database
    database.read = async () => {
      throw new StorageError('disk fails')
    }
    expect(await find('octo', id)).toBe('503 overloaded')
    database.read = read
    expect(await find('octo', id)).toBe('orders')
    expect(reported).toHaveLength(2)
    database.read = async () => {
      throw new StorageError('disk fails')
    }
    // The list of before serves while the new one cannot be read.
    endpoints.changed('octo')
    expect(await find('octo', id)).toBe('orders')
    expect(reported).toHaveLength(3)
  })

  test('the endpoint as it is now is neither an earlier nor a later one of its name', async () => {
    const database = await memoryDatabase()
    const table = new EndpointTable(database)
    const { endpoints, create, reported } = await lookup(table)
    const endpoint = endpointOf('octo', 'orders', { token: TOKEN })
    await create(endpoint)
    expect(await endpoints.current(endpoint)).toEqual(endpoint)
    expect(await endpoints.current({ ...endpoint, created: 999 })).toBeUndefined()
    expect(await endpoints.current({ ...endpoint, name: 'other' })).toBeUndefined()
    expect(reported).toEqual([])
    const fault = new StorageError('disk fails')
    database.read = async () => {
      throw fault
    }
    await expect(endpoints.current(endpoint)).rejects.toMatchObject({
      ...{ code: 'overloaded', message: 'the endpoints cannot be read', cause: fault },
    })
    expect(reported).toEqual([fault])
  })

  test('an endpoint had an event if the table or this process knows of one', async () => {
    const table = new EndpointTable(await memoryDatabase())
    const { create, endpoints } = await lookup(table)
    const [orders, other] = [endpointOf('octo', 'orders'), endpointOf('octo', 'other')]
    for (const endpoint of [orders, other]) await create(endpoint)
    expect(await endpoints.hadEvent(orders)).toBe(false)
    expect(await endpoints.hadEvent(endpointOf('octo', 'none'))).toBe(false)
    await endpoints.accepted(orders)
    await table.of('octo').delete('orders')
    expect(await endpoints.hadEvent(orders)).toBe(true)
    const later = await lookup(table)
    expect(await later.endpoints.hadEvent(orders)).toBe(false)
    await endpoints.accepted(other)
    expect(await later.endpoints.hadEvent(other)).toBe(true)
  })

  test('notes the first event once', async () => {
    const database = await memoryDatabase()
    const table = new EndpointTable(database)
    const { create, endpoints, time } = await lookup(table)
    const endpoint = endpointOf('octo', 'orders')
    await create(endpoint)
    const { write } = database
    let writes = 0
    database.write = (statements) => {
      writes++
      return write(statements)
    }
    time.now = 7
    await endpoints.accepted(endpoint)
    time.now = 9
    await endpoints.accepted(endpoint)
    expect((await table.of('octo').named('orders'))?.firstEvent).toBe(7)
    expect(writes).toBe(1)
  })
})
