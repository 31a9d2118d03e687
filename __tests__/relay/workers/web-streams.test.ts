import { expect, test } from '@jest/globals'
import { readLargeBody } from '../../../src/relay/workers/web-streams.ts'

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

function sinkOf(most = 1000 * KB) {
  let size = 0
  return {
    most,
    size: () => size,
    write: async (chunk: Uint8Array) => {
      size += chunk.length
    },
  }
}

test.each([
  ['at once', 'stored', [[0, 300 * KB]]],
  [
    'with 64 KB a second after 14.999 seconds',
    'stored',
    [[14_999, 64 * KB], ...pieces(9, 1000, 64)],
  ],
  ['small, within 15 seconds', 'whole', [[14_000, 10 * KB]]],
  ['with a pause of 16 seconds', 'late', [[16_000, 300 * KB]]],
  ['with 32 KB a second', 'late', pieces(60, 1000, 32)],
  ['small, a byte each second', 'late', pieces(100, 1000, 0.1)],
] as const)('a body that arrives %s is %s', async (_, result, given) => {
  const { body, clock, isCanceled, timers } = slow(given)
  const sink = sinkOf()
  const reading = { limit: 256 * KB, sink, arrived: undefined, clock }
  const outcome = await readLargeBody(body, [], reading).then(
    (bytes) => (bytes ? 'whole' : 'stored'),
    (error: unknown) => error,
  )
  if (result === 'late') {
    expect(outcome).toMatchObject({ status: 408, code: 'request_timeout' })
    expect(isCanceled()).toBe(true)
  } else expect(outcome).toBe(result)
  expect(timers()).toBe(0)
})

test('a body with more bytes than the sink takes is a RangeError, as is one that only says so', async () => {
  const { body, clock } = slow(pieces(3, 0, 200))
  const reading = { limit: 256 * KB, sink: sinkOf(500 * KB), arrived: undefined, clock }
  await expect(readLargeBody(body, [], reading)).rejects.toThrow(RangeError)
  const declared = ['content-length', String(501 * KB)]
  await expect(readLargeBody(slow([]).body, declared, reading)).rejects.toThrow(RangeError)
})

function pieces(count: number, after: number, kilobytes: number) {
  return Array.from({ length: count }, () => [after, Math.ceil(kilobytes * KB)] as const)
}
