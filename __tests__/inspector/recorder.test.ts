import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BOUNDS, Recorder } from '../../src/dev/inspector/recorder.ts'
import type { Unlisted } from '../../src/dev/inspector/wire.ts'

function event(body: string): Unlisted {
  return {
    time: '2026-01-01T00:00:00.000Z',
    origin: 'request',
    delivery: 'd',
    method: 'POST',
    path: 'hook/webhook',
    workflow: 'hook',
    trigger: 'webhook',
    outcome: 'fired',
    count: 1,
    reason: null,
    milliseconds: 1,
    request: { method: 'POST', path: 'hook/webhook', headers: {}, body, encoding: 'text' },
    decisions: [],
    problems: [],
    warnings: [],
    found: [],
    items: [],
    fields: [],
  }
}

function bytesKept(recorder: Recorder): number {
  return recorder.after(0).reduce((sum, { json }) => sum + json.length, 0)
}

describe('what is kept', () => {
  test('is 200 requests and 32 MB at most', () => {
    expect(BOUNDS).toEqual({ requests: 200, bytes: 33_554_432 })
    const many = new Recorder()
    for (let count = 0; count < 250; count++) many.add(event('small'))
    expect(many.after(0).map(({ summary }) => summary.id)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 51),
    )
    const large = new Recorder()
    for (let count = 0; count < 150; count++) large.add(event('x'.repeat(256 * 1024)))
    expect(bytesKept(large)).toBeLessThanOrEqual(33_554_432)
    expect(large.after(0).length).toBeGreaterThan(100)
  })

  test('stays within any bounds, counts what it holds, and is the newest', () => {
    const sizes = fc.array(fc.nat(3000), { maxLength: 60 })
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 20 }),
        fc.nat(20_000),
        (all, requests, bytes) => {
          const recorder = new Recorder({ requests, bytes })
          for (const size of all) recorder.add(event('x'.repeat(size)))
          const kept = recorder.after(0)
          expect(kept.length).toBeLessThanOrEqual(requests)
          expect(bytesKept(recorder)).toBeLessThanOrEqual(recorder.bytes)
          expect(recorder.bytes).toBeLessThanOrEqual(bytes)
          const newest = all.length - kept.length
          expect(kept.map(({ summary }) => summary.id)).toEqual(
            kept.map((_, at) => newest + at + 1),
          )
          expect(recorder.oldest).toBe(newest + 1)
        },
      ),
    )
  })

  test('is told as it comes, until nobody listens', () => {
    const recorder = new Recorder()
    const heard: number[] = []
    const end = recorder.listen(({ summary }) => heard.push(summary.id))
    recorder.add(event('a'))
    recorder.add(event('b'))
    end()
    recorder.add(event('c'))
    expect(heard).toEqual([1, 2])
    expect(recorder.after(2)).toHaveLength(1)
  })
})
