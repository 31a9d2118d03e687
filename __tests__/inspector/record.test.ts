import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ShownRequest } from '../../src/inspector/api.ts'
import { fixtureName, fixtureText, replayLine } from '../../src/inspector/page/request-text.ts'
import { type Dev, post, startDev } from '../support/dev.ts'
import { ask, detail, EventReader } from '../support/inspector.ts'

let dev: Dev
let reader: EventReader

beforeAll(async () => {
  dev = await startDev({
    files: {
      'workflows/hook.yml': 'on: { webhook: { method: [post, put], path: /users/:id } }',
      'workflows/any.yml': 'on: webhook',
      'workflows/own.yml':
        'on: { webhook: { verify: { scheme: token, header: X-Own, secret: a-token-of-its-own } } }',
      'workflows/bad.yml': 'on:\n  webhook:\n    method: psot\n',
    },
  })
  reader = new EventReader(dev.url)
})
afterAll(async () => {
  await reader.close()
  await dev.stop()
})

/** The number of events that tests have read. */
let count = 0

/** The next event, after it was reported. */
async function next() {
  const summary = (await reader.summaries(++count)).at(-1)
  return detail(dev.url, summary?.number ?? 0)
}

async function replay(order: object) {
  const headers = { 'Content-Type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify({ sign: false, ...order }) }
  return JSON.parse((await ask(dev.url, '/inspector/replay', options)).body)
}

describe('of a request is kept', () => {
  test('what fired, by which conditions, and every output', async () => {
    await post(dev.hook('hook/webhook/users/7?a=1'), { x: [1, 2] })
    expect(await next()).toMatchObject({
      outcome: 'fired',
      origin: 'request',
      method: 'POST',
      path: 'hook/webhook/users/7?a=1',
      count: 1,
      reason: null,
      fields: ['method', 'headers', 'query', 'querystring', 'search', 'body', 'params'],
      decisions: [
        {
          trigger: 'webhook',
          fired: true,
          checks: [
            { option: 'method', held: true, found: 'post' },
            { option: 'path', held: true, found: 'matches /users/:id' },
          ],
        },
      ],
      items: [{ webhook: { outputs: { params: { id: '7' }, body: { x: [1, 2] } } } }],
      request: { method: 'POST', body: '{"x":[1,2]}', encoding: 'text' },
    })
  })

  test('which condition did not hold', async () => {
    await post(dev.hook('hook/webhook/teams/7'), {})
    expect(await next()).toMatchObject({
      outcome: 'skipped',
      count: 0,
      reason: 'path does not match /users/:id',
      decisions: [{ fired: false, checks: [{ held: true }, { option: 'path', held: false }] }],
    })
  })

  test('the mistakes of the workflow file', async () => {
    await post(dev.hook('bad/webhook'), {})
    expect(await next()).toMatchObject({
      outcome: 'mistaken',
      problems: [
        {
          text: 'unknown HTTP method "psot"',
          place: { file: 'workflows/bad.yml', line: 3, column: 13, length: 4 },
        },
      ],
    })
  })

  test('that the relay took no notice of it', async () => {
    await post(`${dev.url}/elsewhere`, {})
    expect(await next()).toMatchObject({
      outcome: 'refused',
      request: null,
      reason: 'answered 404: the address is /webhook/<workflow>/<trigger>',
    })
  })

  test('that a body was over the limit, and where it was sent to', async () => {
    await post(dev.hook('any/webhook'), ' '.repeat(300_000))
    expect(await next()).toMatchObject({
      outcome: 'refused',
      reason: 'answered 413: the body is too large for an event of GitHub',
      ...{ workflow: 'any', trigger: 'webhook' },
    })
  })

  test('bytes that are no text, as base64', async () => {
    const body = Uint8Array.from([0xff, 0xfe, 0, 1])
    await fetch(dev.hook('any/webhook'), { method: 'POST', body })
    const { request } = await next()
    expect(request).toMatchObject({ encoding: 'base64', body: '//4AAQ==' })
  })

  test('a large body that travelled packed, as the text it was', async () => {
    const text = JSON.stringify({ filler: 'long '.repeat(40_000) })
    await post(dev.hook('any/webhook'), text)
    expect((await next()).request).toMatchObject({ encoding: 'text', body: text })
  })

  test('no credential of another header, nor is it sent where that header is shown', async () => {
    await post(dev.hook('own/webhook'), {}, { 'x-own': 'a-token-of-its-own' })
    const kept = await next()
    expect(kept).toMatchObject({ outcome: 'fired', request: { headers: { 'x-own': '***' } } })
    await replay({ of: kept.id, ...kept.request })
    expect(await next()).toMatchObject({ outcome: 'fired', origin: 'replay' })
    await replay({ of: kept.id, ...kept.request, path: 'any/webhook' })
    const elsewhere = await next()
    expect(elsewhere).toMatchObject({ outcome: 'fired', request: { headers: { 'x-own': '' } } })
    expect(JSON.stringify([kept, elsewhere, reader.events])).not.toContain('a-token-of')
    expect(dev.command.stdout).not.toContain('a-token-of')
  })

  test('no credential of its sender, although a replay sends it again', async () => {
    const secret = 'Bearer a-secret-of-the-sender'
    await post(dev.hook('any/webhook'), {}, { authorization: secret, 'x-gitlab-token': secret })
    const kept = await next()
    expect(kept.request?.headers.authorization).toBe('***')
    expect(kept.request?.headers['x-gitlab-token']).toBe('***')
    expect(JSON.stringify(kept)).not.toContain('a-secret-of')
    expect(JSON.stringify(reader.events)).not.toContain('a-secret-of')
    const { delivery, status } = await replay({ of: kept.id, ...kept.request })
    expect(status).toBe(200)
    const again = await next()
    expect(again).toMatchObject({ origin: 'replay', delivery, request: kept.request })
    expect(dev.command.stdout).not.toContain('a-secret-of')
  })

  test('no token of the request', async () => {
    const token = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'
    await post(`${dev.hook('any/webhook')}?__token=${token}&a=${token}`, {}, { referer: token })
    expect(JSON.stringify(await next())).not.toContain(token)
  })

  test('a replay that was edited, with the length of its new body', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '999' }
    const request = { method: 'PUT', path: 'hook/webhook/users/%C3%A9', body: '{"é":1}' }
    await replay({ of: null, ...request, headers, encoding: 'text' })
    expect(await next()).toMatchObject({
      method: 'PUT',
      outcome: 'fired',
      items: [
        {
          webhook: {
            outputs: { params: { id: 'é' }, body: { é: 1 }, headers: { 'content-length': '8' } },
          },
        },
      ],
    })
  })
})

describe('a request as text', () => {
  const request: ShownRequest = {
    method: 'POST',
    path: 'any/webhook/it?a=%27',
    headers: { 'x-quote': "it's", 'x-empty': '', host: 'localhost', authorization: '***' },
    body: `{"text":"it's \\n $HOME \`x\`"}`,
    encoding: 'text',
  }

  async function shell(line: string): Promise<void> {
    await promisify(execFile)('sh', ['-c', line])
  }

  test.each<[string, Partial<ShownRequest>]>([
    ['text', {}],
    ['bytes', { body: '//4AAQ==', encoding: 'base64' }],
    ['a body that begins like the name of a file', { body: '@/etc/hostname' }],
    ['no body', { body: '', method: 'GET' }],
    ['another method', { body: '', method: 'DELETE' }],
  ])('as curl, with %s, is the same request', async (_, changes) => {
    const sent = { ...request, headers: { 'x-quote': "it's", 'x-empty': '' }, ...changes }
    await shell(replayLine(sent, dev.url))
    const { request: came } = await next()
    expect(came).toMatchObject({ ...sent, headers: expect.objectContaining(sent.headers) })
  })

  test('as a fixture has method, path, headers and body, and no credential', () => {
    const text = fixtureText(request)
    expect(JSON.parse(text)).toEqual({
      method: 'POST',
      path: 'any/webhook/it?a=%27',
      headers: { 'x-quote': "it's", 'x-empty': '' },
      body: request.body,
    })
    const binary = JSON.parse(fixtureText({ ...request, encoding: 'base64' }))
    expect(binary.headers).toMatchObject({ 'x-hookline-body-encoding': 'base64' })
    expect(Object.keys(binary)).toEqual(['method', 'path', 'headers', 'body'])
    expect(fixtureName(request)).toBe('post-any-webhook-it.json')
  })
})
