import { describe, expect, test } from '@jest/globals'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { fire, itemOf, payload, type Sent } from './step.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const SKIPPED = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }

test('every output of a request that fired', async () => {
  const { outputs, exitCode } = await fire('webhook: {path: "/user/:id"}', {
    path: 'hook/webhook/user/7?a=1&a=2&b=x+y',
    headers: {
      ...JSON_TYPE,
      authorization: 'Bearer of-the-sender',
      'x-hookline-delivery': '0b8f-11',
      'x-hookline-received-at': '2026-11-20T10:00:00.000Z',
      'x-hookline-else': 'reserved',
    },
    body: '{"n": 1}',
  })
  const item = {
    method: 'post',
    headers: JSON_TYPE,
    query: { a: ['1', '2'], b: 'x y' },
    querystring: 'a=1&a=2&b=x+y',
    search: '?a=1&a=2&b=x+y',
    body: { n: 1 },
    params: { id: '7' },
  }
  const context = { webhook: { outcome: 'success', conclusion: 'success', outputs: item } }
  expect(exitCode).toBe(0)
  expect({ ...outputs }).toEqual({
    method: 'post',
    headers: JSON.stringify(item.headers),
    query: JSON.stringify(item.query),
    querystring: item.querystring,
    search: item.search,
    body: '{"n":1}',
    params: '{"id":"7"}',
    triggered: 'true',
    trigger: 'webhook',
    workflow: 'hook',
    count: '1',
    on: JSON.stringify(context),
    items: JSON.stringify([context]),
    deliveries: '["0b8f-11"]',
    failed: '[]',
    delivery: '0b8f-11',
    'received-at': '2026-11-20T10:00:00.000Z',
  })
})

describe('query', () => {
  test.each([
    ['', '', '', {}],
    ['?', '', '', {}],
    ['?a', 'a', '?a', { a: '' }],
    ['?a=1', 'a=1', '?a=1', { a: '1' }],
    ['?a=1&a=2&a=3', 'a=1&a=2&a=3', '?a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['?a=x+y%20z', 'a=x+y%20z', '?a=x+y%20z', { a: 'x y z' }],
    ['?a=%zz&%zz', 'a=%zz&%zz', '?a=%zz&%zz', { a: '%zz', '%zz': '' }],
    ['?u=http://h/?q', 'u=http://h/?q', '?u=http://h/?q', { u: 'http://h/?q' }],
    ['?=&&', '=&&', '?=&&', { '': '' }],
  ])('of …%s', async (text, querystring, search, query) => {
    const item = itemOf(await fire('webhook', { path: `hook/webhook${text}` }))
    expect(item).toMatchObject({ querystring, search })
    expect(item.query).toEqual(query)
  })
})

describe('a dispatch made without the relay', () => {
  test.each([
    ['a path alone', { path: 'hook/webhook' }, { method: 'get', headers: {}, body: null }],
    ['a body without a method', { path: 'hook/webhook', body: { a: 1 } }, { method: 'post' }],
    ['an object body', { path: 'hook/webhook', body: { a: [1] } }, { body: { a: [1] } }],
    ['a list body', { path: 'hook/webhook', body: [1] }, { method: 'post', body: [1] }],
    ['a number body', { path: 'hook/webhook', body: 0 }, { method: 'post', body: 0 }],
    ['a text body', { path: 'hook/webhook', body: 'hi' }, { method: 'post', body: 'hi' }],
    ['an empty body', { path: 'hook/webhook', body: '' }, { method: 'get', body: null }],
    ['a leading slash', { path: '/hook/webhook?a=1' }, { query: { a: '1' } }],
    [
      'headers as JSON text',
      { path: 'hook/webhook', headers: '{"X-A":"1","x-b":["2","3"],"x-n":4}' },
      { headers: { 'x-a': '1', 'x-b': '2, 3', 'x-n': '4' } },
    ],
    ['a lower-case method', { path: 'hook/webhook', method: 'put' }, { method: 'put' }],
  ])('%s', async (_, clientPayload, expected) => {
    const run = await runInShared({ ...dispatchEvent(clientPayload), inputs: { on: 'webhook' } })
    expect(itemOf(run)).toMatchObject(expected)
    expect(run.outputs).toMatchObject({ delivery: '', 'received-at': '' })
  })
})

test('a name of the action wins over a field, and only declared fields become outputs', async () => {
  const headers = { ...JSON_TYPE, triggered: 'no' }
  const { outputs } = await fire('webhook', { headers, body: '{"count":99,"items":1,"x":2}' })
  expect(outputs).toMatchObject({ triggered: 'true', count: '1' })
  expect(outputs.x).toBeUndefined()
})

describe('requests that do not fire', () => {
  const none = {
    triggered: 'false',
    trigger: '',
    workflow: '',
    count: '0',
    items: '[]',
    deliveries: '[]',
    failed: '[]',
    headers: 'null',
    query: 'null',
    body: 'null',
    params: 'null',
  }

  test.each<[Sent, string, string]>([
    [{ method: 'GET' }, 'webhook: {method: post}', 'method get is not among post'],
    [{}, 'webhook: {path: /a}', 'path does not match /a'],
    [
      { path: 'hok/webhook' },
      'webhook',
      'the webhook addresses the workflow &#34;hok&#34;; here: &#34;hook&#34; (did you mean &#34;hook&#34;?)',
    ],
    [
      { path: 'hook/webhok' },
      'webhook',
      'the webhook addresses the trigger &#34;webhok&#34;; &#34;hook&#34; declares: &#34;webhook&#34; (did you mean &#34;webhook&#34;?)',
    ],
    [{ path: 'hook/webhook2' }, 'webhook', 'the trigger &#34;webhook2&#34;'],
    [{ path: 'hook/WEBHOOK' }, 'webhook', 'the trigger &#34;WEBHOOK&#34;'],
    [{ path: 'hook' }, 'webhook', 'no trigger behind the workflow'],
    [{ path: '' }, 'webhook', 'the workflow (not a name)'],
    [{ path: '<b>/webhook' }, 'webhook', 'the workflow (not a name)'],
  ])('%j for "on: %s": exit 0 and the reason in the summary', async (sent, on, reason) => {
    const { outputs, exitCode, summary } = await fire(on, sent)
    expect(exitCode).toBe(0)
    const known = sent.path === undefined || sent.path.startsWith('hook')
    const all = known ? { webhook: SKIPPED } : {}
    const unfired = { ...none, on: JSON.stringify(all), delivery: '', 'received-at': '' }
    expect({ ...outputs }).toEqual(unfired)
    expect(summary).toContain(reason)
  })

  test('a delivery that does not fire keeps its id', async () => {
    const headers = { 'x-hookline-delivery': 'd-1' }
    const { outputs, summary } = await fire('webhook: {method: get}', { headers })
    expect(outputs).toMatchObject({ triggered: 'false', delivery: 'd-1' })
    expect(summary).toContain('<code>d-1</code>')
  })

  test.each<[string, Sent]>([
    ['a condition does not hold', { method: 'GET' }],
    ['the trigger is not declared', { path: 'hook/webhok' }],
    ['the body cannot be read', { body: '?', headers: { 'x-hookline-body-encoding': 'gzip' } }],
  ])('the output on contains every declared trigger when %s', async (_, sent) => {
    const { outputs, exitCode } = await fire('webhook: {method: post}\nslack:', sent)
    expect(exitCode).toBe(0)
    expect(outputs).toMatchObject({ triggered: 'false', items: '[]', count: '0' })
    expect(JSON.parse(outputs.on ?? '')).toEqual({ webhook: SKIPPED, slack: SKIPPED })
  })

  test.each([
    ['deploy', 'of type &#34;deploy&#34;'],
    ['Webhook', 'of type &#34;Webhook&#34;'],
    ['<b>', 'of type (not a name)'],
    [undefined, 'without a type'],
  ])('the reason names a dispatch of the type %s', async (action, found) => {
    const own = { action, client_payload: payload() }
    const run = { event: 'repository_dispatch', payload: own, inputs: { on: 'webhook' } }
    const { summary, stdout, exitCode } = await runInShared(run)
    const reason = `this repository_dispatch is ${found}, Hookline listens to type &#34;webhook&#34;`
    expect(exitCode).toBe(0)
    expect(summary).toContain(reason)
    expect(stdout).toContain(reason.replaceAll('&#34;', '"'))
  })

  test.each([
    ['push', { ref: 'refs/heads/main' }, 'this event is push'],
    ['schedule', { schedule: '0 * * * *' }, 'this event is schedule'],
    ['workflow_dispatch', { inputs: null }, 'this event is workflow_dispatch'],
    ['repository_dispatch', { action: 'deploy', client_payload: payload() }, 'Hookline listens to'],
  ])(
    'an event of GitHub’s own, %s, gives no item, and its triggers as skipped',
    async (event, own, why) => {
      const inputs = { on: 'on: {webhook: {method: post}, push: {branches: [main]}}' }
      const { outputs, exitCode, summary } = await runInShared({ event, payload: own, inputs })
      expect(exitCode).toBe(0)
      expect(outputs).toMatchObject({ triggered: 'false', count: '0' })
      expect(JSON.parse(outputs.on ?? '')).toEqual({ webhook: SKIPPED })
      expect(outputs.items).toBe('[]')
      expect(summary).toContain(why)
    },
  )
})
