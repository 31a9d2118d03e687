import { describe, expect, test } from '@jest/globals'
import { webhookTrigger } from '../../src/triggers/webhook.ts'
import { bound, QUIET_WORLD, receive, type Sent } from '../support/receive.ts'

const ANY_METHOD = { option: 'method', held: true, found: 'any method' }
const ANY_PATH = { option: 'path', held: true, found: 'any path' }
const ofMethod = (held: boolean, found: string, actual: string, wanted: string[]) => ({
  ...{ option: 'method', held, found, actual, wanted },
})
const ofPath = (held: boolean, found: string, wanted: string) => ({
  ...{ option: 'path', held, found, wanted },
})

describe('a request meets, or does not meet, the conditions of a webhook', () => {
  test.each<[object, Sent, object[], object | undefined]>([
    [{}, { method: 'DELETE', path: '/a' }, [ANY_METHOD, ANY_PATH], {}],
    [{ method: 'POST' }, {}, [ofMethod(true, 'post', 'post', ['post']), ANY_PATH], {}],
    [
      { method: ['get', 'Put'] },
      {},
      [ofMethod(false, 'post is not among get, put', 'post', ['get', 'put']), ANY_PATH],
      undefined,
    ],
    [
      { method: 'get' },
      { method: 'BREW' },
      [ofMethod(false, 'an unknown one is not among get', 'an unknown one', ['get']), ANY_PATH],
      undefined,
    ],
    [
      { path: '/user/:id{/:more}' },
      { path: '/user/a%20b' },
      [ANY_METHOD, ofPath(true, 'matches /user/:id{/:more}', '/user/:id{/:more}')],
      { id: 'a b' },
    ],
    [
      { path: 'user', method: 'post' },
      { path: '/other' },
      [ofMethod(true, 'post', 'post', ['post']), ofPath(false, 'does not match /user', '/user')],
      undefined,
    ],
    [
      { path: 'user', method: 'get' },
      { path: '/user' },
      [
        ofMethod(false, 'post is not among get', 'post', ['get']),
        ofPath(true, 'matches /user', '/user'),
      ],
      undefined,
    ],
  ])('%j with %j', async (options, sent, checks, params) => {
    const found = await receive(bound('webhook', options), { ...sent, body: 'text' })
    expect(found.checks).toEqual(checks)
    const item = {
      ...{ method: (sent.method ?? 'POST').toLowerCase(), headers: {}, body: 'text', params },
      ...{ query: {}, querystring: '', search: '' },
    }
    expect(JSON.parse(JSON.stringify(found.items))).toEqual(params ? [item] : [])
  })

  test('in the same way where no section has "verify"', async () => {
    const trigger = webhookTrigger().bind({ method: 'post' })
    if ('issues' in trigger) throw new Error('it is not bound')
    const found = await receive(trigger, { headers: { 'x-a': '1' } }, QUIET_WORLD)
    expect(found.checks).toEqual([ofMethod(true, 'post', 'post', ['post']), ANY_PATH])
    expect(found.messages).toEqual([])
    expect(found.items).toHaveLength(1)
    expect(trigger.signatures).toEqual([])
    const refused = webhookTrigger().bind({ verify: { scheme: 'github', secret: 'x' } })
    expect('issues' in refused).toBe(true)
  })
})

describe('an option of a webhook is wrong:', () => {
  const LIST = 'get | post | put | patch | delete | head | options'

  test.each([
    [{ method: 'psot' }, LIST],
    [{ method: 5 }, LIST],
    [{ method: ['get', 'G E T'] }, LIST],
  ])('%j', (options, allowed) => {
    const result = webhookTrigger().bind(options)
    const issues = 'issues' in result ? result.issues : []
    expect(issues.map(({ expected }) => expected?.replaceAll(/["()]/g, ''))).toEqual([allowed])
  })
})

describe('the example of a webhook', () => {
  const json = { contentType: 'application/json', body: '{"hello":"world"}' }

  test.each<[object, object | undefined]>([
    [{}, { method: 'POST', path: '', ...json }],
    [{ method: ['get', 'post'] }, { method: 'POST', path: '', ...json }],
    [{ method: ['patch', 'get'] }, { method: 'PATCH', path: '', ...json }],
    [
      { method: 'put', path: '/a/:b' },
      { method: 'PUT', path: '/a/b', ...json },
    ],
    [{ method: ['delete'] }, { method: 'DELETE', path: '' }],
    [{ verify: { scheme: 'github', secret: 'x' } }, undefined],
  ])('of %j', (options, example) => {
    expect(bound('webhook', options).example).toEqual(example)
  })
})

test('the keys of a trigger are read as paths', () => {
  const { keys } = bound('webhook', { deduplicationKey: 'a.b', config: { deduplicateBy: 'c' } })
  expect([keys.by?.text, keys.own?.text, keys.chosen?.text]).toEqual(['c', undefined, 'a.b'])
  expect(bound('slack', {}).keys).toMatchObject({
    ...{ by: undefined, own: { text: 'event_id' }, chosen: undefined },
  })
})
