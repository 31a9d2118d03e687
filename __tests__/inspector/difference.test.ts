import { describe, expect, test } from '@jest/globals'
import type { Detail, ShownRequest } from '../../src/inspector/api.ts'
import { changes } from '../../src/inspector/page/difference.ts'
import { notice, warning } from '../../src/wire/messages.ts'

const REQUEST: ShownRequest = {
  method: 'POST',
  path: 'hook/webhook',
  headers: { 'content-type': 'application/json', 'content-length': '7' },
  body: '{"n":1}',
  encoding: 'text',
}

const ORIGINAL: Detail = {
  ...{ id: 'r-1', number: 1, time: '', origin: 'request', of: null, delivery: 'd', event: null },
  ...{ method: 'POST', path: 'hook/webhook', workflow: 'hook', trigger: 'webhook' },
  ...{ outcome: 'fired', count: 1, reason: null, preview: null, milliseconds: 1, request: REQUEST },
  ...{ decisions: [], problems: [], messages: [] },
  ...{ found: [], fields: [], readers: [], jobs: [] },
  ...{ missing: null, stages: [], values: [], jobsResult: null, relay: null },
  items: [{ webhook: { outcome: 'success', outputs: { body: { n: 1 }, method: 'post' } } }],
}

function fired(...outputs: { [name: string]: string | { n: number | string } }[]) {
  const items = outputs.map((one) => ({ webhook: { outcome: 'success', outputs: one } }))
  return { items, count: outputs.length }
}

/** The differences as `position before after`, `-` for nothing. */
function told(replay: Partial<Detail>) {
  const { request, result } = changes(ORIGINAL, { ...ORIGINAL, ...replay })
  const lines = (all: typeof request) =>
    all.map(({ place, before = '-', after = '-' }) => `${place} ${before} ${after}`)
  return { request: lines(request), result: lines(result) }
}

describe('the changes of a replay', () => {
  test('is empty if request and result are equal', () => {
    const later = { id: 'r-2', number: 2, time: 'later', delivery: 'd-2', milliseconds: 9 }
    expect(told({ ...later, origin: 'replay' })).toEqual({ request: [], result: [] })
  })

  test('is the outcome with its reason, and the outputs that are gone', () => {
    const skipped = {
      outcome: 'skipped',
      count: 0,
      reason: 'path does not match',
      items: [],
    } as const
    expect(told(skipped).result).toEqual([
      'outcome fired skipped',
      'reason - path does not match',
      'webhook.outputs.body.n 1 -',
      'webhook.outputs.method "post" -',
    ])
  })

  test('is each output that has another value, another kind, or was not there', () => {
    const { result } = told(fired({ body: { n: '1' }, method: 'post', "it's new": '' }))
    expect(result).toEqual(['webhook.outputs.body.n 1 "1"', "webhook.outputs['it''s new'] - \"\""])
  })

  test('is how many items there are, each with its outputs', () => {
    const { result } = told(fired({ method: 'a' }, { method: 'b' }))
    expect(result).toContain('outcome fired fired, 2 items')
    expect(result).toContain('webhook.outputs[1].method - "b"')
  })

  test('is what config did, and what is said of it', () => {
    const tally = { found: 2, passedOn: 1, steps: ['filter dropped 1'] }
    const decisions = [{ trigger: 'webhook', fired: true, reason: '', checks: [], tally }]
    expect(
      told({
        decisions,
        messages: [
          { level: 'error', code: 'a', text: 'lost' },
          warning('b', 'cut'),
          notice('c', 'note'),
        ],
      }).result,
    ).toEqual(['config - filter dropped 1', 'errors - lost', 'warnings - cut', 'notices - note'])
  })

  test('of an edited request is what was edited; outputs that only repeat it are left out', () => {
    const headers = { ...REQUEST.headers, 'content-length': '8', 'x-new': 'a' }
    const request = { ...REQUEST, path: 'hook/webhook/a', headers, body: '{"n":22}' }
    const outputs = { body: { n: 22 }, method: 'post', path: '/a' }
    expect(told({ request, ...fired(outputs) })).toEqual({
      request: ['path "hook/webhook" "hook/webhook/a"', 'body.n 1 22', 'headers.x-new - "a"'],
      result: ['webhook.outputs.path - "/a"'],
    })
  })

  test('of a body that is no JSON is the text', () => {
    const request = { ...REQUEST, body: 'plain' }
    expect(told({ request }).request).toEqual(['body.n 1 -', 'body - "plain"'])
  })
})
