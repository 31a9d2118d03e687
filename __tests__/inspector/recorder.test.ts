import { describe, expect, test } from '@jest/globals'
import type { Unlisted } from '../../src/inspector/api.ts'
import { BOUNDS, Recorder } from '../../src/inspector/recorder.ts'
import { fc } from '../support/properties.ts'

function event(body: string): Unlisted {
  return {
    time: '2026-01-01T00:00:00.000Z',
    origin: 'request',
    of: null,
    delivery: 'd',
    method: 'POST',
    path: 'hook/webhook',
    workflow: 'hook',
    trigger: 'webhook',
    event: null,
    outcome: 'fired',
    count: 1,
    reason: null,
    milliseconds: 1,
    request: { method: 'POST', path: 'hook/webhook', headers: {}, body, encoding: 'text' },
    decisions: [],
    problems: [],
    messages: [],
    found: [],
    items: [],
    fields: [],
    readers: [],
    jobs: [],
    jobsResult: null,
    missing: null,
    stages: [],
    values: [],
    relay: null,
  }
}

function bytesKept(recorder: Recorder): number {
  return recorder.all().reduce((sum, { json }) => sum + json.length, 0)
}

describe('the stored requests', () => {
  test('is 200 requests and 32 MB at most', () => {
    expect(BOUNDS).toEqual({ requests: 200, bytes: 33_554_432 })
    const many = new Recorder('run')
    for (let count = 0; count < 250; count++) many.add(event('small'))
    expect(many.all().map(({ summary }) => summary.number)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 51),
    )
    const large = new Recorder('run')
    for (let count = 0; count < 150; count++) large.add(event('x'.repeat(256 * 1024)))
    expect(bytesKept(large)).toBeLessThanOrEqual(33_554_432)
    expect(large.all().length).toBeGreaterThan(100)
  })

  test('stays within any bounds, counts what it holds, and is the newest', () => {
    const sizes = fc.array(fc.nat(3000), { maxLength: 60 })
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 20 }),
        fc.nat(20_000),
        (all, requests, bytes) => {
          const recorder = new Recorder('run', { requests, bytes })
          for (const size of all) recorder.add(event('x'.repeat(size)))
          const kept = recorder.all()
          expect(kept.length).toBeLessThanOrEqual(requests)
          expect(bytesKept(recorder)).toBeLessThanOrEqual(recorder.bytes)
          expect(recorder.bytes).toBeLessThanOrEqual(bytes)
          const newest = all.length - kept.length
          expect(kept.map(({ summary }) => summary.number)).toEqual(
            kept.map((_, at) => newest + at + 1),
          )
        },
      ),
      { numRuns: 25 },
    )
  })

  test('takes an event of exactly its bytes, and counts each byte of JSON, line and hidden header', () => {
    const measure = new Recorder('r')
    const hidden = { authorization: 'Bearer é' }
    const summary = measure.add(event('é'), hidden)
    const [kept] = measure.all()
    const size = Buffer.byteLength(JSON.stringify({ id: 'r-1', number: 1, ...event('é') }))
    expect(kept).toEqual({ summary, json: expect.any(Uint8Array), withheld: hidden })
    expect(measure.bytes).toBe(size + 2 * JSON.stringify([summary, hidden]).length)
    const exact = new Recorder('r', { requests: 9, bytes: measure.bytes })
    exact.add(event('é'), hidden)
    expect(exact.all()).toHaveLength(1)
    const less = new Recorder('r', { requests: 9, bytes: measure.bytes - 1 })
    less.add(event('é'), hidden)
    expect([less.all(), less.bytes]).toEqual([[], 0])
  })

  test('have a line with the facts of the list alone', () => {
    const { time, origin, delivery, method, path, workflow, trigger, ...rest } = event('a')
    const { event: name, outcome, count, reason, milliseconds, jobsResult, relay } = rest
    expect(new Recorder('r').add(event('a'))).toEqual({
      ...{ id: 'r-1', number: 1, time, origin, delivery, method, path, workflow, trigger },
      ...{ event: name, outcome, count, reason, milliseconds, jobsResult, relay },
    })
  })

  test('is sent to listeners as it arrives', () => {
    const recorder = new Recorder('run', { ...BOUNDS, requests: 2 })
    const heard: unknown[] = []
    const end = recorder.listen(({ summary }, gone) => heard.push([summary.number, gone]))
    recorder.add(event('a'))
    recorder.add(event('b'))
    recorder.add(event('c'))
    end()
    recorder.add(event('d'))
    expect(heard).toEqual([
      [1, []],
      [2, []],
      [3, ['run-1']],
    ])
    expect(recorder.all()).toHaveLength(2)
  })
})

describe('an id', () => {
  const recorder = new Recorder('b7')
  recorder.add(event('a'))

  test('finds its own event and no other run’s', () => {
    expect(recorder.find('b7-1')?.summary.id).toBe('b7-1')
    expect(['b7-01', 'b7-2', 'a1-1', '1'].map((id) => recorder.find(id))).toEqual(Array(4))
  })
})

describe('a filter', () => {
  const recorder = new Recorder('r')
  const headers = { 'x-github-event': 'Issues' }
  const request = { method: 'POST', path: 'a', headers, body: '{"title":"It Breaks"}' } as const
  recorder.add({ ...event(''), event: 'issues.opened', request: { ...request, encoding: 'text' } })
  recorder.add({ ...event('other'), outcome: 'skipped', reason: 'why not' })
  const named = {
    workflow: 'bot',
    trigger: 'updates',
    delivery: 'd-3',
    method: 'POLL',
    path: 'p/q',
  }
  const polled = { request: null, found: [{ text: 'hello bot' }] }
  recorder.add({ ...event(''), ...named, ...polled, origin: 'poll' })

  test.each<[string, number[]]>([
    ['', [1, 2, 3]],
    ['   ', [1, 2, 3]],
    ['title', [1]],
    ['it breaks', [1]],
    ['"it breaks"', [1]],
    ['"breaks it"', []],
    ['"breaks', [1]],
    ['breaks it', [1]],
    ['x-github-event: issues', [1]],
    ['opened', [1]],
    ['other', [2]],
    ['skipped why', [2]],
    ['-skipped', [1, 3]],
    ['post -"it breaks"', [2]],
    ['-', [1, 2, 3]],
    ['hello bot poll', [3]],
    ['updates', [3]],
    ['d-3', [3]],
    ['p/q', [3]],
    ['"poll p/q bot updates"', [3]],
    ['fired', [1, 3]],
    ['"issues it"', []],
    ['undefined', []],
    ['null', []],
    ['constructor', []],
  ])('%j lets through %j', (filter, numbers) => {
    expect(recorder.search(filter).map((id) => Number(id.slice('r-'.length)))).toEqual(numbers)
  })
})
