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

/** An event without readers and jobs. */
const ALONE = { time: TIME, readers: [], jobs: [] }

const EVENT: DevEvent = {
  ...{ delivery: 'd', method: 'POST', path: 'hook/webhook', workflow: 'hook', trigger: 'webhook' },
  ...{ decisions: [], items: [], count: 0, found: [], fields: [] },
  ...{ messages: [], problems: [], explanations: [] },
  reason: 'why not',
  milliseconds: 1,
}

const DECISION = { trigger: 'webhook', fired: false, reason: '' }

const payload = (headers: Record<string, string> = {}, body: string | null = 'hello') => ({
  ...{ path: 'hook/webhook?a=1', method: 'POST', headers, body },
})

const CROSS_SITE = { 'sec-fetch-site': 'cross-site' }

/** Each differs by one character from a name or a beginning of a forwarding header. */
const LIKE_FORWARDED = {
  ...{ 'x-forwarded': '1', forwardedx: '1', viax: '1', 'x-real-ip2': '1', cf: '1', ngrok: '1' },
  ...{ 'not-forwarded': '1', 'x-via': '1', 'x-x-real-ip': '1', 'x-cf-ray': '1', 'x-ngrok-a': '1' },
  ...{ 'x-x-forwarded-for': '1', 'x-forwarded-': '1', 'cf-': '1', 'ngrok-': '1' },
}

describe('who may look', () => {
  const own = { host: 'localhost:3000' }

  test.each<[string, string | undefined, Record<string, string>]>([
    ['this machine by IPv4', '127.0.0.1', own],
    ['another address of its loopback', '127.8.9.1', own],
    ['this machine by IPv6', '::1', { host: '[::1]:3000' }],
    ['IPv4 seen as IPv6', '::ffff:127.0.0.1', { host: '127.0.0.1' }],
    ['the page itself', '127.0.0.1', { ...own, origin: 'http://localhost:3000' }],
    ['the page itself, as its browser says', '::1', { ...own, 'sec-fetch-site': 'same-origin' }],
    ['an address that was typed', '::1', { ...own, 'sec-fetch-site': 'none' }],
    ['a link on another page', '::1', { ...own, ...CROSS_SITE, 'sec-fetch-mode': 'navigate' }],
    ['any address of the loopback network', '127.255.10.100', own],
    ['any of them seen as IPv6', '::ffff:127.255.10.100', own],
    ['a name in capitals', '::1', { host: 'LocalHost' }],
    ['a port of five digits', '::1', { host: 'localhost:65535' }],
    ['headers that only resemble those of a proxy', '::1', { ...own, ...LIKE_FORWARDED }],
  ])('%s', (_, address, headers) => {
    expect(accessRefusal({ address, headers })).toBeUndefined()
  })

  const OPEN_IT = 'open it as http://localhost'
  const ANOTHER = 'the request comes from another page'
  const proxied = (name: string): [string, string, Record<string, string>, string] => [
    ...([name, '::1', { ...own, [name]: '192.0.2.7' }] as const),
    'forwarded requests are refused',
  ]

  test.each<[string, string | undefined, Record<string, string>, string]>([
    ['another machine', '192.0.2.7', own, 'only this machine has access'],
    ['another machine by IPv6', '2001:db8::1', own, 'only this machine has access'],
    ['an address that begins like ours', '127.0.0.1.evil', own, 'only this machine has access'],
    ['a connection that is gone', undefined, own, 'only this machine has access'],
    ['an address that ends like ours', '10.127.0.0.1', own, 'only this machine has access'],
    ['IPv6 that ends like ours', '2001:db8::1:::1', own, 'only this machine has access'],
    ['IPv6 that begins like ours', '::1:2', own, 'only this machine has access'],
    ['an address without digits', '127..0.1', own, 'only this machine has access'],
    [
      'IPv4 seen as IPv6, with more behind',
      '::ffff:127.0.0.1x',
      own,
      'only this machine has access',
    ],
    ['another network seen as IPv6', '::ffff:10.0.0.1', own, 'only this machine has access'],
    ['a host with a port of six digits', '::1', { host: 'localhost:100000' }, OPEN_IT],
    ['a host without its port', '::1', { host: 'localhost:' }, OPEN_IT],
    ['no host', '::1', {}, OPEN_IT],
    ['a page of another port', '::1', { ...own, origin: 'http://localhost:1' }, ANOTHER],
    ['a page over TLS', '::1', { ...own, origin: 'https://localhost:3000' }, ANOTHER],
    ['a page of the same site', '::1', { ...own, 'sec-fetch-site': 'same-site' }, ANOTHER],
    ['a tunnel', '127.0.0.1', { ...own, 'cf-ray': 'x' }, 'forwarded requests are refused'],
    ...['forwarded', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-proto', 'ngrok-agent-ips'].map(
      (name) => proxied(name),
    ),
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
    const { request, withheld } = await hideSecrets(payload(headers), [])
    const shown = { authorization: '***', 'x-telegram-bot-api-secret-token': '***', 'x-c': 'c' }
    expect({ ...request.headers }).toEqual(shown)
    expect(request).toMatchObject({ method: 'POST', path: 'hook/webhook?a=1' })
    expect({ ...withheld }).toEqual({
      authorization: 'Bearer a',
      'x-telegram-bot-api-secret-token': 'b',
    })
  })

  test('is without what the relay added', async () => {
    const own = { 'x-hookline-delivery': 'd', 'x-hookline-body-encoding': 'base64' }
    const headers = { ...own, 'x-a': 'b', 'a-x-hookline-': 'c' }
    const { request } = await hideSecrets(payload(headers, btoa('hello')), [])
    expect({ ...request.headers }).toEqual({ 'x-a': 'b', 'a-x-hookline-': 'c' })
    expect(request).toMatchObject({ body: 'hello', encoding: 'text' })
  })

  test('has a body that is no text in base64, and an empty one as none', async () => {
    const headers = { 'x-hookline-body-encoding': 'base64' }
    const binary = await hideSecrets(payload(headers, '/wCA'), [])
    expect(binary.request).toMatchObject({ body: '/wCA', encoding: 'base64' })
    const empty = await hideSecrets(payload({}, null), [])
    expect(empty.request).toMatchObject({ body: '', encoding: 'text' })
  })
})

describe('an event as it is kept', () => {
  const problems = [{ message: 'wrong' }]

  test.each([
    ['fired', { count: 1 }, 'fired'],
    ['did not', {}, 'skipped'],
    ['met a mistake', { problems }, 'mistaken'],
  ])('that %s', (_, more, outcome) => {
    const kept = eventRecord({ ...EVENT, ...more }, { ...POLL, ...ALONE })
    const { explanations: _explanations, problems: none, ...event } = EVENT
    expect(kept).toEqual({
      ...{ ...event, ...more, event: null, outcome },
      ...{ time: '2026-01-02T00:00:00.000Z', origin: 'poll', of: null, readers: [], jobs: [] },
      problems: 'problems' in more ? [{ text: 'wrong', place: null, notes: [] }] : none,
      ...{ jobsResult: null, request: null, missing: null, stages: [], values: [], relay: null },
    })
  })

  const source = { name: 'workflows/a.yml', file: 'a.yml', text: 'on:\n  webhook: \u001b[2J\n' }
  const position = { source, line: 2, column: 3, length: 7 }
  const filtered = (sentence: string, condition = 'filter') => ({
    ...{ trigger: 'webhook', condition, path: null, sentence },
  })

  test.each<[string, Partial<DevEvent>, string | null]>([
    ['nothing', { reason: undefined }, null],
    ['the reason of the engine', {}, 'why not'],
    [
      'the first mistake in a file',
      { problems: [{ message: 'a' }, { message: 'b', position }] },
      'b',
    ],
    ['what failed outside of files', { problems: [{ message: 'a' }], reason: 'failed' }, 'failed'],
    [
      'the conditions of a filter, and of nothing else',
      { explanations: [filtered('one'), filtered('no', 'method'), filtered('two')] },
      'one; two',
    ],
  ])('says as its reason %s', (_, more, reason) => {
    expect(eventRecord({ ...EVENT, ...more }, { ...POLL, ...ALONE }).reason).toBe(reason)
  })

  test('shows a mistake with its line, its fix and its notes, without tokens and escapes', () => {
    const token = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'
    const problem = {
      message: `no ${token}`,
      position,
      hint: 'fix it',
      notes: ['one', 'two\u001b'],
    }
    const { problems: shown } = eventRecord(
      { ...EVENT, problems: [problem, { message: 'elsewhere' }] },
      { ...POLL, ...ALONE },
    )
    expect(shown).toEqual([
      {
        text: `no ${'*'.repeat(token.length)}`,
        place: {
          file: 'workflows/a.yml',
          ...{ line: 2, column: 3, length: 7, text: '  webhook: \ufffd[2J' },
        },
        notes: ['fix it', 'one', 'two\ufffd'],
      },
      { text: 'elsewhere', place: null, notes: [] },
    ])
  })

  test.each(['verify', 'secretToken'])('is unverified if %s did not hold', (option) => {
    const failed = { option, held: false, found: 'no signature matches' }
    const came = { ...POLL, ...ALONE }
    const path = { option: 'path', held: false, found: '' }
    const outcomeWith = (...checks: { option: string; held: boolean; found: string }[]) =>
      eventRecord({ ...EVENT, decisions: [{ ...DECISION, checks }] }, came).outcome
    expect(outcomeWith(failed)).toBe('unverified')
    expect(outcomeWith(path)).toBe('skipped')
    expect(outcomeWith(path, failed)).toBe('unverified')
    expect(outcomeWith({ option, held: true, found: 'valid' }, path)).toBe('skipped')
  })

  test('has the result of its jobs, only if it fired', () => {
    const job = (verdict: 'runs' | 'skipped' | 'fails' | 'unknown') => ({
      ...{ id: verdict, line: 1, verdict, why: '', facts: [] },
    })
    const result = (count: number, ...verdicts: Parameters<typeof job>[0][]) => {
      const jobs = [{ file: 'w.yml', items: count, jobs: verdicts.map(job) }]
      return eventRecord({ ...EVENT, count }, { ...POLL, ...ALONE, jobs }).jobsResult
    }
    expect(result(1, 'unknown', 'skipped', 'runs', 'fails', 'fails')).toEqual({
      text: '2 jobs fail, 1 job runs, 1 skipped, 1 not known here',
      kind: 'bad',
    })
    expect(result(1, 'unknown')).toEqual({ text: '1 not known here', kind: 'open' })
    expect(result(1, 'runs')).toEqual({ text: '1 job runs', kind: 'good' })
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
    const came = { ...CAME, ...ALONE }
    const headers = { authorization: 'a', 'x-github-event': 'push' }
    const { unlisted, withheld: all } = await requestRecord(EVENT, payload(headers), came, [])
    expect(unlisted).toMatchObject({
      ...{ reason: 'why not', event: 'push', origin: 'request' },
      request: { method: 'POST', path: 'hook/webhook?a=1', body: 'hello', encoding: 'text' },
    })
    const withheld = { ...all }
    expect(withheld).toEqual({ authorization: 'a' })
    const token = { 'x-token': 't' }
    const hidden = await requestRecord(EVENT, payload(token), came, ['x-token'])
    expect(hidden.unlisted.request?.headers).toEqual({ 'x-token': '***' })
    expect({ ...hidden.withheld }).toEqual(token)
  })

  test.each([
    [400, 'answered 400: the URL, a __response_… parameter or the request itself is malformed'],
    [401, 'answered 401: the key is missing or unknown'],
    [404, 'answered 404: the address is /webhook/<workflow>/<trigger>'],
    [405, 'answered 405: a webhook takes GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS'],
    [413, 'answered 413: the body is too large for an event of GitHub'],
    [500, 'answered 500: a fault of Hookline itself: the terminal says more'],
    [418, 'answered 418'],
  ])('that the relay refused with %d', (status, reason) => {
    const entry = { time: TIME.toISOString(), delivery: 'd', method: 'POST', status, ms: 1 }
    const unknown = { owner: undefined, repo: undefined, workflow: undefined, trigger: undefined }
    const rest = { githubStatus: undefined, tries: undefined, bytes: undefined }
    const time = '2026-01-02T00:00:00.000Z'
    expect(refusalRecord({ ...entry, ...unknown, ...rest }, CAME)).toEqual({
      ...{ time, origin: 'request', of: null, delivery: 'd', method: 'POST', path: '' },
      ...{ workflow: '', trigger: '', event: null, outcome: 'refused', count: 0, reason },
      ...{ milliseconds: 1, jobsResult: null, relay: null, request: null, missing: null },
      ...{ stages: [], values: [], decisions: [], problems: [], messages: [], found: [] },
      ...{ items: [], fields: [], readers: [], jobs: [] },
    })
    const named = { ...entry, ...unknown, ...rest, workflow: 'hook', trigger: 'webhook' }
    expect(refusalRecord(named, CAME)).toMatchObject({ workflow: 'hook', trigger: 'webhook' })
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
    ['a field and an action', {}, '{"event":"order","action":"paid"}', 'order.paid'],
    ['an action alone', {}, '{"action":"paid"}', 'paid'],
    ['a header "event"', { event: 'paid' }, '{}', 'paid'],
    ['a header "topic"', { 'x-topic': 'paid' }, '{}', 'paid'],
    ['a header that names a type', { 'x-event-type': 'paid' }, '{}', 'paid'],
    ['a header that names a key', { 'x-topic-key': 'paid' }, '{}', 'paid'],
    ['a header that names a name', { 'a-b-c-event-name': 'paid' }, '{}', 'paid'],
    ['a header over a field', { 'x-event': 'paid' }, '{"type":"other"}', 'paid'],
    ['an empty header, before any field', { 'x-event': '' }, '{"type":"other"}', 'other'],
    ['a header without JSON', { 'x-event': 'paid' }, 'hello', 'paid'],
    ['the id of an event, which is none', { 'last-event-id': '7' }, '{}', null],
    ['a word with the end of one', { 'x-prevent': 'a', xtopic: 'b' }, '{}', null],
    ['a word with the beginning of one', { 'x-events': 'a', 'x-event-types': 'b' }, '{}', null],
    ['a header like that of CloudEvents', { 'x-ce-type': 'a', 'ce-types': 'b' }, '{}', null],
    ['a header like that of Amazon', { 'x-message-types': 'a', 'message-type': 'b' }, '{}', null],
    ['JSON after spaces', {}, ' \n {"type":"paid"}', 'paid'],
    ['a list', {}, '[{"type":"paid"}]', null],
    ['nothing that tells', {}, '{"hello":"world"}', null],
    ['80 characters', {}, JSON.stringify({ type: 'x'.repeat(80) }), 'x'.repeat(80)],
    ['a sentence, which is none', {}, JSON.stringify({ type: 'x'.repeat(81) }), null],
    ['a sentence in a header', { 'x-event': 'x'.repeat(81) }, '{}', null],
    [
      'an action that is a sentence',
      { event: 'a' },
      JSON.stringify({ action: 'x'.repeat(81) }),
      'a',
    ],
    ['a header and an action of 81', { event: 'a' }, `{"action":"${'x'.repeat(79)}"}`, null],
    ['an empty field before another', {}, '{"event_type":"","type":"paid"}', 'paid'],
    [
      'the best of its fields',
      {},
      '{"event":"f","type":"e","object_kind":"d","event_name":"c"}',
      'c',
    ],
    ['two fields of one sender', {}, '{"eventType":"b","object_kind":"d"}', 'b'],
    ['Slack, without a type', {}, '{"type":"event_callback","event":{}}', null],
    [
      'Slack, with an event that is text',
      {},
      '{"type":"event_callback","event":"a"}',
      'event_callback',
    ],
    ['another wrapped event', {}, '{"type":"a","event":{"type":"b"}}', 'a'],
    ['Trello, without a type', {}, '{"action":{"id":1}}', null],
    ['Telegram, with nothing but a number', {}, '{"update_id":1}', null],
    ['Telegram, with the number at last', {}, '{"message":{},"update_id":1}', 'message'],
    ['a number that is text', {}, '{"update_id":"1","message":{}}', null],
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
    ['a method of 21 letters', { method: 'A'.repeat(21) }],
    ['no method', { method: '' }],
    ['a method after a digit', { method: '1GET' }],
    ['a method before a digit', { method: 'GET1' }],
    ['a path of 8193 characters', { path: 'a'.repeat(8193) }],
    ['a path with an umlaut at its end', { path: 'aé' }],
    ['a path with a delete character before it', { path: '\x7fa' }],
    ['a header name of 201 characters', { headers: { ['a'.repeat(201)]: 'b' } }],
    ['a header without a name', { headers: { '': 'b' } }],
    ['a header of a name that begins with a space', { headers: { ' a': 'b' } }],
    ['a header of a name that ends with a space', { headers: { 'a ': 'b' } }],
    ['a header of 8193 characters', { headers: { a: 'b'.repeat(8193) } }],
    ['a header that begins with a line feed', { headers: { a: '\nb' } }],
    ['a header that ends with a zero character', { headers: { a: 'b\0' } }],
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

  test('is one up to each limit', () => {
    const order = {
      ...{ ...ORDER, of: null, sign: true, method: 'A'.repeat(20), path: '!~'.repeat(4096) },
      headers: { "A9_!#$%&'*+.^`|~-": '', ['a'.repeat(200)]: `é\t${'b'.repeat(8190)}` },
      ...{ body: '', encoding: 'base64' },
    }
    expect(readOrder(JSON.stringify(order))).toEqual(order)
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
      const { headers, target } = replayRequest(read, {}, [])
      expect([...headers, target].filter((part) => /[\r\n\0]/.test(part))).toEqual([])
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('sends the hidden headers, the right length, and the bytes of its body', async () => {
    const headers = { authorization: '***', 'x-own': '***', 'Content-Length': '99', 'x-a': 'b' }
    const request = replayRequest({ ...ORDER, headers }, { authorization: 'Bearer a' }, [])
    expect(request.method).toBe('POST')
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
    const empty = replayRequest({ ...ORDER, headers: { 'x-a': 'é' }, body: '' }, {}, [])
    expect(empty.headers).toEqual(['x-a', '\xc3\xa9'])
  })

  test.each([
    ['hidden there too', ['x-own'], 'a'],
    ['an ordinary one there', [], ''],
  ])('with a header of the user’s own choice that is %s', (_, secretHeaders, value) => {
    const order = { ...ORDER, headers: { 'X-Own': '***', 'x-own': '***' } }
    const { headers } = replayRequest(order, { 'x-own': 'a' }, secretHeaders)
    expect(headers).toEqual(['X-Own', '', 'x-own', value, 'content-length', '2'])
  })

  test.each([
    ['/wCA', [255, 0, 128]],
    ['not base64 !', []],
  ])('with the body %j in base64', async (body, bytes) => {
    const request = replayRequest({ ...ORDER, body, encoding: 'base64' }, {}, [])
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
  parts.recorder.add(eventRecord(EVENT, { ...POLL, ...ALONE }))

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
