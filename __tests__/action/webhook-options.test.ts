import { describe, expect, test } from '@jest/globals'
import { runInShared } from '../support/action.ts'
import { batchDispatch, json } from '../support/batches.ts'
import { fire, itemOf } from './step.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

describe('the option method', () => {
  test.each(METHODS)('%s fires on its own requests', async (method) => {
    const { outputs } = await fire(`webhook: {method: ${method}}`, { method: method.toUpperCase() })
    expect(outputs).toMatchObject({ triggered: 'true', method })
  })

  test.each([
    ['get', 'POST', 'false'],
    ['post', 'GET', 'false'],
    ['head', 'GET', 'false'],
    ['[get, post]', 'GET', 'true'],
    ['[get, post]', 'POST', 'true'],
    ['[get, post]', 'PUT', 'false'],
    [`[${METHODS}]`, 'OPTIONS', 'true'],
    [`[${METHODS}]`, 'PROPFIND', 'false'],
  ])('%s on a %s request: triggered=%s', async (option, method, triggered) => {
    const { outputs } = await fire(`webhook: {method: ${option}}`, { method })
    expect(outputs.triggered).toBe(triggered)
  })

  test('none fires on every method', async () => {
    for (const method of ['GET', 'OPTIONS', 'PROPFIND']) {
      const { outputs } = await fire('webhook', { method })
      expect(outputs).toMatchObject({ triggered: 'true', method: method.toLowerCase() })
    }
  })
})

describe('the option path', () => {
  test.each([
    ['/', '', {}],
    ['/', '/', {}],
    ['/', '/?a=1', {}],
    ['/user/:userId', '/user/12', { userId: '12' }],
    ['user/:userId', '/user/12', { userId: '12' }],
    ['/user/:userId', '/user/12/', { userId: '12' }],
    ['/user/:userId', '/user/12?x=/y', { userId: '12' }],
    ['/user/:userId', '/USER/Ab', { userId: 'Ab' }],
    ['/user/:userId', '/user/a%20b%2Fc', { userId: 'a b/c' }],
    ['/user/:userId', '/user/%E2%82%AC', { userId: '€' }],
    ['/user/:userId', '/user/%zz', { userId: '%zz' }],
    ['/user/:userId', '/user/%E2%82', { userId: '%E2%82' }],
    ['/:a/to/:b', '/x/to/y', { a: 'x', b: 'y' }],
    ['/:file.:ext', '/notes.txt', { file: 'notes', ext: 'txt' }],
    ['/docs{/:page}', '/docs', {}],
    ['/docs{/:page}', '/docs/intro', { page: 'intro' }],
    ['{/:lang}/about', '/en/about', { lang: 'en' }],
    ['/files/*path', '/files/a/b%20c', { path: ['a', 'b c'] }],
    ['""', '/', {}],
  ])('%s on a webhook to …%s gives the params %j', async (pattern, suffix, params) => {
    const option = pattern === '""' ? pattern : JSON.stringify(pattern)
    const run = await fire(`webhook: {path: ${option}}`, { path: `hook/webhook${suffix}` })
    expect(itemOf(run).params).toEqual(params)
    expect(JSON.parse(run.outputs.params ?? '')).toEqual(params)
  })

  test.each([
    ['/', '/user'],
    ['/user/:userId', '/user'],
    ['/user/:userId', '/user/'],
    ['/user/:userId', '/user/1/2'],
    ['/user/:userId', '/users/1'],
    ['/user/:userId', '/x/user/1'],
    ['/user', '/us%65r'],
  ])('%s does not fire on …%s', async (pattern, suffix) => {
    const on = `webhook: {path: "${pattern}"}`
    const { outputs, exitCode } = await fire(on, { path: `hook/webhook${suffix}` })
    expect({ triggered: outputs.triggered, exitCode }).toEqual({ triggered: 'false', exitCode: 0 })
  })

  test('none fires on every path below the trigger, with empty params', async () => {
    for (const suffix of ['', '/', '/any/thing/%zz?x']) {
      const run = await fire('webhook', { path: `hook/webhook${suffix}` })
      expect(itemOf(run).params).toEqual({})
    }
  })
})

test('method and path must both match', async () => {
  const on = 'webhook: {method: post, path: /a}'
  const triggered = async (method: string, path: string) =>
    (await fire(on, { method, path })).outputs.triggered
  expect(await triggered('POST', 'hook/webhook/a')).toBe('true')
  expect(await triggered('GET', 'hook/webhook/a')).toBe('false')
  expect(await triggered('POST', 'hook/webhook/b')).toBe('false')
})

test('deduplicationKey is accepted, and changes no output', async () => {
  const { outputs } = await fire('webhook: {deduplicationKey: data.id}', { body: '{"data":1}' })
  expect(outputs).toMatchObject({ triggered: 'true', count: '1', body: '{"data":1}' })
})

test('the log calls no event of a batch verified whose token does not match', async () => {
  const on =
    'webhook: {verify: {scheme: bearer, secret: right}, config: {batch: true, filter: {body.n: 1}}}'
  const sent = (n: number, token: string) =>
    json({ n }, { headers: { authorization: `Bearer ${token}` } })
  const { name: event, payload } = await batchDispatch([sent(1, 'right'), sent(2, 'wrong')])
  const { outputs, stdout } = await runInShared({ event, payload, inputs: { on } })
  expect([outputs.count, stdout.match(/^.* fired: .*$/m)?.[0]]).toEqual([
    '1',
    'hook/webhook fired: 1 item',
  ])
  expect(stdout).toMatch(/^::warning::.*the credentials do not match\) \(1 of 2 events\)/m)
})

test('a folder of exportOutputs that cannot be made is a fault with its path, and no bug', async () => {
  const on = 'webhook: {config: {exportOutputs: true, outputsDir: /dev/null}}'
  const { exitCode, stdout } = await fire(on)
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(
    /^error: \/dev\/null\S*: a part of the path is not a directory \(ENOTDIR\)$/m,
  )
  expect(stdout).toContain('"config.outputsDir"')
})
