import { expect, test } from '@jest/globals'
import { atMinimumRate, readable } from '../../../src/relay/workers/web-streams.ts'

const KB = 1024

/** A stream of pieces, each after so many milliseconds of a clock that only the stream advances. */
function slow(pieces: readonly (readonly [after: number, bytes: number])[]) {
  let now = 0
  const due = new Map<symbol, { readonly at: number; readonly back: () => void }>()
  const pass = (milliseconds: number) => {
    now += milliseconds
    for (const [name, { at, back }] of due) {
      if (at > now) continue
      due.delete(name)
      back()
    }
  }
  let isCanceled = false
  const left = [...pieces]
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = left.shift()
        if (!next) return controller.close()
        await new Promise(setImmediate)
        pass(next[0])
        // A reader that gave up meanwhile has canceled.
        await new Promise(setImmediate)
        if (!isCanceled) controller.enqueue(new Uint8Array(next[1]))
      },
      cancel: () => {
        isCanceled = true
      },
    },
    { highWaterMark: 0 },
  )
  const clock = {
    now: () => now,
    after: (milliseconds: number, back: () => void) => {
      const name = Symbol('timer')
      due.set(name, { at: now + milliseconds, back })
      return () => due.delete(name)
    },
  }
  return { body, clock, isCanceled: () => isCanceled, timers: () => due.size }
}

test.each([
  ['at once', 'whole', [[0, 300 * KB]]],
  [
    'with 64 KB a second after 14.999 seconds',
    'whole',
    [[14_999, 64 * KB], ...pieces(9, 1000, 64)],
  ],
  ['small, within 15 seconds', 'whole', [[14_000, 10 * KB]]],
  ['with a pause of 16 seconds', 'late', [[16_000, 300 * KB]]],
  ['with 32 KB a second', 'late', pieces(60, 1000, 32)],
  ['small, a byte each second', 'late', pieces(100, 1000, 0.1)],
] as const)('a body that arrives %s is %s', async (_, result, given) => {
  const { body, clock, isCanceled, timers } = slow(given)
  let size = 0
  const read = async () => {
    for await (const { length } of atMinimumRate(body, clock)) size += length
    return size === given.reduce((sum, [, bytes]) => sum + bytes, 0) ? 'whole' : 'cut'
  }
  const outcome = await read().catch((error: unknown) => error)
  if (result === 'late') {
    expect(outcome).toMatchObject({ status: 408, code: 'request_timeout' })
    expect(isCanceled()).toBe(true)
  } else expect(outcome).toBe(result)
  expect(timers()).toBe(0)
})

function pieces(count: number, after: number, kilobytes: number) {
  return Array.from({ length: count }, () => [after, Math.ceil(kilobytes * KB)] as const)
}

test('a stream reads the next piece when the one before was taken, and ends with its reader', async () => {
  const log: string[] = []
  async function* given() {
    try {
      for (const n of [1, 2, 3]) {
        log.push(`gives ${n}`)
        yield new Uint8Array([n])
      }
    } finally {
      log.push('ends')
    }
  }
  const whole: number[] = []
  for await (const [n = 0] of readable(given())) whole.push(n)
  expect([whole, log]).toEqual([
    [1, 2, 3],
    ['gives 1', 'gives 2', 'gives 3', 'ends'],
  ])
  log.length = 0
  const reader = readable(given()).getReader()
  expect((await reader.read()).value).toEqual(new Uint8Array([1]))
  await reader.cancel()
  expect(log.at(-1)).toBe('ends')
  expect(log).not.toContain('gives 3')
})

test('a stream of an iterator that cannot be ended may be canceled', async () => {
  const pieces: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: new Uint8Array(1) }),
    }),
  }
  await readable(pieces).cancel()
})
