import { expect, test } from '@jest/globals'
import {
  batchEnvelope,
  joinBatch,
  readBatch,
  writeBatchPayload,
} from '../../src/wire/batch-payload.ts'
import { gzip, toBase64 } from '../../src/wire/bytes.ts'
import { PayloadError } from '../../src/wire/errors.ts'
import { readClientPayload, writeClientPayload } from '../../src/wire/payload.ts'

const EVENTS = ['a', 'b\n"ü"', null].map((body, index) => ({
  path: `hook/webhook/${index}?n=${index}`,
  method: 'POST',
  headers: { 'x-hookline-delivery': `d-${index}`, 'content-type': 'text/plain' },
  body,
}))

const ENVELOPE = {
  path: 'hook/webhook/0?n=0',
  method: 'POST',
  count: EVENTS.length,
  delivery: 'batch-1',
  receivedAt: '2026-01-01T00:00:00.000Z',
}

const pack = async (text: string) => toBase64(await gzip(new TextEncoder().encode(text)))

async function batch(text: string, count = EVENTS.length) {
  const written = writeBatchPayload({ ...ENVELOPE, count }, await pack(text))
  return readClientPayload(JSON.parse(written))
}

test('a written batch is read as the same events', async () => {
  const payload = await batch(joinBatch(EVENTS.map(writeClientPayload)))
  expect(await readBatch(payload)).toEqual(EVENTS)
})

test('a batch has the four keys of an event, and says in its headers what it is', async () => {
  const { path, method, headers, ...rest } = await batch(joinBatch(['{}']), 1)
  expect([path, method, Object.keys(rest)]).toEqual([ENVELOPE.path, ENVELOPE.method, ['body']])
  expect({ ...headers }).toEqual({
    'x-hookline-batch': '1',
    'x-hookline-delivery': ENVELOPE.delivery,
    'x-hookline-received-at': ENVELOPE.receivedAt,
    'x-hookline-body-encoding': 'gzip',
  })
})

test('an envelope has the path, the method and the time of the first event', () => {
  const first = { ...EVENTS[0], headers: { 'X-Hookline-Received-At': 'now' } }
  expect(batchEnvelope(JSON.stringify(first), 3, 'd')).toEqual({
    ...{ path: 'hook/webhook/0?n=0', method: 'POST' },
    ...{ count: 3, delivery: 'd', receivedAt: 'now' },
  })
  expect(batchEnvelope('{"path":"a"}', 1, 'd').receivedAt).toBe('')
})

test('a batch of 256 events is read', async () => {
  expect(await readBatch(await batch(joinBatch(Array(256).fill('{}')), 256))).toHaveLength(256)
})

test('an event by itself is no batch', async () => {
  expect(await readBatch(readClientPayload(EVENTS[0]))).toBeUndefined()
})

const many = (count: number) => joinBatch(Array.from({ length: count }, () => '{}'))

test.each([
  ['a gzip bomb', async () => batch(`["${' '.repeat(5_000_000)}"]`, 1), 'more than 4 MB'],
  ['another number of events', async () => batch(many(3), 2), '3 events, not the number'],
  ['too many events', async () => batch(many(257), 257), 'more than 256'],
  ['what is no list', async () => batch('{}', 1), 'no list of events'],
  ['what is no JSON', async () => batch('[', 1), 'no list of events'],
  ['nesting without end', async () => batch('['.repeat(1_000), 1), 'no list of events'],
  [
    'what is not packed as it says',
    async () => ({ ...(await batch('[]', 0)), body: 'no base64 at all' }),
    'is not gzip',
  ],
  [
    'a body that is no text',
    async () => ({ ...(await batch('[]', 0)), body: [] }),
    'is not a string',
  ],
])('%s is refused as a batch', async (_, made, message) => {
  const reading = readBatch(await made())
  await expect(reading).rejects.toThrow(PayloadError)
  await expect(reading).rejects.toThrow(message)
})

test('an error contains no part of the payload', async () => {
  const reading = readBatch(await batch('{"secret": 1', 1))
  await expect(reading).rejects.not.toThrow('secret')
})
