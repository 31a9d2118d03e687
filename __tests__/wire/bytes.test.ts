import { describe, expect, test } from '@jest/globals'
import { collect } from '../../src/wire/bytes.ts'

async function* chunks(...sizes: readonly number[]) {
  for (const [at, size] of sizes.entries()) yield new Uint8Array(size).fill(at)
}

describe('the bytes of a stream', () => {
  test.each([
    { sizes: [], limit: 0 },
    { sizes: [3], limit: 3 },
    { sizes: [1, 2], limit: 3 },
    { sizes: [2, 0, 1], limit: 4 },
  ])('are joined up to a limit: $sizes of $limit', async ({ sizes, limit }) => {
    const told: number[] = []
    const bytes = await collect(chunks(...sizes), limit, (size) => told.push(size))
    expect([...bytes]).toEqual(sizes.flatMap((size, at) => Array(size).fill(at)))
    expect(told).toEqual(sizes)
  })

  test.each([
    { sizes: [1], limit: 0, told: [] },
    { sizes: [3, 1, 1], limit: 3, told: [3] },
    { sizes: [2, 2], limit: 3, told: [2] },
  ])('beyond the limit are refused: $sizes of $limit', async ({ sizes, limit, told: before }) => {
    const told: number[] = []
    const reading = collect(chunks(...sizes), limit, (size) => told.push(size))
    await expect(reading).rejects.toThrow(new RangeError(`more than ${limit} bytes`))
    expect(told).toEqual(before)
  })
})
