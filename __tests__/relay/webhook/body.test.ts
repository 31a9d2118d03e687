import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import { LIMIT_OF } from '../../../src/relay/github/payload.ts'
import type { BodyStorage, BodyUpload } from '../../../src/relay/store/bodies.ts'
import { BodyMemory, receiveBody, writeEvent } from '../../../src/relay/webhook/body.ts'
import type { RelayRequest } from '../../../src/wire/http.ts'

const KB = 1024
const LIMIT = 256 * KB
const MOST = 1024 * KB

/** A storage that notes what it is told. */
function storage(fault: Partial<Record<'write' | 'finish', Error>> = {}) {
  const told: string[] = []
  let length = 0
  const upload: Pick<BodyUpload, 'write' | 'finish' | 'discard'> = {
    write: async (bytes) => {
      told.push(`write ${bytes.length}`)
      length += bytes.length
      if (fault.write) throw fault.write
    },
    finish: async () => {
      told.push('finish')
      if (fault.finish) throw fault.finish
      return { bodyUrl: 'https://relay.test/x', bodySha256: 'ab', bodyLength: length }
    },
    discard: async () => void told.push('discard'),
  }
  const begin = () => {
    told.push('begin')
    return upload as BodyUpload // only these methods are called
  }
  const given: BodyStorage = { most: MOST, begin }
  return { storage: given, told, upload }
}

/** A request with a body in pieces. */
function request(
  pieces: readonly (number | Error)[],
  { declared, isPlain = false }: { declared?: number; isPlain?: boolean } = {},
): RelayRequest {
  const headers = declared === undefined ? [] : ['Content-Length', String(declared)]
  const bytesOf = (piece: number | Error) => {
    if (piece instanceof Error) throw piece
    return new Uint8Array(piece).fill(0x61)
  }
  return {
    ...{ method: 'POST', target: '/', headers },
    readBody: async (limit, arrived) => {
      const bytes = pieces.map(bytesOf)
      const size = bytes.reduce((sum, { length }) => sum + length, 0)
      if (size > limit) throw new RangeError('too long')
      arrived?.(size)
      return new Uint8Array(size).fill(0x61)
    },
    ...(!isPlain && {
      async *pieces() {
        for (const piece of pieces) yield bytesOf(piece)
      },
    }),
  }
}

/** What is received, with the memory that it takes. */
async function receive(given: RelayRequest, to?: BodyStorage, most = 10 * MOST) {
  const memory = new BodyMemory(most)
  const held: number[] = []
  const own = memory.hold()
  const counted = {
    add: (bytes: number) => {
      held.push(bytes)
      own.add(bytes)
    },
    release: () => {
      held.push(-1)
      own.release()
    },
  }
  const result = await receiveBody(given, { memory: counted, storage: to }).then(
    ({ body, size, upload }) => ({
      ...{ size, bytes: body.bytes.length, text: body.text?.length },
      ...(body.stored && { stored: body.stored }),
      ...(upload && { hasUpload: true }),
    }),
    ({ code, message, hint, cause }: RelayError) => ({ code, message, hint, cause }),
  )
  return { result, held }
}

const tooLarge = (most: number) => ({
  code: 'payload_too_large',
  message: 'the body is too large for the relay',
  hint: `Send at most ${most} bytes.`,
  cause: undefined,
})
const inMemory = (size: number) => ({ size, bytes: size, text: size })
const stored = (size: number) => ({
  ...{ size, bytes: 0, text: undefined, hasUpload: true },
  stored: { bodyUrl: 'https://relay.test/x', bodySha256: 'ab', bodyLength: size },
})

describe('a body', () => {
  test.each<[name: string, RelayRequest, object, string[], number[]]>([
    ['that is empty', request([]), inMemory(0), [], []],
    ['of a declared length', request([LIMIT], { declared: LIMIT }), inMemory(LIMIT), [], [LIMIT]],
    ['without one', request([LIMIT - 1, 1]), inMemory(LIMIT), [], [LIMIT - 1, 1]],
    [
      'beyond the limit of an event',
      request([LIMIT - 1, 1, 1, 7]),
      stored(LIMIT + 8),
      ['begin', `write ${LIMIT - 1}`, 'write 1', 'write 1', 'write 7', 'finish'],
      [LIMIT - 1, 1, -1],
    ],
    [
      'that declares that',
      request([LIMIT + 1], { declared: LIMIT + 1 }),
      stored(LIMIT + 1),
      ['begin', `write ${LIMIT + 1}`, 'finish'],
      [-1],
    ],
    [
      'with the most bytes',
      request([MOST], { declared: MOST }),
      stored(MOST),
      ['begin', `write ${MOST}`, 'finish'],
      [-1],
    ],
    ['that declares more', request([], { declared: MOST + 1 }), tooLarge(MOST), [], []],
    [
      'of a runtime without pieces',
      request([LIMIT + 1], { isPlain: true, declared: LIMIT + 1 }),
      tooLarge(MOST),
      [],
      [],
    ],
  ])('%s, with a storage', async (_name, given, result, told, held) => {
    const store = storage()
    expect(await receive(given, store.storage)).toEqual({ result, held })
    expect(store.told).toEqual(told)
  })

  test.each<[RelayRequest, object]>([
    [request([LIMIT]), inMemory(LIMIT)],
    [request([LIMIT + 1]), tooLarge(LIMIT)],
    [request([LIMIT + 1], { declared: LIMIT + 1 }), tooLarge(LIMIT)],
  ])('without a storage: %#', async (given, result) => {
    expect((await receive(given)).result).toEqual(result)
  })

  const cut = new Error('reset')
  const ENDED = {
    code: 'invalid_request',
    message: 'the connection ended before the body was complete',
    hint: 'Send the request again.',
    cause: cut,
  }
  test.each<[RelayRequest, string[]]>([
    [request([1, cut]), []],
    [request([1, cut], { declared: 2 }), []],
    [request([LIMIT, 1, cut]), ['begin', `write ${LIMIT}`, 'write 1', 'discard']],
  ])('that ends early is refused: %#', async (given, told) => {
    const store = storage()
    expect((await receive(given, store.storage)).result).toEqual(ENDED)
    expect(store.told).toEqual(told)
  })

  test.each(['write', 'finish'] as const)('whose storage fails at %s is refused', async (step) => {
    const store = storage({ [step]: new RelayError('bodies_full') })
    const { result } = await receive(request([LIMIT + 1]), store.storage)
    expect(result).toMatchObject({ code: 'bodies_full' })
    expect(store.told.at(-1)).toBe('discard')
  })

  test('beyond the memory of all bodies is refused', async () => {
    for (const declared of [undefined, 100]) {
      const given = request([100], declared === undefined ? {} : { declared })
      expect((await receive(given, storage().storage, 99)).result).toMatchObject({
        ...{ code: 'overloaded', message: 'the relay is processing too many bodies' },
      })
      expect((await receive(given, storage().storage, 100)).result).toEqual(inMemory(100))
    }
  })
})

describe('an event whose body no form fits', () => {
  const event = (bytes: Uint8Array) => ({
    ...{ path: 'hook/webhook', method: 'POST', headers: new Map<string, string>() },
    ...{ delivery: 'd', receivedAt: '2026-01-01T00:00:00.000Z' },
    body: { bytes, text: undefined },
  })
  const LARGE = event(new Uint8Array(70_000))
  /** Packs nothing. */
  const packers = [async () => 'A'.repeat(70_000)]
  const write = (to?: BodyStorage, given = LARGE) =>
    writeEvent(given, LIMIT_OF.repository_dispatch, to, packers)
  const refused = {
    code: 'payload_too_large',
    message: expect.stringMatching(/^the event has 70\d\d\d bytes, and GitHub accepts 65535$/),
  }

  test('is refused without a storage', async () => {
    await expect(write()).rejects.toMatchObject(refused)
  })

  test('is stored, and the payload has its address', async () => {
    const store = storage()
    const { clientPayload, body, upload } = await write(store.storage)
    expect(store.told).toEqual(['begin', 'write 70000', 'finish'])
    const reference = { bodyUrl: 'https://relay.test/x', bodySha256: 'ab', bodyLength: 70_000 }
    expect(body).toEqual({ bytes: new Uint8Array(), text: undefined, stored: reference })
    expect(upload).toBe(store.upload)
    expect(JSON.parse(clientPayload)).toMatchObject({
      body: null,
      headers: { 'x-hookline-body-encoding': 'url', 'x-hookline-body-url': reference.bodyUrl },
    })
  })

  test.each(['write', 'finish'] as const)('is discarded if %s fails', async (step) => {
    const store = storage({ [step]: new RelayError('storage_full') })
    await expect(write(store.storage)).rejects.toMatchObject({ code: 'storage_full' })
    expect(store.told.at(-1)).toBe('discard')
  })

  test('is discarded if the rest of the event is too large', async () => {
    const store = storage()
    const given = { ...LARGE, path: 'x'.repeat(70_000) }
    await expect(write(store.storage, given)).rejects.toMatchObject({ code: 'payload_too_large' })
    expect(store.told).toEqual(['begin', 'write 70000', 'finish', 'discard'])
  })

  test('is not stored again, or for another error', async () => {
    const store = storage()
    const stored = { bodyUrl: 'https://relay.test/x', bodySha256: 'ab', bodyLength: 7 }
    const given = { ...LARGE, path: 'x'.repeat(70_000), body: { ...LARGE.body, stored } }
    await expect(write(store.storage, given)).rejects.toMatchObject({ code: 'payload_too_large' })
    const failing = [() => Promise.reject(new TypeError('bug'))]
    const limit = LIMIT_OF.repository_dispatch
    await expect(writeEvent(LARGE, limit, store.storage, failing)).rejects.toThrow('bug')
    expect(store.told).toEqual([])
  })

  test('is not needed for one that fits', async () => {
    const store = storage()
    const small = event(new Uint8Array(7))
    const { body, upload } = await write(store.storage, small)
    expect([body, upload, store.told]).toEqual([small.body, undefined, []])
  })
})
