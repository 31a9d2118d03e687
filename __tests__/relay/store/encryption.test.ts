import { describe, expect, test } from '@jest/globals'
import { CompactEncrypt } from 'jose'
import { encryptJwe } from '../../../src/relay/node/database.ts'
import { DeliveryTable } from '../../../src/relay/store/deliveries.ts'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'
import { Encryption, reencrypt, rowsByKey } from '../../../src/relay/store/encryption.ts'
import { newRelayKey, readRelayKeys } from '../../../src/relay/store/relay-key.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { memoryDatabase } from '../../support/memory-database.ts'

const [OLD, NEW] = [newRelayKey().reveal(), newRelayKey().reveal()]
const encryptionOf = async (...keys: string[]) =>
  new Encryption(await readRelayKeys(new Secret(keys.join(',')), 'key'))
const old = await encryptionOf(OLD)
const both = await encryptionOf(NEW, OLD)
const fresh = await encryptionOf(NEW)

test.each([
  ['WebCrypto', old],
  ['Node', new Encryption(await readRelayKeys(new Secret(OLD), 'key'), encryptJwe)],
])('a record of %s is decrypted by its key alone, and as its type alone', async (_, by) => {
  const record = await by.encrypt('hookline-endpoint', { a: 'ä\u2028', n: 1 })
  expect(record.key).toBe(old.key)
  expect(record.content).not.toContain(Buffer.from('"a"').toString('base64url'))
  expect(await both.decrypt('hookline-endpoint', record)).toEqual({ a: 'ä\u2028', n: 1 })
  await expect(old.decrypt('hookline-delivery', record)).rejects.toThrow('type')
  await expect(fresh.decrypt('hookline-endpoint', record)).rejects.toThrow('another relay key')
})

test('no altered record is decrypted, and none that another algorithm encrypted', async () => {
  const { content } = await old.encrypt('t', { a: 1 })
  const [header = '', , iv = '', text = '', tag = ''] = content.split('.')
  const other = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), typ: 'u' }
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = [
    [encoded(other), '', iv, text, tag],
    [encoded({ ...other, typ: 't', enc: 'A128GCM' }), '', iv, text, tag],
    [encoded({ ...other, typ: 't', alg: 'A256KW' }), '', iv, text, tag],
    [header, '', iv, text.slice(0, -2), tag],
    [header, '', iv, text, tag.slice(0, 4)],
    [header, 'AAAA', iv, text, tag],
  ]
  for (const parts of forged) {
    const record = { key: old.key, content: parts.join('.') }
    for (const type of ['t', 'u']) await expect(old.decrypt(type, record)).rejects.toThrow()
  }
})

test('a record is encrypted with the key itself, not with a key that another record could bring', async () => {
  const [{ id, storage }] = await readRelayKeys(new Secret(OLD), 'key')
  const header = { alg: 'A256GCMKW', enc: 'A256GCM', typ: 't', kid: id }
  const content = await new CompactEncrypt(Buffer.from('{"a":1}'))
    .setProtectedHeader(header)
    .encrypt(storage)
  await expect(old.decrypt('t', { key: id, content })).rejects.toThrow('"alg"')
})

test('the first of several keys encrypts', async () => {
  expect([both.key, both.keyIds]).toEqual([fresh.key, [fresh.key, old.key]])
})

test('the hash of a token depends on the relay key, and is found under each key', async () => {
  const token = new Secret(`ghp_${'a'.repeat(36)}`)
  const hash = await old.tokenHash(token)
  expect(await both.tokenHashes(token)).toContain(hash)
  expect(await fresh.tokenHashes(token)).not.toContain(hash)
  expect(await old.tokenHash(new Secret(`ghp_${'a'.repeat(35)}b`))).not.toBe(hash)
})

describe('reencrypt', () => {
  const TOKEN = new Secret(`ghp_${'t'.repeat(36)}`)

  async function endpoints(count: number) {
    const database = await memoryDatabase()
    for (let n = 0; n < count; n++) {
      const { key, content } = await old.encrypt('hookline-endpoint', { n, token: TOKEN.reveal() })
      const text = `INSERT INTO endpoint (hash, owner, name, created, changed, key, content)
        VALUES (?1, 'octo', ?1, 0, 0, ?2, ?3)`
      await database.write([[text, String(n), key, content]])
    }
    return database
  }

  test('250 rows get the new key, then the old one is not needed', async () => {
    const database = await endpoints(250)
    expect(await rowsByKey(database)).toEqual({ [old.key]: 250 })
    expect(await reencrypt(database, both)).toEqual({ rows: 250, unreadable: 0 })
    expect(await rowsByKey(database)).toEqual({ [both.key]: 250 })
    const [row] = await database.read("SELECT * FROM endpoint WHERE hash = '217'")
    expect(row?.tokenHash).toBe(await fresh.tokenHash(TOKEN))
    const record = { key: '', content: String(row?.content) }
    expect(await fresh.decrypt('hookline-endpoint', record)).toMatchObject({ n: 217 })
    expect(await reencrypt(database, both)).toEqual({ rows: 0, unreadable: 0 })
  })

  test('deliveries get the new key, too, and those without a payload stay', async () => {
    const database = await memoryDatabase()
    const parts = {
      limits: { events: 10, bytes: 1e6, ownerShare: 1, retention: 1000 },
      ...{ database, keyIds: old.keyIds, now: () => 0 },
    }
    const record = await old.encrypt('hookline-event', { event: { n: 1 } })
    const row: Omit<NewDelivery, 'key' | 'content'> = {
      ...{ id: 'a', request: 'a', queue: 'octo/shop#own', endpoint: 'orders', path: 'orders' },
      ...{ method: 'POST', received: 0, size: 2, state: 'filtered', reason: 'if' },
    }
    await new DeliveryTable(parts).record([
      { ...row, ...record },
      { ...row, id: 'b', key: null, content: null },
    ])
    expect(await rowsByKey(database)).toEqual({ [old.key]: 1 })
    expect(await reencrypt(database, both)).toEqual({ rows: 1, unreadable: 0 })
    const [first, second] = await database.read('SELECT key, content FROM delivery ORDER BY seq')
    expect(second).toEqual({ key: null, content: null })
    const again = { key: String(first?.key), content: String(first?.content) }
    expect(again.key).toBe(fresh.key)
    expect(await fresh.decrypt('hookline-event', again)).toEqual({ event: { n: 1 } })
  })

  test('the rows of each key are counted behind 20,000 rows', async () => {
    const database = await memoryDatabase()
    const numbers = `WITH RECURSIVE numbers (n) AS
      (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 45000)`
    // The last rows of the first page are 9999 and 20000: as numbers, the second one comes later.
    const key = "CASE WHEN n < 10000 THEN 'k9' ELSE 'k0' END"
    database.run(`INSERT INTO delivery (id, request, owner, repository, queue, path, method, received, size, state,
        reason, since, queued, at, attempts, doubts, wait, failures, bytes, key)
      ${numbers} SELECT n, n, '', '', '', '', '', 0, 0, 'dead', '', 0, 0, 0, 0, 0, 0, 0, 0, ${key} FROM numbers`)
    database.run(`INSERT INTO endpoint (hash, owner, name, created, changed, key, content)
      ${numbers} SELECT n, 'octo', n, 0, 0, ${key}, '' FROM numbers`)
    expect(await rowsByKey(database)).toEqual({ k0: 2 * 35_001, k9: 2 * 9999 })
  })

  test('the table is not read again until the keys change', async () => {
    const database = await endpoints(1)
    await reencrypt(database, both)
    const { read } = database
    const statements: string[] = []
    database.read = (...statement) => {
      statements.push(statement[0])
      return read(...statement)
    }
    await reencrypt(database, both)
    expect(statements.filter((text) => /FROM endpoint/.test(text))).toEqual([])
    await reencrypt(database, fresh)
    expect(statements.filter((text) => /FROM endpoint/.test(text))).toHaveLength(1)
  })

  test('rows of a key that is missing stay, and are encrypted anew when it is back', async () => {
    const database = await endpoints(130)
    expect(await reencrypt(database, fresh)).toEqual({ rows: 0, unreadable: 130 })
    expect(await rowsByKey(database)).toEqual({ [old.key]: 130 })
    expect(await reencrypt(database, both)).toEqual({ rows: 130, unreadable: 0 })
  })

  test('after a full disk the next call goes on', async () => {
    const database = await endpoints(150)
    const { write } = database
    let writes = 0
    database.write = (statements) => {
      // The first write notes that no delivery has an older key.
      database.isFailing = ++writes === 3
      return write(statements)
    }
    await expect(reencrypt(database, both)).rejects.toThrow()
    database.isFailing = false
    expect(await rowsByKey(database)).toEqual({ [both.key]: 100, [old.key]: 50 })
    expect(await reencrypt(database, both)).toEqual({ rows: 50, unreadable: 0 })
  })

  test('a row that changes meanwhile keeps its change', async () => {
    const database = await endpoints(1)
    const changed = await both.encrypt('hookline-endpoint', { n: 'changed' })
    const { read } = database
    database.read = async (...statement) => {
      const rows = await read(...statement)
      if (/FROM endpoint WHERE/.test(statement[0])) {
        await database.write([
          ['UPDATE endpoint SET key = ?, content = ?', changed.key, changed.content],
        ])
      }
      return rows
    }
    await reencrypt(database, both)
    const [row] = await read('SELECT content FROM endpoint')
    expect(row?.content).toBe(changed.content)
  })
})
