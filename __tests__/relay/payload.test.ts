import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { RelayError } from '../../src/relay/errors.ts'
import { LIMIT_OF, writePayload } from '../../src/relay/github/payload.ts'
import { bodyBytes, utf8Text } from '../../src/wire/bytes.ts'
import { LIMITS } from '../../src/wire/limits.ts'
import { fc } from '../support/properties.ts'

const LIMIT = 65_535
const BYTES = LIMIT_OF.repository_dispatch

function received(bytes: Uint8Array<ArrayBuffer>, path = 'hook/webhook') {
  const body = { bytes, text: utf8Text(bytes) }
  const rest = {
    method: 'POST',
    headers: new Map(),
    delivery: 'd',
    receivedAt: '2026-01-01T00:00:00.000Z',
  }
  return { path, body, ...rest }
}

const textBytes = (text: string) => new TextEncoder().encode(text)

async function sizeOf(path: string): Promise<number> {
  const clientPayload = await writePayload(received(new Uint8Array(), path), BYTES)
  return Buffer.byteLength(clientPayload)
}

test('a payload of exactly 65,535 bytes is written, one of a byte more is refused', async () => {
  const others = (await sizeOf('p')) - 1
  for (const [unit, width] of [
    ['x', 1],
    ['"', 2],
    ['é', 2],
    ['\u0001', 6],
  ] as const) {
    const fitting = Math.floor((LIMIT - others) / width)
    const rest = 'x'.repeat(LIMIT - others - fitting * width)
    expect(await sizeOf(unit.repeat(fitting) + rest)).toBe(LIMIT)
    const refused = writePayload(
      received(new Uint8Array(), `${unit.repeat(fitting)}${rest}x`),
      BYTES,
    )
    await expect(refused).rejects.toMatchObject({ status: 413, code: 'payload_too_large' })
  }
})

test('500 bodies of up to 256 KB: the payload fits, and holds all of the body', async () => {
  const unit = fc.constantFrom('x', '"', '\\', '\u0000', '\u001f', 'é', '\u2028', '😀')
  const text = fc.tuple(fc.array(unit, { minLength: 1, maxLength: 20 }), fc.nat(9000))
  const property = fc.asyncProperty(text, async ([units, times]) => {
    const bytes = textBytes(units.join('').repeat(times))
    // A larger body is rejected before it is written.
    fc.pre(bytes.length <= LIMITS.requestBodyBytes)
    const clientPayload = await writePayload(received(bytes), BYTES)
    const payload = JSON.parse(clientPayload)
    expect(Buffer.byteLength(clientPayload)).toBeLessThanOrEqual(LIMIT)
    const encoding = payload.headers['x-hookline-body-encoding']
    const travelled = await bodyBytes(String(payload.body ?? ''), encoding)
    expect(Buffer.compare(travelled, bytes)).toBe(0)
  })
  await fc.assert(property, { numRuns: 500 })
})

test('a payload that is too large after gzip is refused', async () => {
  const refused = writePayload(received(new Uint8Array(randomBytes(65_000))), BYTES)
  await expect(refused).rejects.toBeInstanceOf(RelayError)
})

test('of an input of a workflow the characters count, not the bytes', async () => {
  const bytes = textBytes('é'.repeat(65_000))
  const plain = await writePayload(received(bytes), LIMIT_OF.workflow_dispatch)
  expect(plain.length).toBeLessThanOrEqual(LIMIT)
  expect(JSON.parse(plain).headers['x-hookline-body-encoding']).toBeUndefined()
  const packed = await writePayload(received(bytes), BYTES)
  expect(JSON.parse(packed).headers['x-hookline-body-encoding']).toBe('gzip')
})

test('the next way to pack is tried only where the one before packs too little', async () => {
  const tried: string[] = []
  const packer = (name: string, length: number) => async () => {
    tried.push(name)
    return 'A'.repeat(length)
  }
  const large = received(textBytes('"'.repeat(100_000)))
  await writePayload(large, BYTES, [packer('quick', 10), packer('thorough', 10)])
  expect(tried).toEqual(['quick'])
  await writePayload(large, BYTES, [packer('quick', 80_000), packer('thorough', 10)])
  expect(tried).toEqual(['quick', 'quick', 'thorough'])
  const never = writePayload(large, BYTES, [packer('quick', 80_000), packer('thorough', 80_000)])
  await expect(never).rejects.toMatchObject({ status: 413 })
})
