import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import { Encryption, reencrypt, rowsByKey } from '../../../src/relay/store/encryption.ts'
import { EndpointLookup } from '../../../src/relay/store/endpoint-lookup.ts'
import {
  decryptEndpoint,
  encryptEndpoint,
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
  const [a] = await store.list(await fresh.tokenHashes(TOKEN))
  expect(a && (await decryptEndpoint(a, fresh)).token?.reveal()).toBe(TOKEN.reveal())
})

describe('EndpointLookup', () => {
  async function lookup(stores: EndpointStores, holds = { known: 10_000, unknown: 1000 }) {
    const time = { now: 0 }
    const reported: unknown[] = []
    const endpoints = new EndpointLookup({
      stores,
      encryption,
      holds,
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
    await create(endpointOf('acme', 'other'))
    expect(await find('octo', id)).toBe('orders')
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

  test('the hint of an unknown id names the command that prints the URL, and no token', async () => {
    const { endpoints } = await lookup(new EndpointTable(await memoryDatabase()))
    const error = await endpoints
      .find({ owner: 'octo', id: 'A'.repeat(22) })
      .catch((fault: unknown) => fault)
    const { message, hint } = error instanceof RelayError ? error : { message: '', hint: '' }
    expect(hint).toContain('hookline endpoint show <name> --url')
    expect(`${message} ${hint}`).not.toContain('token')
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
    time.now += 1000
    expect(await find('octo', 'A'.repeat(22))).toBe('401 invalid_token')
  })

  test('100 unknown ids call the object once in a second, and a deletion counts within 10', async () => {
    const { stores, calls } = endpointObjects()
    const { find, create, time } = await lookup(stores)
    const id = await create(endpointOf('octo', 'orders'))
    calls.length = 0
    for (let n = 0; n < 100; n++) await find('octo', `${n}`.padEnd(22, 'x'))
    expect(calls).toEqual(['octo'])
    expect(await find('octo', id)).toBe('orders')
    await stores.of('octo').delete('orders')
    time.now += 9_000
    expect(await find('octo', id)).toBe('orders')
    time.now += 1_001
    expect(await find('octo', id)).toBe('401 invalid_token')
  })

  test('where one table has all owners, invented owners and ids read nothing', async () => {
    const database = await memoryDatabase()
    const { find, create, time } = await lookup(new EndpointTable(database), {
      known: Number.POSITIVE_INFINITY,
      unknown: Number.POSITIVE_INFINITY,
    })
    const id = await create(endpointOf('octo', 'orders'))
    await find('octo', id)
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
  })

  test('notes the first event once', async () => {
    const table = new EndpointTable(await memoryDatabase())
    const { create, endpoints, time } = await lookup(table)
    const endpoint = endpointOf('octo', 'orders')
    await create(endpoint)
    time.now = 7
    await endpoints.accepted(endpoint)
    time.now = 9
    await endpoints.accepted(endpoint)
    expect((await table.of('octo').named('orders'))?.firstEvent).toBe(7)
  })
})
