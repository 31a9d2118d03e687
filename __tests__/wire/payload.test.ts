import { describe, expect, test } from '@jest/globals'
import { PayloadError } from '../../src/wire/errors.ts'
import type { Json } from '../../src/wire/json.ts'
import {
  DISPATCH_EVENTS,
  isDispatchMode,
  payloadHeaders,
  readClientPayload,
  webhookPayload,
  writeDispatch,
  writeWorkflowDispatch,
} from '../../src/wire/payload.ts'

describe('the payload of an event', () => {
  const dispatched = (inputs: Json, name = 'workflow_dispatch') => ({ name, payload: { inputs } })
  const repository = (payload: Json) => ({ name: 'repository_dispatch', payload })

  test.each<[{ name: string; payload: Json }, Json | undefined]>([
    [repository({ action: 'webhook', client_payload: { path: 'a' } }), { path: 'a' }],
    [repository({ action: 'webhook' }), null],
    [repository({ action: 'other', client_payload: {} }), undefined],
    [repository({ inputs: { hookline: '{}' } }), undefined],
    [repository('webhook'), undefined],
    [{ name: 'push', payload: { action: 'webhook', client_payload: {} } }, undefined],
    [dispatched({ hookline: '{"path":"a"}' }), { path: 'a' }],
    [dispatched({ hookline: ' ' }), undefined],
    [dispatched({ hookline: '' }), undefined],
    [dispatched({ hookline: 5 }), undefined],
    [dispatched({ other: '{}' }), undefined],
    [dispatched(null), undefined],
    [dispatched({ hookline: '{}' }, 'push'), undefined],
  ])('%j is %j', (event, payload) => {
    expect(webhookPayload(event)).toEqual(payload)
  })

  test('is JSON in the input of a workflow_dispatch', () => {
    expect(() => webhookPayload(dispatched({ hookline: '{' }))).toThrow(
      new PayloadError('the input hookline of this workflow_dispatch is not JSON'),
    )
  })
})

describe('a client_payload', () => {
  test.each<[object, object]>([
    [
      { path: 'a', method: 'PUT', headers: '{"A":["b",["c",1]],"D":{"e":1}}', body: [1] },
      { path: 'a', method: 'PUT', headers: { a: 'b, c, 1', d: '{"e":1}' }, body: [1] },
    ],
    [
      { path: 'a', method: 'GET', headers: { 'X-A': 'b', __proto__x: 'c' }, body: 'x' },
      { path: 'a', method: 'GET', headers: { 'x-a': 'b', __proto__x: 'c' }, body: 'x' },
    ],
    [{ path: 'a' }, { path: 'a', method: 'GET', headers: {}, body: null }],
    [
      { path: 'a', body: '' },
      { path: 'a', method: 'GET', headers: {}, body: '' },
    ],
    [
      { path: 'a', body: 0 },
      { path: 'a', method: 'POST', headers: {}, body: 0 },
    ],
  ])('%j is read', (sent, expected) => {
    const { headers, ...read } = readClientPayload(sent)
    expect({ ...read, headers: { ...headers } }).toEqual(expected)
    expect(Object.getPrototypeOf(headers)).toBeNull()
  })

  test.each<[unknown, string]>([
    [null, 'client_payload is not an object'],
    [[], 'client_payload is not an object'],
    ['a', 'client_payload is not an object'],
    [{}, 'client_payload.path is missing, not a string'],
    [{ path: null }, 'client_payload.path is null, not a string'],
    [{ path: ['a'] }, 'client_payload.path is a list, not a string'],
    [{ path: {} }, 'client_payload.path is an object, not a string'],
    [{ path: 'a', method: 5 }, 'client_payload.method is a number, not a string'],
    [{ path: 'a', headers: '{' }, 'client_payload.headers is a string that is not JSON'],
    [{ path: 'a', headers: '[]' }, 'client_payload.headers is a list, not an object'],
    [{ path: 'a', headers: true }, 'client_payload.headers is a boolean, not an object'],
  ])('%j is refused', (sent, message) => {
    expect(() => readClientPayload(sent)).toThrow(new PayloadError(message))
  })
})

test('the facts of the relay follow the headers of a request, in their order', () => {
  const headers = payloadHeaders(new Map([['a', 'b']]), {
    bodyLength: 3,
    bodySha256: 'ff',
    bodyUrl: 'https://relay.example',
    bodyEncoding: 'url',
    receivedAt: 'now',
    delivery: 'd',
    batch: 2,
  })
  expect(JSON.stringify(headers)).toBe(
    JSON.stringify({
      a: 'b',
      'x-hookline-batch': '2',
      'x-hookline-delivery': 'd',
      'x-hookline-received-at': 'now',
      'x-hookline-body-encoding': 'url',
      'x-hookline-body-url': 'https://relay.example',
      'x-hookline-body-sha256': 'ff',
      'x-hookline-body-length': '3',
    }),
  )
  expect(Object.keys(payloadHeaders([], { delivery: 'd', receivedAt: 'now' }))).toHaveLength(2)
})

test('a dispatch contains the payload, a reference and the flags', () => {
  expect(writeDispatch('{}')).toBe('{"event_type":"webhook","client_payload":{}}')
  expect(writeWorkflowDispatch('{"a":"b"}', 'ma"in', {})).toBe(
    '{"ref":"ma\\"in","inputs":{"hookline":"{\\"a\\":\\"b\\"}"}}',
  )
  expect(writeWorkflowDispatch('{}', 'main', { return_run_details: true })).toBe(
    '{"ref":"main","inputs":{"hookline":"{}"},"return_run_details":true}',
  )
})

test('there are two ways to dispatch', () => {
  expect(DISPATCH_EVENTS).toEqual(['repository_dispatch', 'workflow_dispatch'])
  expect(['repository', 'workflow', 'other', null].map(isDispatchMode)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
