import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import { longestUpload } from '../../../src/relay/figures.ts'
import { BODY_PATH, type BodyRequest, LargeBodies } from '../../../src/relay/store/bodies.ts'
import { BodyTable, CHUNK_BYTES } from '../../../src/relay/store/body-table.ts'
import { DeliveryTable } from '../../../src/relay/store/deliveries.ts'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'
import type { Room, RoomRequest } from '../../../src/relay/store/room.ts'
import { FakeTime, HOUR, MINUTE } from '../../support/fake-time.ts'
import { nodeHash, sha256 } from '../../support/large-bodies.ts'
import { type MemoryDatabase, memoryDatabase } from '../../support/memory-database.ts'

const MOST = 25 * 1024 * 1024

let time: FakeTime
let database: MemoryDatabase
let room: number
let table: BodyTable
let bodies: LargeBodies
/** The owners whose store was asked for. */
let owners: string[]

beforeEach(async () => {
  time = new FakeTime()
  database = await memoryDatabase()
  room = Number.POSITIVE_INFINITY
  owners = []
  const within: Room['within'] = async ({ bytes }, _, write) => {
    if (bytes > room || !(await write())) return false
    room -= bytes
    return true
  }
  const report = (error: unknown) => {
    throw error
  }
  const give = ({ bytes }: RoomRequest) => {
    room += bytes
  }
  const now = () => time.now
  table = new BodyTable({ database, room: { within, give }, most: MOST, now, report })
  bodies = new LargeBodies({
    storeOf: (owner) => {
      owners.push(owner)
      return table
    },
    most: MOST,
    publicUrl: 'https://relay.example.com/base//',
    now: () => time.now,
    sleep: async (milliseconds) => {
      time.now += milliseconds
      await new Promise(setImmediate)
    },
    newHash: nodeHash,
    report,
  })
})

test('the most bytes of one body are those of the settings', () => {
  expect(bodies.most).toBe(MOST)
})

const requestOf = (given: Partial<BodyRequest> = {}): BodyRequest => ({
  request: 'a-request',
  owner: 'octo',
  endpoint: 'orders',
  hasToken: false,
  mayStore: async () => true,
  ...given,
})

const begin = (request: BodyRequest) => bodies.storageFor(request).begin()

async function uploaded(body: Uint8Array, given?: Partial<BodyRequest>) {
  const upload = begin(requestOf(given))
  for (let at = 0; at < body.length; at += 65_536) {
    await upload.write(body.subarray(at, at + 65_536))
  }
  return { upload, reference: await upload.finish() }
}

async function stored(body: Uint8Array, given?: Partial<BodyRequest>): Promise<string> {
  const { upload, reference } = await uploaded(body, given)
  await upload.publish()
  upload.keep()
  return new URL(reference.bodyUrl).pathname.replace('/base', '')
}

async function read(path: string, method = 'GET') {
  const { status, stream } = await bodies.serve(method, path)
  const chunks: Uint8Array[] = []
  for await (const chunk of stream ?? []) chunks.push(chunk)
  return { status, hash: sha256(Buffer.concat(chunks)), chunks: chunks.length }
}

const rows = async (name: 'body' | 'chunk') => (await database.read(`SELECT * FROM ${name}`)).length

describe('a stored body', () => {
  test.each([
    [0, 1],
    [1, 1],
    [CHUNK_BYTES, 1],
    [CHUNK_BYTES + 1, 2],
    [3 * CHUNK_BYTES, 3],
  ])('of %i bytes is read again from %i chunks', async (bytes, chunks) => {
    const body = randomBytes(bytes)
    const { upload, reference } = await uploaded(body)
    expect(reference).toEqual({
      bodyUrl: expect.stringMatching(
        /^https:\/\/relay\.example\.com\/base\/-\/octo\/bodies\/[\w-]{43}$/,
      ),
      bodySha256: sha256(body),
      bodyLength: bytes,
    })
    const path = new URL(reference.bodyUrl).pathname.replace('/base', '')
    expect((await read(path)).status).toBe(404)
    await upload.publish()
    expect(await read(path)).toEqual({ status: 200, hash: sha256(body), chunks })
    expect(await rows('chunk')).toBe(chunks)
  })

  test('is bytes of a known length', async () => {
    expect(await bodies.serve('GET', await stored(randomBytes(10)))).toEqual({
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'content-length': '10' },
      body: '',
      stream: expect.anything(),
    })
  })

  test('is the same 404 for every other method and address', async () => {
    const path = await stored(randomBytes(10))
    expect(await bodies.serve('POST', path)).toEqual({
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'not found\n',
    })
    const [, id = ''] = /bodies\/(.*)$/.exec(path) ?? []
    const asked = [
      ['POST', path],
      ['HEAD', path],
      ['GET', `/-/octo/bodies/${randomBytes(32).toString('base64url')}`],
      ['GET', `/-/OCTO/bodies/${id}`],
      ['GET', `/-/octo/bodies/${id}x`],
      ['GET', '/-/octo/bodies/'],
      ['GET', `/-/octo/bodies/${id.slice(1)}`],
      ['GET', `/x/-/octo/bodies/${id}`],
      ['GET', `/-/acme/bodies/${id}`],
      ['GET', `/-/-octo/bodies/${id}`],
      ['GET', `${path}/x`],
    ] as const
    for (const [method, wrong] of asked) {
      expect([wrong, (await read(wrong, method)).status]).toEqual([wrong, 404])
    }
    expect((await read(path)).status).toBe(200)
    expect([...new Set(owners)].sort()).toEqual(['acme', 'octo'])
  })

  test.each([
    ['/-/octo/bodies', true],
    ['/-/octo/bodies/', true],
    ['/-/octo/bodies/x/y', true],
    ['/-/octo/bodiesx', false],
    ['/-//bodies/x', false],
    ['/-/a/b/bodies/x', false],
    ['/x/-/octo/bodies/x', false],
  ])('has the path %s: %p', (path, isBody) => {
    expect(BODY_PATH.test(path)).toBe(isBody)
  })

  test('of which a chunk was exchanged, or is missing, is not read as another body', async () => {
    const body = randomBytes(2 * CHUNK_BYTES + 5)
    const path = await stored(body)
    database.run('UPDATE chunk SET number = 9 WHERE number = 0')
    database.run('UPDATE chunk SET number = 0 WHERE number = 1')
    database.run('UPDATE chunk SET number = 1 WHERE number = 9')
    await expect(bodies.serve('GET', path)).rejects.toThrow()
    const cut = await stored(body)
    database.run(`DELETE FROM chunk WHERE number = 2`)
    database.run(`UPDATE body SET bytes = ${2 * CHUNK_BYTES}`)
    await expect(read(cut)).rejects.toThrow()
  })

  test('is encrypted, and its address is not in the database', async () => {
    const path = await stored(Buffer.from('the-mark-of-the-body'))
    const [, id = ''] = /bodies\/(.*)$/.exec(path) ?? []
    const text = JSON.stringify([
      await database.read('SELECT * FROM body'),
      (await database.read('SELECT hex(content) AS content FROM chunk')).map(({ content }) =>
        Buffer.from(String(content), 'hex').toString('latin1'),
      ),
    ])
    expect([text.includes('the-mark'), text.includes(id)]).toEqual([false, false])
  })
})

describe('an upload', () => {
  test('that is discarded leaves nothing, also while a chunk of it is being stored', async () => {
    const upload = begin(requestOf())
    const writing = upload.write(randomBytes(2 * CHUNK_BYTES))
    await upload.discard()
    await writing
    expect([await rows('body'), await rows('chunk')]).toEqual([0, 0])
    await upload.discard()
    await expect(upload.finish()).rejects.toMatchObject({ code: 'bodies_full' })
  })

  test('that has not begun is discarded without a question', async () => {
    await begin(requestOf()).discard()
    expect(owners).toEqual([])
  })

  test('that is kept is not discarded', async () => {
    const { upload } = await uploaded(randomBytes(10))
    await upload.publish()
    upload.keep()
    await upload.discard()
    expect(await rows('body')).toBe(1)
  })

  test('for which there is no room is 503 bodies_full, as far as its bytes have arrived', async () => {
    room = CHUNK_BYTES + 100
    const upload = begin(requestOf())
    await upload.write(randomBytes(CHUNK_BYTES + 10))
    await expect(upload.write(randomBytes(CHUNK_BYTES))).rejects.toMatchObject({
      status: 503,
      code: 'bodies_full',
    })
    await upload.discard()
    expect([await rows('body'), await rows('chunk'), room]).toEqual([0, 0, CHUNK_BYTES + 100])
  })

  test('to a disk that fails is 503 bodies_full', async () => {
    database.isFailing = true
    const upload = begin(requestOf())
    await upload.write(randomBytes(10))
    await expect(upload.finish()).rejects.toMatchObject({ status: 503, code: 'bodies_full' })
  })

  test('is 503 bodies_full, too, if the disk does not tell whether it may be stored', async () => {
    const mayStore = () => Promise.reject(new Error('disk fails'))
    const upload = begin(requestOf({ endpoint: null, mayStore }))
    const error = { status: 503, code: 'bodies_full' }
    await expect(upload.write(randomBytes(10))).rejects.toMatchObject(error)
  })

  test('of more than the maximum is 413 that names the maximum', async () => {
    const upload = begin(requestOf())
    for (let n = 0; n < 25; n++) await upload.write(randomBytes(CHUNK_BYTES))
    const error = await upload.write(randomBytes(1)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RelayError)
    expect(error).toMatchObject({ status: 413, hint: `Send at most ${MOST} bytes.` })
  })

  test('of a token that GitHub did not accept is 413 at its first bytes, and nothing is stored', async () => {
    const upload = begin(requestOf({ endpoint: null, mayStore: async () => false }))
    await expect(upload.write(randomBytes(10))).rejects.toMatchObject({
      status: 413,
      hint: 'Send at most 262144 bytes.',
    })
    expect(await rows('body')).toBe(0)
  })

  test('can be inspected before it is published', async () => {
    const body = randomBytes(CHUNK_BYTES + 7)
    const { upload } = await uploaded(body)
    expect(await upload.inspect(async (bytes) => sha256(bytes))).toBe(sha256(body))
  })
})

test('one body at a time is inspected; a request that never ends loses its turn after a minute', async () => {
  const { upload } = await uploaded(Buffer.from('body'))
  const log: string[] = []
  const started = time.now
  const inspected = (name: string, work: () => Promise<void>) =>
    upload.inspect(async (bytes) => {
      log.push(`${name} begins ${Buffer.from(bytes)}`)
      await work()
      log.push(`${name} ends`)
    })
  let hasBegun = () => {}
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve
  })
  const first = inspected('first', async () => {
    hasBegun()
    // The second one waits, which lets the time pass.
    while (time.now === started) await new Promise(setImmediate)
  })
  await begun
  await inspected('second', async () => {})
  await first
  expect(log).toEqual(['first begins body', 'first ends', 'second begins body', 'second ends'])
  expect(time.now - started).toBeLessThan(MINUTE)
  void inspected('canceled', () => new Promise(() => {}))
  await new Promise(setImmediate)
  const before = time.now
  await inspected('next', async () => {})
  expect(time.now - before).toBeGreaterThanOrEqual(MINUTE)
  expect(log.slice(4)).toEqual(['canceled begins body', 'next begins body', 'next ends'])
})

describe('the table of bodies', () => {
  test('takes the room of a chunk for its owner, and gives it back', async () => {
    const asked: unknown[] = []
    let isDeleted = false
    const own = new BodyTable({
      ...{ database, most: MOST, now: () => time.now, report: () => {} },
      room: {
        within: async (request, most, write) => {
          asked.push([request, most])
          if (isDeleted) database.run('DELETE FROM body')
          return write()
        },
        give: (request) => void asked.push(request),
      },
    })
    const chunk = new Uint8Array(26)
    expect(await own.put('none', 0, chunk)).toBe(false)
    await own.delete('none')
    expect(asked).toEqual([])
    await own.begin({ ...requestOf(), hash: 'a', created: 0 })
    await own.begin({ ...requestOf({ endpoint: null, hasToken: true }), hash: 'b', created: 0 })
    const orders = { owner: 'octo', endpoint: 'orders', hasToken: false, events: 0 }
    const token = { owner: 'octo', endpoint: null, hasToken: true, events: 0 }
    await own.delete('a')
    for (const number of [0, 1]) expect(await own.put('b', number, chunk)).toBe(true)
    await own.delete('b')
    expect(asked).toEqual([
      { ...orders, bytes: 0 },
      [{ ...token, bytes: 26 }, undefined],
      [{ ...token, bytes: 26 }, undefined],
      { ...token, bytes: 52 },
    ])
    expect([await rows('body'), await rows('chunk')]).toEqual([0, 0])
    await own.begin({ ...requestOf(), hash: 'c', created: 0 })
    isDeleted = true
    expect([await own.put('c', 0, chunk), await rows('chunk')]).toEqual([false, 0])
  })

  test('has no chunk of a body that is not there', async () => {
    await expect(table.chunk('none', 0)).rejects.toMatchObject({ reason: 'disk fails' })
    expect(await table.find('none')).toBeNull()
  })
})

describe('old bodies', () => {
  const passDays = async (days: number) => {
    for (let hour = 0; hour < 24 * days; hour++) {
      time.now += HOUR
      await table.deleteOld()
    }
  }
  const row = (given: Partial<NewDelivery>): NewDelivery => ({
    id: `delivery-of-${given.request}`,
    request: 'a-request',
    replayOf: null,
    queue: 'octo/shop#own',
    endpoint: 'orders',
    path: 'hook/webhook',
    method: 'POST',
    received: time.now,
    size: 1,
    state: 'waiting',
    reason: 'queued',
    attempts: 0,
    doubts: 0,
    wait: 0,
    accepted: null,
    githubMs: null,
    run: null,
    explanation: null,
    key: 'k',
    content: 'c',
    follows: false,
    collection: null,
    ...given,
  })
  const isThere = async (path: string) => (await read(path)).status === 200

  test('go 7 days after GitHub accepted their event; waiting and dead events keep theirs', async () => {
    const waiting = await stored(randomBytes(10), { request: 'waiting' })
    const limits = { events: 100, bytes: 1e9, ownerShare: 1, retention: 7 * 24 * HOUR }
    const parts = { database, limits, keyIds: ['k'], now: () => time.now }
    const deliveries = new DeliveryTable(parts)
    await deliveries.record([
      row({ request: 'waiting', state: 'waiting' }),
      row({ request: 'of-a-token', endpoint: null, state: 'dead' }),
      row({ request: 'accepted', state: 'delivered' }),
      row({ request: 'unknown', endpoint: 'other', state: 'waiting' }),
    ])
    const token = await stored(randomBytes(10), { request: 'of-a-token', endpoint: null })
    const accepted = await stored(randomBytes(10), { request: 'accepted' })
    const unknown = await stored(randomBytes(10), { request: 'unknown' })
    const all = () => Promise.all([waiting, token, accepted, unknown].map(isThere))
    time.now += 16 * MINUTE
    await table.deleteOld()
    await passDays(6)
    expect(await all()).toEqual([true, true, true, true])
    await passDays(2)
    expect(await all()).toEqual([true, true, false, false])
    database.run('DELETE FROM delivery')
    await passDays(6)
    expect(await all()).toEqual([true, true, false, false])
    await passDays(2)
    await table.run()
    expect([await rows('body'), await rows('chunk'), table.next()]).toEqual([0, 0, undefined])
  })

  test('go after exactly 7 days, which begin 5 minutes after the longest upload', async () => {
    const path = await stored(randomBytes(10))
    const settled = longestUpload(MOST) + 5 * MINUTE
    time.now += settled
    await table.deleteOld()
    expect(await database.read('SELECT accepted FROM body')).toEqual([{ accepted: null }])
    time.now += 1
    await table.deleteOld()
    expect(await database.read('SELECT accepted FROM body')).toEqual([{ accepted: time.now }])
    time.now += 7 * 24 * HOUR
    await table.deleteOld()
    expect(await isThere(path)).toBe(true)
    time.now += 1
    await table.deleteOld()
    expect([await isThere(path), room]).toEqual([false, Number.POSITIVE_INFINITY])
  })

  test('are looked for every 15 minutes while there are bodies', async () => {
    const reported: unknown[] = []
    const { read } = database
    const own = new BodyTable({
      ...{ database, room: { within: async () => true, give: () => {} }, most: MOST },
      now: () => time.now,
      report: (error) => reported.push(error),
    })
    const begin = (hash: string) => own.begin({ ...requestOf(), hash, created: time.now })
    expect(own.next()).toBe(time.now)
    await own.run()
    expect(own.next()).toBeUndefined()
    await begin('a')
    const begun = time.now
    time.now += MINUTE
    await begin('b')
    expect(own.next()).toBe(begun + 15 * MINUTE)
    await own.run()
    expect(own.next()).toBe(time.now + 15 * MINUTE)
    time.now += MINUTE
    const fault = new Error('disk fails')
    database.read = async () => {
      throw fault
    }
    await own.run()
    expect([own.next(), reported]).toEqual([time.now + 15 * MINUTE, [fault]])
    database.read = read
    time.now += HOUR
    await own.run()
    expect([own.next(), await rows('body')]).toEqual([undefined, 0])
  })

  test('go at a start if their upload did not end, otherwise after the longest upload', async () => {
    await uploaded(randomBytes(10))
    await table.deleteOld()
    expect(await rows('body')).toBe(1)
    time.now += 5 * MINUTE
    await table.deleteOld()
    expect(await rows('body')).toBe(1)
    time.now += 8 * MINUTE
    await table.deleteOld()
    expect(await rows('body')).toBe(0)
    await uploaded(randomBytes(10))
    await table.deleteOld({ isStart: true })
    expect([await rows('body'), await rows('chunk')]).toEqual([0, 0])
  })
})
