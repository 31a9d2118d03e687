import { afterEach, describe, expect, test } from '@jest/globals'
import type { WorkflowSource } from '../../src/engine/engine-ports.ts'
import type { ShownRequest } from '../../src/inspector/api.ts'
import {
  type DevServer,
  resignedRequest,
  type SignableRequest,
  serveDev,
} from '../../src/inspector/dev-server.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import type { RequiredSignature } from '../../src/triggers/trigger.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { ask, detail, EventReader, rememberKey, run } from '../support/inspector.ts'
import { problemsOf } from '../support/problems.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'

const verify = (more: string) => `webhook: { verify: { ${more}, secret: a-token-of-its-own } }`

const FILES: Readonly<Record<string, string>> = {
  'a b': 'webhook: {method: get, path: /x/:id}',
  post: 'webhook: {method: [put, post], config: {filter: {body.kind: wanted}}}',
  signed: 'typeform: {verify: {secret: s3cret}}',
  own: verify('scheme: token, header: X-Own'),
  query: verify('scheme: token, query: key'),
  board: 'trello: {verify: {secret: s3cret, url: "https://h.example/b"}}',
  bad: 'webhook: {method: psot}',
}

function workflows(files: Readonly<Record<string, string>>): WorkflowSource {
  return {
    calling: '',
    names: () => Object.keys(files),
    find: (name) => {
      const text = files[name]
      const file = `workflows/${name}.yml`
      if (text === undefined) return undefined
      return readOnSection(name, { name: file, file, text }, { contexts: {}, triggers: TRIGGERS })
    },
  }
}

const signer = {
  schemes: ['token', 'typeform'],
  async sign(request: SignableRequest) {
    return { ...request, headers: { ...request.headers, 'x-signature': 'signed' } }
  },
}

const READERS = [{ kind: 'source', file: 'a.yml' }] as const
const EXPLAINED = { readers: READERS, jobs: [{ file: 'a.yml', items: 1, jobs: [] }] }

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

type Options = Parameters<typeof serveDev>[0]

async function scene(more: Partial<Options> = {}, files = FILES) {
  const told: unknown[] = []
  const reported: unknown[] = []
  const server = await serveDev({
    ...{ host: undefined, port: 0, env: {}, workflows: () => workflows(files), signer },
    explain: () => EXPLAINED,
    tell: (event, explained) => told.push([event.workflow, event.count, explained]),
    report: (error) => reported.push(error),
    ...more,
  })
  ends.push(() => server.close())
  rememberKey(server.url + server.inspectorPath)
  const post = (path: string, body = '', headers: Record<string, string> = {}) =>
    fetch(`${server.url}/webhook/${path}`, {
      ...{ method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } },
    })
  return { server, told, reported, post }
}

/** Runs real jobs for a key. */
function runs() {
  const started: (readonly [string, unknown])[] = []
  const start = (...given: (typeof started)[number]) => started.push(given)
  return { started, runs: { key: 'the-key', start } }
}

async function replay({ url }: DevServer, order: object) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ of: null, sign: false, ...SENT, ...order })
  const answer = await ask(url, '/inspector/replay', { method: 'POST', headers, body })
  return answer.status === 200 ? JSON.parse(answer.body) : [answer.status, answer.body]
}

const SENT: ShownRequest = {
  ...{ method: 'POST', path: 'post/webhook', headers: { 'content-type': 'application/json' } },
  ...{ body: '{"kind":"wanted"}', encoding: 'text' },
}

describe('the page of dev', () => {
  test('has each trigger with a request to begin with, and the mistakes of the files', async () => {
    const { server } = await scene()
    const { url } = server
    const { run: id, ...welcome } = await run(url)
    expect(id).toMatch(/^[0-9a-f]{8}$/)
    const json = { 'content-type': 'application/json' }
    const trigger = (workflow: string, name: string, scheme: string | null) => ({
      ...{ workflow, trigger: name, method: 'POST', url: `${url}/webhook/${workflow}/${name}` },
      ...{ curl: null, scheme },
      request: {
        ...{ method: 'POST', path: `${workflow}/${name}`, headers: json, body: '{}' },
        encoding: 'text',
      },
    })
    const get = { method: 'GET', path: 'a%20b/webhook/x/id' }
    const post = trigger('post', 'webhook', null)
    const body = '{"hello":"world"}'
    expect(welcome).toEqual({
      triggers: [
        {
          ...{ workflow: 'a b', trigger: 'webhook', method: 'GET', scheme: null },
          ...{ url: `${url}/webhook/${get.path}`, curl: `curl '${url}/webhook/${get.path}'` },
          request: { ...get, headers: {}, body: '', encoding: 'text' },
        },
        {
          ...post,
          curl: `curl -X POST -H 'content-type: application/json' -d '${body}' '${post.url}'`,
          request: { ...post.request, body },
        },
        trigger('signed', 'typeform', 'typeform'),
        trigger('own', 'webhook', 'token'),
        // The page would show a token in the URL.
        trigger('query', 'webhook', null),
        // The signer does not know this scheme.
        trigger('board', 'trello', null),
      ],
      ...{ polled: [], polling: false, relay: null },
      problems: [
        {
          text: 'unknown HTTP method "psot"',
          place: {
            ...{ file: 'workflows/bad.yml', line: 1, column: 19, length: 4 },
            text: 'webhook: {method: psot}',
          },
          notes: ['did you mean "post"?', 'allowed: get, post, put, patch, delete, head, options'],
        },
      ],
    })
  })

  test.each<[string, Options['problems'], readonly string[]]>([
    ['that were found', () => [{ message: 'found' }], ['found']],
    ['of which there are none', () => [], []],
    ['of the triggers before the first check', () => undefined, ['unknown HTTP method "psot"']],
  ])('shows the mistakes %s', async (_, problems, texts) => {
    const { server } = await scene(problems && { problems })
    expect((await run(server.url)).problems.map(({ text }) => text)).toEqual(texts)
  })

  test('learns of a changed file, and of each event with the files that read it', async () => {
    const { server, told, post } = await scene()
    const reader = new EventReader(server.url)
    ends.push(() => reader.close())
    const came = async (count: number) => {
      while (reader.events.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await came(2)
    await post('post/webhook', SENT.body)
    await came(3)
    server.workflowsChanged()
    await came(4)
    const [hello, before, arrived, changed] = reader.events
    const { run: id } = await run(server.url)
    expect([hello, before]).toEqual([
      { name: 'hello', data: JSON.stringify({ run: id }) },
      { name: 'requests', data: '{"summaries":[],"gone":[]}' },
    ])
    expect(changed).toEqual({ name: 'changed', data: '{}' })
    expect(JSON.parse(arrived?.data ?? '')).toMatchObject({
      summaries: [{ id: `${id}-1`, path: 'post/webhook', outcome: 'fired' }],
      gone: [],
    })
    expect(await detail(server.url, 1)).toMatchObject({
      ...{ ...EXPLAINED, origin: 'request', of: null, request: { body: SENT.body } },
      milliseconds: expect.any(Number),
    })
    expect(told).toEqual([['post', 1, EXPLAINED]])
  })
})

describe('the response of dev', () => {
  const reasonOf = async (answer: Promise<Response>) => {
    const { status, headers } = await answer
    return [status, headers.get('x-hookline-hint'), headers.get('x-hookline-reason')]
  }

  test('says why nothing fired, in characters that a header can have', async () => {
    const { post } = await scene()
    expect(await reasonOf(post('post/webhook', SENT.body))).toEqual([200, null, null])
    expect(await reasonOf(post('post/webhook', '{"kind":"ä~\u007f é"}'))).toEqual([
      ...[200, 'nothing_fired', 'filter: body.kind is "?~? ?", wanted "wanted"'],
    ])
    expect(await reasonOf(post('none/webhook'))).toEqual([
      ...[200, 'nothing_fired', expect.stringContaining('the workflow "none"; here: ')],
    ])
    // Mistakes in a file are for the terminal only.
    expect(await reasonOf(post('bad/webhook'))).toEqual([200, 'nothing_fired', null])
  })

  test('names each condition, in 1000 characters at most', async () => {
    const names = Array.from({ length: 15 }, (_, at) => `${'x'.repeat(80)}${at}`)
    const filter = (some: readonly string[]) =>
      `webhook: {config: {filter: {${some.map((name) => `body.${name}: 1`).join(', ')}}}}`
    const { post } = await scene({}, { two: filter(['a', 'b']), many: filter(names) })
    expect((await reasonOf(post('two/webhook', '{}')))[2]).toBe(
      'filter: body.a is missing, wanted 1; filter: body.b is missing, wanted 1',
    )
    const [, , reason] = await reasonOf(post('many/webhook', '{}'))
    expect([String(reason).length, String(reason).slice(0, 20)]).toEqual([
      1000,
      'filter: body.xxxxxxx',
    ])
  })

  test('to a request that the relay refuses is recorded', async () => {
    const { server, told, post } = await scene()
    expect((await post('post/webhook?__response_code=700')).status).toBe(400)
    expect((await post('post/webhook?__response_code=399', SENT.body)).status).toBe(399)
    expect(await detail(server.url, 1)).toMatchObject({
      ...{ outcome: 'refused', origin: 'request', request: null },
    })
    expect(await detail(server.url, 2)).toMatchObject({ outcome: 'fired' })
    expect(told).toHaveLength(1)
  })
})

describe('real jobs', () => {
  const KEY = { 'x-hookline-dev-key': 'the-key' }

  test('run for the key, for an event that fired', async () => {
    const { runs: given, started } = runs()
    const { post, told } = await scene({ runs: given })
    await post('post/webhook', SENT.body)
    await post('post/webhook', '{"kind":"other"}', KEY)
    await post('bad/webhook', '', KEY)
    expect(started).toEqual([])
    expect((await post('post/webhook', SENT.body, KEY)).status).toBe(200)
    const client_payload = expect.objectContaining({ path: 'post/webhook', body: SENT.body })
    expect(started).toEqual([
      ['post', { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }],
    ])
    expect(told).toHaveLength(4)
  })

  test.each([
    [
      'another key',
      { 'x-hookline-dev-key': 'the-kez' },
      'x-hookline-dev-key is not the key that dev printed',
    ],
    [
      'an empty key',
      { 'x-hookline-dev-key': '' },
      'x-hookline-dev-key is not the key that dev printed',
    ],
    ['a page', { ...KEY, origin: 'https://evil.example' }, 'the request comes from another page'],
  ])('do not run for %s, and the response says why', async (_, headers, why) => {
    const { runs: given, started } = runs()
    const { post, told } = await scene({ runs: given })
    const answer = await post('post/webhook', SENT.body, headers)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'application/json'])
    expect(answer.headers.get('connection')).toBe('close')
    expect(await answer.json()).toEqual({
      error: { code: 'unauthorized', message: `not run: ${why}` },
    })
    expect([started, told]).toEqual([[], []])
  })

  test('run for a request of the page, which the cookie authenticates', async () => {
    const { runs: given, started } = runs()
    const { server } = await scene({ runs: given })
    expect(await replay(server, {})).toMatchObject({ status: 200 })
    expect(started).toHaveLength(1)
  })

  test('do not run without a runner, whatever the key', async () => {
    const { post } = await scene()
    expect((await post('post/webhook', SENT.body, KEY)).status).toBe(200)
  })
})

describe('a request that the page sends', () => {
  test('is signed if the page asks for it, and its secret headers are hidden', async () => {
    const { server } = await scene()
    const order = { path: 'own/webhook', headers: { 'x-own': 'a-token-of-its-own' } }
    const sent = await replay(server, order)
    expect(sent).toEqual({
      ...{
        status: 200,
        delivery: expect.stringMatching(/^[0-9a-f-]{36}$/),
        body: '{"success":true}',
      },
    })
    const first = await detail(server.url, 1)
    expect(first).toMatchObject({
      ...{ origin: 'composed', of: null, delivery: sent.delivery, outcome: 'fired' },
      request: { headers: { 'x-own': '***' } },
    })
    await replay(server, { path: 'own/webhook', headers: { 'x-own': '***' }, of: first.id })
    expect(await detail(server.url, 2)).toMatchObject({
      origin: 'replay',
      of: first.id,
      outcome: 'fired',
    })
    // Without its original, there is nothing to fill in.
    await replay(server, { path: 'own/webhook', headers: { 'x-own': '***' }, of: 'gone' })
    expect(await detail(server.url, 3)).toMatchObject({
      origin: 'replay',
      of: null,
      outcome: 'unverified',
    })
    await replay(server, { path: 'own/webhook', headers: {}, sign: true })
    const { request } = await detail(server.url, 4)
    expect(request?.headers['x-signature']).toBe('signed')
  })

  test('may be refused by the relay', async () => {
    const { server, reported } = await scene()
    const path = 'post/webhook?__response_code=700'
    expect(await replay(server, { path })).toEqual({
      ...{ status: 400, delivery: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      body: expect.stringContaining('"code":"invalid_response_option"'),
    })
    expect(await replay(server, { path: 'a', method: 'TRACE' })).toMatchObject({ status: 405 })
    expect(reported).toEqual([])
  })
})

describe('the signature of a request', () => {
  const asked: unknown[] = []
  /** Signs as a sender that adds to the URL, the headers and the body. */
  const signing = (
    change: (request: SignableRequest) => Partial<SignableRequest> = () => ({}),
  ) => ({
    schemes: ['token', 'typeform', 'trello'],
    async sign(request: SignableRequest, signature: RequiredSignature) {
      asked.push([request, signature.scheme])
      return { ...request, headers: { ...request.headers, 'x-signature': 's' }, ...change(request) }
    },
  })
  const signed = (path: string, change?: Parameters<typeof signing>[0], more: object = {}) =>
    resignedRequest({ ...SENT, path, ...more }, () => workflows(FILES), signing(change))
  afterEach(() => {
    asked.length = 0
  })

  test.each([
    ['post/webhook'],
    ['query/webhook'],
    ['bad/webhook'],
    ['none/webhook'],
    ['signed/webhook'],
    ['a'],
  ])('is none for %s', async (path) => {
    expect(await signed(path)).toEqual({ ...SENT, path })
    expect(asked).toEqual([])
  })

  test.each([
    ['signed/typeform/a?b=1', 'typeform', 'http://localhost/webhook/signed/typeform/a?b=1'],
    ['own/webhook', 'token', 'http://localhost/webhook/own/webhook'],
    ['board/trello', 'trello', 'https://h.example/b'],
  ])('of %s is that of %s, over %s', async (path, scheme, url) => {
    const headers = { ...SENT.headers, 'x-signature': 's' }
    expect(await signed(path)).toEqual({ ...SENT, path, headers })
    const body = new TextEncoder().encode(SENT.body)
    const { method, headers: given } = SENT
    const request = { method, path, headers: given, encoding: 'text', url, body }
    expect(asked).toEqual([[request, scheme]])
  })

  test('may add to the URL, and to a body of bytes', async () => {
    const body = Uint8Array.from([255, 0])
    expect(await signed('signed/typeform?a=1', ({ url }) => ({ url: `${url}&b=2`, body }))).toEqual(
      {
        ...{ method: 'POST', path: 'signed/typeform?a=1&b=2', body: '/wA=', encoding: 'base64' },
        headers: { ...SENT.headers, 'x-signature': 's' },
      },
    )
    const elsewhere = await signed('board/trello', () => ({ url: 'https://other.example/b?c=3' }))
    expect(elsewhere.path).toBe('board/trello')
    const bytes = await signed('own/webhook', undefined, { body: '/wA=', encoding: 'base64' })
    expect(bytes).toMatchObject({ body: '/wA=', encoding: 'base64' })
  })

  const SHOWN =
    'this sender writes the secret itself into the request, where the page would show it'

  test.each<[string, (request: SignableRequest) => Partial<SignableRequest>]>([
    ['URL', ({ url }) => ({ url: `${url}?key=a-token-of-its-own` })],
    ['body', () => ({ body: new TextEncoder().encode('x a-token-of-its-own x') })],
  ])('that is the secret in the %s is refused', async (_, change) => {
    expect(await problemsOf(signed('own/webhook', change))).toEqual([{ message: SHOWN }])
  })

  test('over an address that is none is refused', async () => {
    const files = { board: 'trello: {verify: {secret: s3cret, url: not-an-address}}' }
    const order = resignedRequest(
      { ...SENT, path: 'board/trello' },
      () => workflows(files),
      signing(),
    )
    expect(await problemsOf(order)).toEqual([
      {
        message:
          'the "url" of verify, which this sender signs, is not an address: look at its secret',
      },
    ])
  })
})

describe('a server that other machines reach', () => {
  test('needs a key', async () => {
    const open = scene({ host: '127.0.0.1' })
    expect(await problemsOf(open)).toEqual([
      {
        message: 'HOOKLINE_DEV_KEY is missing',
        hint: 'Create a key, which each request carries as its token: openssl rand -hex 16',
      },
    ])
  })

  test('takes requests with the key alone', async () => {
    const key = 'a-key-of-more-than-twenty-characters'
    const { server, post } = await scene({ host: '127.0.0.1', env: { HOOKLINE_DEV_KEY: key } })
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
    expect((await post('post/webhook', SENT.body)).status).toBe(401)
    const bearer = { 'x-platform-authorization': key }
    expect((await post('post/webhook', SENT.body, bearer)).status).toBe(200)
    // The page needs its cookie alone.
    expect(await replay(server, {})).toMatchObject({ status: 200 })
  })
})

test('polls are shown and told as requests are, from the first poll until the server is closed', async () => {
  const telegram = await new TelegramStandIn().start()
  ends.push(() => telegram.stop())
  const files = { bot: `messaging_bot: { token: "${BOT_TOKEN}" }` }
  const { server, told } = await scene({ env: { HOOKLINE_TELEGRAM_API_URL: telegram.url } }, files)
  expect(await run(server.url)).toMatchObject({ polled: ['bot/messaging_bot'], polling: false })
  const chat = { id: 7, type: 'private' } as const
  telegram.push('message', { message_id: 1, date: 1, chat, text: 'hello' })
  server.poll()
  expect(await run(server.url)).toMatchObject({ polling: true })
  while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(told).toEqual([['bot', 1, EXPLAINED]])
  expect(await detail(server.url, 1)).toMatchObject({
    ...{ ...EXPLAINED, origin: 'poll', of: null, method: 'POLL', outcome: 'fired', count: 1 },
    items: [{ messaging_bot: { outputs: { text: 'hello' } } }],
  })
})
