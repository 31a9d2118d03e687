import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ShownRequest } from '../../src/inspector/api.ts'
import { devSource } from '../../src/inspector/dev-server.ts'
import type { DevEvent } from '../../src/inspector/local-engine.ts'
import {
  type Cause,
  eventName,
  eventRecord,
  hideSecrets,
  Recorder,
  readOrder,
  refusalRecord,
  replayRequest,
  requestRecord,
} from '../../src/inspector/recorder.ts'
import { accessRefusal, inspect, isInspectors, type Visit } from '../../src/inspector/server.ts'
import { UserError } from '../../src/wire/errors.ts'
import type { RelayRequest } from '../../src/wire/http.ts'
import { fc } from '../support/properties.ts'

const CAME: Cause = { origin: 'request', of: null }
const POLL: Cause = { origin: 'poll', of: null }

const TIME = new Date(Date.UTC(2026, 0, 2))

const EVENT: DevEvent = {
  ...{ delivery: 'd', method: 'POST', path: 'hook/webhook', workflow: 'hook', trigger: 'webhook' },
  ...{ decisions: [], items: [], count: 0, found: [], fields: [] },
  ...{ messages: [], problems: [] },
  reason: 'why not',
  milliseconds: 1,
}

const payload = (headers: Record<string, string> = {}, body: string | null = 'hello') => ({
  ...{ path: 'hook/webhook?a=1', method: 'POST', headers, body },
})

describe('who may look', () => {
  const own = { host: 'localhost:3000' }

  test.each<[string, string | undefined, Record<string, string>]>([
    ['this machine by IPv4', '127.0.0.1', own],
    ['another address of its loopback', '127.8.9.1', own],
    ['this machine by IPv6', '::1', { host: '[::1]:3000' }],
    ['IPv4 seen as IPv6', '::ffff:127.0.0.1', { host: '127.0.0.1' }],
    ['the page itself', '127.0.0.1', { ...own, origin: 'http://localhost:3000' }],
  ])('%s', (_, address, headers) => {
    expect(accessRefusal({ address, headers })).toBeUndefined()
  })

  test.each<[string, string | undefined, Record<string, string>, string]>([
    ['another machine', '192.0.2.7', own, 'only this machine has access'],
    ['another machine by IPv6', '2001:db8::1', own, 'only this machine has access'],
    ['an address that begins like ours', '127.0.0.1.evil', own, 'only this machine has access'],
    ['a connection that is gone', undefined, own, 'only this machine has access'],
    ['a tunnel', '127.0.0.1', { ...own, 'cf-ray': 'x' }, 'forwarded requests are refused'],
    ['a proxy', '127.0.0.1', { ...own, via: '1.1 x' }, 'forwarded requests are refused'],
    [
      'a name that points here',
      '127.0.0.1',
      { host: 'evil.example' },
      'open it as http://localhost',
    ],
    [
      'another page',
      '127.0.0.1',
      { ...own, origin: 'null' },
      'the request comes from another page',
    ],
    [
      'a frame of another site',
      '127.0.0.1',
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      'the request comes from another page',
    ],
  ])('not %s', (_, address, headers, why) => {
    expect(accessRefusal({ address, headers })).toBe(why)
  })

  test('no host but the three names of this machine, whatever is written around them', () => {
    const part = fc.constantFrom('localhost', '127.0.0.1', '[::1]', '.', '@', ':', '80', '/', 'a')
    const property = fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const host = parts.join('')
      const isOurs = /^(localhost|127\.0\.0\.1|\[::1\])(:80(80)?)?$/.test(host)
      const admitted = accessRefusal({ address: '::1', headers: { host } }) === undefined
      expect([host, admitted]).toEqual([host, isOurs])
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

describe('a request as it is shown', () => {
  test('hides what authenticates its sender, and keeps it for a replay', async () => {
    const headers = {
      authorization: 'Bearer a',
      'x-telegram-bot-api-secret-token': 'b',
      'x-c': 'c',
    }
    const { request, withheld } = await hideSecrets(payload(headers))
    const shown = { authorization: '***', 'x-telegram-bot-api-secret-token': '***', 'x-c': 'c' }
    expect({ ...request.headers }).toEqual(shown)
    expect({ ...withheld }).toEqual({
      authorization: 'Bearer a',
      'x-telegram-bot-api-secret-token': 'b',
    })
  })

  test('is without what the relay added', async () => {
    const headers = { 'x-hookline-delivery': 'd', 'x-hookline-body-encoding': 'base64' }
    const { request } = await hideSecrets(payload(headers, btoa('hello')))
    expect(request).toMatchObject({ headers: {}, body: 'hello', encoding: 'text' })
  })

  test('has a body that is no text in base64, and an empty one as none', async () => {
    const headers = { 'x-hookline-body-encoding': 'base64' }
    const binary = await hideSecrets(payload(headers, '/wCA'))
    expect(binary.request).toMatchObject({ body: '/wCA', encoding: 'base64' })
    expect((await hideSecrets(payload({}, null))).request.body).toBe('')
  })
})

describe('an event as it is kept', () => {
  const problems = [{ message: 'wrong' }]

  test.each([
    ['fired', { count: 1 }, 'fired'],
    ['did not', {}, 'skipped'],
    ['met a mistake', { problems }, 'mistaken'],
  ])('that %s', (_, more, outcome) => {
    const kept = eventRecord({ ...EVENT, ...more }, { ...POLL, time: TIME, readers: [] })
    expect(kept).toMatchObject({ outcome, origin: 'poll', time: '2026-01-02T00:00:00.000Z' })
    expect(kept.problems).toHaveLength('problems' in more ? 1 : 0)
    expect(kept.request).toBeNull()
  })

  test.each(['verify', 'secretToken'])('is unverified if %s did not hold', (option) => {
    const checks = [{ option, held: false, found: 'no signature matches' }]
    const decisions = [{ trigger: 'webhook', fired: false, reason: '', checks }]
    const came = { ...POLL, time: TIME, readers: [] } as const
    expect(eventRecord({ ...EVENT, decisions }, came).outcome).toBe('unverified')
    const other = [
      {
        trigger: 'webhook',
        fired: false,
        reason: '',
        checks: [{ ...checks[0], option: 'path', held: false, found: '' }],
      },
    ]
    expect(eventRecord({ ...EVENT, decisions: other }, came).outcome).toBe('skipped')
  })

  test('has the result of its jobs, only if it fired', () => {
    const job = (verdict: 'runs' | 'skipped' | 'fails') => ({
      ...{ id: verdict, line: 1, verdict, why: '', facts: [] },
    })
    const result = (count: number, ...verdicts: Parameters<typeof job>[0][]) => {
      const jobs = [{ file: 'w.yml', items: count, jobs: verdicts.map(job) }]
      return eventRecord({ ...EVENT, count }, { ...POLL, time: TIME, readers: [], jobs }).jobsResult
    }
    expect(result(1, 'runs', 'runs', 'skipped')).toEqual({
      text: '2 jobs run, 1 skipped',
      kind: 'good',
    })
    expect(result(1, 'fails', 'runs')).toEqual({ text: '1 job fails, 1 job runs', kind: 'bad' })
    expect(result(1, 'skipped')).toEqual({ text: '1 skipped', kind: 'open' })
    expect(result(1)).toBeNull()
    expect(result(0, 'runs')).toBeNull()
  })

  test('has its request', async () => {
    const came = { ...CAME, time: TIME, readers: [] } as const
    const headers = { authorization: 'a' }
    const { unlisted, withheld } = await requestRecord(EVENT, payload(headers), came)
    expect(unlisted).toMatchObject({ reason: 'why not', request: { body: 'hello' } })
    expect({ ...withheld }).toEqual(headers)
    const token = { 'x-token': 't' }
    const hidden = await requestRecord(EVENT, payload(token), came, ['x-token'])
    expect(hidden.unlisted.request?.headers).toEqual({ 'x-token': '***' })
    expect({ ...hidden.withheld }).toEqual(token)
  })

  test.each([
    [401, 'answered 401: the key is missing or unknown'],
    [413, 'answered 413: the body is too large for an event of GitHub'],
    [418, 'answered 418'],
  ])('that the relay refused with %d', (status, reason) => {
    const entry = { time: TIME.toISOString(), delivery: 'd', method: 'POST', status, ms: 1 }
    const unknown = { owner: undefined, repo: undefined, workflow: undefined, trigger: undefined }
    const rest = { githubStatus: undefined, tries: undefined, bytes: undefined }
    const refusal = refusalRecord({ ...entry, ...unknown, ...rest }, CAME)
    expect(refusal).toMatchObject({ outcome: 'refused', reason, workflow: '', request: null })
  })
})

describe('the name of an event', () => {
  const named = (headers: Record<string, string>, body: string) =>
    eventName({ method: 'POST', path: 'p', headers, body, encoding: 'text' } satisfies ShownRequest)

  test.each<[string, Record<string, string>, string, string | null]>([
    ['GitHub', { 'x-github-event': 'issues' }, '{"action":"opened"}', 'issues.opened'],
    ['GitHub, without an action', { 'x-github-event': 'push' }, '{}', 'push'],
    ['GitLab', { 'x-gitlab-event': 'Push Hook' }, '{"object_kind":"push"}', 'Push Hook'],
    ['Bitbucket', { 'x-event-key': 'repo:push' }, '{}', 'repo:push'],
    ['Shopify', { 'x-shopify-topic': 'orders/create' }, '{"id":1}', 'orders/create'],
    ['CloudEvents', { 'ce-type': 'com.example.made' }, 'text', 'com.example.made'],
    ['Amazon SNS', { 'x-amz-sns-message-type': 'Notification' }, '{}', 'Notification'],
    ['Stripe', {}, '{"object":"event","type":"invoice.paid"}', 'invoice.paid'],
    ['Typeform', {}, '{"event_type":"form_response","type":"x"}', 'form_response'],
    ['Slack', {}, '{"type":"event_callback","event":{"type":"message"}}', 'message'],
    ['a command of Slack', {}, 'command=%2Fdeploy&text=now', '/deploy'],
    ['Trello', {}, '{"action":{"type":"updateCard"}}', 'updateCard'],
    ['Telegram', {}, '{"update_id":1,"channel_post":{}}', 'channel_post'],
    ['a field "event"', {}, '{"event":"paid"}', 'paid'],
    ['an action alone', {}, '{"action":"paid"}', 'paid'],
    ['the id of an event, which is none', { 'last-event-id': '7' }, '{}', null],
    ['nothing that tells', {}, '{"hello":"world"}', null],
    ['a sentence, which is none', {}, JSON.stringify({ type: 'x'.repeat(81) }), null],
    ['text', {}, 'hello', null],
    ['no JSON', {}, '{"type":', null],
  ])('of %s', (_, headers, body, name) => {
    expect(named(headers, body)).toBe(name)
  })
})

const HELLO = {
  ...{ method: 'POST', path: 'hook/webhook', headers: {}, body: '{"hello":1}' },
  encoding: 'text' as const,
}

const ORDER = {
  ...{ of: 'r-1-1', sign: false, method: 'POST', path: 'hook/webhook', headers: {}, body: 'é' },
  encoding: 'text' as const,
}

describe('an order to send a request again', () => {
  test.each<[string, object]>([
    ['a method with a space', { method: 'A B' }],
    ['a method in small letters', { method: 'post' }],
    ['a path with a line break', { path: 'a\r\nb' }],
    ['a path with a space', { path: 'a b' }],
    ['no path', { path: '' }],
    ['a header of a name with a colon', { headers: { 'a:b': 'c' } }],
    ['a header with a line break in it', { headers: { a: 'b\r\nc: d' } }],
    ['a body that is no text', { body: 5 }],
    ['another encoding', { encoding: 'gzip' }],
    ['a number for the event', { of: 1 }],
    ['a text for whether it is signed', { sign: 'yes' }],
  ])('is none with %s', (_, change) => {
    expect(readOrder(JSON.stringify(ORDER))).toEqual(ORDER)
    expect(readOrder(JSON.stringify({ ...ORDER, ...change }))).toBeUndefined()
  })

  test('of any text is an order or none, and no header of it breaks a line', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('\r\n', '\n', '\0', 'a: b'))
    const headers = fc.dictionary(fc.oneof(value, fc.constant('x-a')), value, {
      noNullPrototype: true,
    })
    const order = fc.record({ method: value, path: value, headers, body: value })
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      order.map((some) => JSON.stringify({ ...ORDER, ...some, method: 'PUT', path: 'a' })),
    )
    const property = fc.property(texts, (text) => {
      const read = readOrder(text)
      if (!read) return
      const { headers, target } = replayRequest(read, {})
      expect([...headers, target].filter((part) => /[\r\n\0]/.test(part))).toEqual([])
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('sends the hidden headers, the right length, and the bytes of its body', async () => {
    const headers = { authorization: '***', 'x-own': '***', 'Content-Length': '99', 'x-a': 'b' }
    const request = replayRequest({ ...ORDER, headers }, { authorization: 'Bearer a' })
    expect(request.target).toBe('/webhook/hook/webhook')
    expect(request.headers).toEqual([
      'authorization',
      'Bearer a',
      'x-own',
      '',
      'x-a',
      'b',
      'content-length',
      '2',
    ])
    expect(await request.readBody(10)).toEqual(new TextEncoder().encode('é'))
  })

  test.each([
    ['hidden there too', ['x-own'], 'a'],
    ['an ordinary one there', [], ''],
  ])('with a header of the user’s own choice that is %s', (_, secretHeaders, value) => {
    const order = { ...ORDER, headers: { 'X-Own': '***', 'x-own': '***' } }
    const { headers } = replayRequest(order, { 'x-own': 'a' }, secretHeaders)
    expect(headers.slice(0, 4)).toEqual(['X-Own', '', 'x-own', value])
  })

  test.each([
    ['/wCA', [255, 0, 128]],
    ['not base64 !', []],
  ])('with the body %j in base64', async (body, bytes) => {
    const request = replayRequest({ ...ORDER, body, encoding: 'base64' }, {})
    expect([...(await request.readBody(10))]).toEqual(bytes)
  })
})

describe('a visit', () => {
  const sent: RelayRequest[] = []
  const causes: Cause[] = []
  beforeEach(() => {
    sent.length = 0
    causes.length = 0
  })
  const parts = {
    recorder: new Recorder('r-1'),
    files: new Map([
      ['index.html', '<p>page'],
      ['main.js', 'run()'],
      ['secret.txt', 'no type of the page'],
    ]),
    key: 'the-key',
    welcome: (base: string) => ({
      triggers: [
        {
          workflow: base,
          trigger: '',
          method: '',
          url: '',
          curl: '',
          request: HELLO,
          scheme: null,
        },
      ],
      polled: [],
      polling: false,
      problems: [],
      relay: null,
    }),
    sign: async (request: ShownRequest) => {
      if (request.path !== HELLO.path) throw new UserError({ message: 'no such secret' })
      return { ...request, headers: { 'x-signature': 'signed' } }
    },
    secretHeadersAt: () => [],
    send: async (request: RelayRequest, cause: Cause) => {
      sent.push(request)
      causes.push(cause)
      return { status: 200, headers: { 'x-hookline-delivery': 'd-2' }, body: 'ok' }
    },
  }
  parts.recorder.add(eventRecord(EVENT, { ...POLL, time: TIME, readers: [] }))

  const JSON_TYPE = { 'content-type': 'application/json' }

  async function visit(target: string, more: Partial<Visit> = {}, headers = {}) {
    const own = { host: 'localhost:1', cookie: 'a=b; hookline-dev-1=the-key', ...headers }
    const body = async () => JSON.stringify(ORDER)
    const [path = '', query = ''] = target.split('?')
    const one = { address: '::1', method: 'GET', path, query, headers: own, body, ...more }
    const answered = await inspect(one, devSource(parts))
    if (!('reply' in answered)) return { status: 0, body: 'stream', headers: answered.stream }
    return { ...answered.reply, body: Buffer.from(answered.reply.body).toString() }
  }

  test.each<[string, string, number, string]>([
    ['the page', '/inspector/', 200, '<p>page'],
    ['a file of it', '/inspector/main.js', 200, 'run()'],
    ['a file that is none of its kinds', '/inspector/secret.txt', 404, 'page not found\n'],
    ['a key of every object', '/inspector/constructor', 404, 'page not found\n'],
    [
      'an event that was never kept',
      '/inspector/requests/r-1-2',
      404,
      'this event is no longer stored\n',
    ],
    [
      'an event of another run',
      '/inspector/requests/r-2-1',
      404,
      'this event is no longer stored\n',
    ],
    [
      'an event without a number',
      '/inspector/requests/r-1-x',
      404,
      'this event is no longer stored\n',
    ],
  ])('to %s', async (_, path, status, body) => {
    expect(isInspectors(path)).toBe(true)
    expect(await visit(path)).toMatchObject({ status, body })
  })

  test('to the run, under the name that the visitor sees', async () => {
    const { body, headers } = await visit('/inspector/run')
    expect(JSON.parse(body)).toMatchObject({
      run: 'r-1',
      triggers: [{ workflow: 'http://localhost:1' }],
    })
    expect(headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  test('to an event, as it is kept', async () => {
    expect(JSON.parse((await visit('/inspector/requests/r-1-1')).body)).toMatchObject({
      id: 'r-1-1',
      number: 1,
    })
  })

  test('to the events is a stream', async () => {
    expect(await visit('/inspector/events')).toMatchObject({
      body: 'stream',
      headers: { 'content-type': expect.stringContaining('text/event-stream') },
    })
  })

  test.each<[string, Partial<Visit>, object, number]>([
    ['by GET', {}, {}, 405],
    ['without the key', { method: 'POST' }, { ...JSON_TYPE, cookie: '' }, 403],
    [
      'with another key',
      { method: 'POST' },
      { ...JSON_TYPE, cookie: 'hookline-dev-1=the-kez' },
      403,
    ],
    ['of another type', { method: 'POST' }, { 'content-type': 'text/plain' }, 415],
    [
      'with too large an order',
      { method: 'POST', body: () => Promise.reject(new RangeError('more than 2 bytes')) },
      JSON_TYPE,
      413,
    ],
    ['with no order', { method: 'POST', body: async () => '{' }, JSON_TYPE, 400],
  ])('to the replay %s sends nothing', async (_, more, headers, status) => {
    expect((await visit('/inspector/replay', more, headers)).status).toBe(status)
    expect(sent).toEqual([])
  })

  test('to the replay with the key sends, and tells the answer', async () => {
    const { body } = await visit('/inspector/replay', { method: 'POST' }, JSON_TYPE)
    expect(JSON.parse(body)).toEqual({ status: 200, delivery: 'd-2', body: 'ok' })
    expect(sent.map(({ target }) => target)).toEqual(['/webhook/hook/webhook'])
    const own = async () => JSON.stringify({ ...ORDER, of: null })
    await visit('/inspector/replay', { method: 'POST', body: own }, JSON_TYPE)
    expect(causes).toEqual([
      { origin: 'replay', of: 'r-1-1' },
      { origin: 'composed', of: null },
    ])
  })

  test('to the replay that is to be signed sends it signed, or says why it cannot be', async () => {
    const signed = (more: object) => async () => JSON.stringify({ ...ORDER, sign: true, ...more })
    const options = { method: 'POST', body: signed({}) }
    expect((await visit('/inspector/replay', options, JSON_TYPE)).status).toBe(200)
    expect(sent.at(-1)?.headers.slice(0, 2)).toEqual(['x-signature', 'signed'])
    const refused = { method: 'POST', body: signed({ path: 'hook/other' }) }
    const { status, body } = await visit('/inspector/replay', refused, JSON_TYPE)
    expect([status, body, sent.length]).toEqual([422, 'no such secret\n', 1])
  })

  test.each([
    ['why', ['r-1-1']],
    ['nothing+has+this', []],
    ['', ['r-1-1']],
  ])('to the search for %j', async (filter, ids) => {
    expect(JSON.parse((await visit(`/inspector/search?q=${filter}`)).body)).toEqual(ids)
  })

  test('by any other method is refused', async () => {
    expect((await visit('/inspector/run', { method: 'DELETE' })).status).toBe(405)
    expect((await visit('/inspector/', { method: 'HEAD' })).status).toBe(200)
    expect(isInspectors('/webhook/hook/webhook')).toBe(false)
  })
})
