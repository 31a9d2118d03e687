import { describe, expect, test } from '@jest/globals'
import type { Credential } from '../../../src/relay/github/credential.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { RequestLog } from '../../../src/relay/webhook/request-log.ts'
import { Secret } from '../../../src/wire/secret.ts'

const AT = Date.UTC(2026, 0, 1)
const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'

const ENDPOINT: Endpoint = {
  ...{ owner: 'octo', name: 'orders', id: new Secret('x'.repeat(22)), created: 1 },
  ...{ repository: 'octo/shop', workflow: 'orders', trigger: 'webhook' },
  ...{ dispatch: 'repository', respond: 'github' },
}

function log(facts: Partial<RequestLog> = {}): RequestLog {
  return Object.assign(new RequestLog('id', new Date(AT)), facts)
}

describe('the line of a request', () => {
  const BARE = { time: '2026-01-01T00:00:00.000Z', delivery: 'id', method: 'POST' }
  const line = (facts: Partial<RequestLog>) =>
    JSON.parse(JSON.stringify(log(facts).entry('POST', 200, new Date(AT + 7))))

  test.each<[Partial<RequestLog>, object]>([
    [{}, {}],
    [
      {
        ...{ repository: { owner: 'Octo', name: 'shop' }, path: 'orders/webhook/eu?x=1' },
        ...{ endpoint: ENDPOINT, bytes: 0, filtered: 'error', condition: 'error' },
        ...{ reason: 'if: x', code: 'overloaded', hint: 'no_trigger', clientGone: true },
        attempts: { tries: 2, githubStatus: 503, run: 'https://run', queued: 'queued' },
      },
      {
        ...{ owner: 'Octo', repo: 'shop', workflow: 'orders', trigger: 'webhook' },
        ...{ endpoint: 'orders', bytes: 0, filtered: 'error', condition: 'error' },
        ...{ reason: 'if: x', code: 'overloaded', hint: 'no_trigger', clientGone: true },
        ...{ tries: 2, githubStatus: 503, run: 'https://run', queued: 'queued' },
      },
    ],
    [{ filtered: 'true' }, { filtered: true }],
    [{ path: `${'w'.repeat(100)}/a.b_c-d` }, { workflow: 'w'.repeat(100), trigger: 'a.b_c-d' }],
    [{ path: `${'w'.repeat(101)}/a b` }, {}],
    [{ path: ' a/b%20' }, {}],
  ])('%j', (facts, shown) => {
    expect(line(facts)).toEqual({ ...BARE, ...shown, status: 200, ms: 7 })
  })
})

describe('the record of a request', () => {
  const credential: Credential = {
    ...{ kind: 'endpoint', isOwn: false, token: async () => undefined },
    ...{ secrets: [ENDPOINT.id, new Secret(TOKEN)], githubToken: new Secret(TOKEN) },
  }
  const request = {
    ...{ method: 'POST', target: '/-/octo/id/eu' },
    headers: ['Content-Type', 'text/plain', 'X-A', TOKEN, 'X-Platform-Authorization', 'b'],
    readBody: async () => new Uint8Array(),
  }
  const bytes = new TextEncoder().encode('body')
  const withToken = new TextEncoder().encode(`a ${TOKEN}`)
  const received = {
    ...{ endpoint: ENDPOINT, path: 'orders/webhook/eu', bytes: 4 },
    body: { bytes, text: 'body' },
  }
  const RECORD = {
    ...{ delivery: 'id', endpoint: ENDPOINT, target: '/-/octo/id/eu', method: 'POST' },
    ...{ path: 'orders/webhook/eu', receivedAt: '2026-01-01T00:00:00.000Z' },
    headers: new Map([
      ['content-type', 'text/plain'],
      ['x-a', TOKEN],
    ]),
    ...{ body: bytes, size: 4, explanation: undefined },
  }

  test.each<[string, Partial<RequestLog>, number, object | undefined]>([
    ['that was accepted', received, 200, undefined],
    ['that was refused', { ...received, code: 'x' }, 499, { state: 'refused', reason: 'x' }],
    ['that failed', { ...received, code: 'x' }, 500, undefined],
    [
      'that was filtered',
      { ...received, filtered: 'true' },
      200,
      { state: 'filtered', reason: 'if' },
    ],
    [
      'that was filtered, with its reason',
      { ...received, filtered: 'error', reason: 'if: x' },
      200,
      { state: 'filtered', reason: 'if', explanation: 'if: x' },
    ],
    ['to a token URL', { ...received, endpoint: undefined, code: 'x' }, 400, undefined],
    [
      'whose body was not read',
      { endpoint: ENDPOINT, path: 'orders/webhook/eu', code: 'x' },
      400,
      { state: 'refused', reason: 'x', body: new Uint8Array(), size: 0 },
    ],
    [
      'with a credential, without its token',
      { ...received, credential, code: 'x' },
      400,
      {
        ...{ state: 'refused', reason: 'x' },
        headers: new Map([
          ['content-type', 'text/plain'],
          ['x-a', '***'],
        ]),
      },
    ],
    [
      'whose body has the token',
      { ...received, body: { bytes: withToken, text: `a ${TOKEN}` }, credential, code: 'x' },
      400,
      {
        ...{ state: 'refused', reason: 'x', body: new Uint8Array() },
        headers: new Map([
          ['content-type', 'text/plain'],
          ['x-a', '***'],
        ]),
      },
    ],
  ])('%s', (_name, facts, status, record) => {
    expect(log(facts).record(request, status)).toEqual(record && { ...RECORD, ...record })
  })
})
