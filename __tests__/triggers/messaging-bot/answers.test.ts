import { describe, expect, test } from '@jest/globals'
import {
  callBotOnce,
  deleteWebhook,
  registeredUrl,
  setWebhookBody,
} from '../../../src/triggers/messaging-bot/bot-api.ts'
import { HttpFailure, type HttpRequest, type HttpResponse } from '../../../src/wire/http.ts'
import type { Json } from '../../../src/wire/json.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { problemsOf } from '../../support/problems.ts'
import { bound, QUIET_WORLD, receive } from '../../support/receive.ts'

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'

type Answer = HttpResponse | Error

const answer = (status: number, value: unknown, headers = {}): HttpResponse => ({
  status,
  headers,
  text: typeof value === 'string' ? value : JSON.stringify(value),
})
const ok = (result: Json) => answer(200, { ok: true, result })
const refused = (status: number, description = '', parameters: object = {}) =>
  answer(status, { ok: false, error_code: status, description, parameters })

/** A server of the Bot API that gives these answers one after another, and repeats the last one. */
function server(...answers: Answer[]) {
  const calls: HttpRequest[] = []
  const pauses: number[] = []
  const masked: string[] = []
  const ports = {
    ...QUIET_WORLD,
    messagingApiUrl: 'https://api.telegram.example',
    http: async (request: HttpRequest) => {
      calls.push(request)
      const given = answers[Math.min(calls.length, answers.length) - 1]
      if (!given || given instanceof Error) throw given
      return given
    },
    sleep: async (duration: number) => void pauses.push(duration),
    mask: (text: string) => void masked.push(text),
  }
  const bot = { ...ports, token: new Secret(TOKEN), api: ports.messagingApiUrl }
  const methods = () => calls.map(({ url }) => url.replace(/^.*\//, ''))
  return { ports, bot, calls, pauses, masked, methods }
}

function polling(options: object, ...answers: Answer[]) {
  const at = server(...answers)
  const { poll, acknowledge } = bound('messaging_bot', { token: TOKEN, ...options })
  if (!poll || !acknowledge) throw new Error('it does not poll')
  return {
    ...at,
    poll: (cursor?: Json) => poll(at.ports, cursor),
    acknowledge: (cursor: Json) => acknowledge(cursor, at.ports),
  }
}

const KEPT = 'No message is lost: the bot API stores messages for 24 hours.'
const ONE_POLLER =
  "Let only one workflow or program poll the bot, because pollers take each other's messages."
const CONFLICT = 'Conflict: terminated by other getUpdates request'
const ACTIVE = "Conflict: can't use getUpdates method while webhook is active"

describe('a poll fails with its cure:', () => {
  test.each<[string, Answer, string, string[], number[]]>([
    [
      '401',
      refused(401),
      'the bot API rejected the token (401 Unauthorized)',
      [
        'The token was revoked or is incomplete. Get it from BotFather with /token, and update the secret.',
      ],
      [],
    ],
    [
      '404',
      refused(404),
      'the bot API does not know the bot (404 Not Found)',
      [
        'A token consists of digits, a colon and a string, without "bot" before it.',
        'Or check the input "telegram-api-url".',
      ],
      [],
    ],
    [
      'a redirect',
      answer(301, '', { location: `https://bot.example/bot${TOKEN}/getUpdates` }),
      'the address of the bot API redirects to https://bot.example (301)',
      [
        'Write the address behind the redirect into the input "telegram-api-url": https://bot.example',
      ],
      [],
    ],
    [
      'a redirect to another path',
      answer(308, '', { location: `/bots/bot${TOKEN}/getUpdates` }),
      'the address of the bot API redirects to another path of https://api.telegram.example (308)',
      ['Check the input "telegram-api-url".'],
      [],
    ],
    [
      'a redirect to no HTTP address',
      answer(302, '', { location: 'file:///bot' }),
      'the bot API rejected the call (302)',
      [],
      [],
    ],
    [
      '409',
      refused(409, CONFLICT),
      'another program polls the bot (409 Conflict)',
      [ONE_POLLER],
      [3000],
    ],
    [
      '429',
      refused(429),
      'the bot API asks to wait 1 s (429 Too Many Requests)',
      [KEPT],
      [1000, 1000, 1000],
    ],
    [
      '429 for 20 seconds',
      refused(429, '', { retry_after: 20 }),
      'the bot API asks to wait 20 s (429 Too Many Requests)',
      [KEPT],
      [20_000, 20_000, 20_000],
    ],
    [
      '429 for 20.1 seconds by the header',
      answer(429, 'no JSON', { 'retry-after': '20.1' }),
      'the bot API asks to wait 21 s (429 Too Many Requests)',
      [KEPT],
      [21_000, 21_000],
    ],
    [
      '429 for less than nothing',
      refused(429, '', { retry_after: -1 }),
      'the bot API asks to wait 1 s (429 Too Many Requests)',
      [KEPT],
      [1000, 1000, 1000],
    ],
    [
      '429 at once',
      refused(429, '', { retry_after: 0 }),
      'the bot API asks to wait 0 s (429 Too Many Requests)',
      [KEPT],
      [0, 0, 0],
    ],
    ['500', refused(500), 'the bot API failed: it answered 500', [KEPT], [1000]],
    [
      'a 200 that is no JSON',
      answer(200, '<html>'),
      'the bot API failed: its answer is not JSON',
      ['Check the input "telegram-api-url".', KEPT],
      [1000],
    ],
    [
      'a 200 that is a list',
      answer(200, []),
      'the bot API failed: its answer is not JSON',
      ['Check the input "telegram-api-url".', KEPT],
      [1000],
    ],
    [
      'no connection',
      new HttpFailure('connection', 'ECONNREFUSED'),
      'the bot API failed: no connection (ECONNREFUSED); host: api.telegram.example',
      ['Check the input "telegram-api-url", and whether a proxy is needed.', KEPT],
      [1000],
    ],
    ['499', refused(499), 'the bot API rejected the call (499)', [], []],
    [
      '400 with a description',
      refused(400, 'Bad\n \tRequest'),
      'the bot API rejected the call (400: Bad Request)',
      [],
      [],
    ],
    [
      'a description of 201 characters',
      refused(400, 'x'.repeat(201)),
      `the bot API rejected the call (400: ${'x'.repeat(200)})`,
      [],
      [],
    ],
    [
      'the token in a description',
      refused(400, `no ${TOKEN} here`),
      'the bot API rejected the call (400: no *** here)',
      [],
      [],
    ],
    [
      'a refusal in a 200',
      answer(200, { ok: false, error_code: 403, description: 'Forbidden' }),
      'the bot API rejected the call (403: Forbidden)',
      [],
      [],
    ],
    [
      'a refusal without a code',
      answer(200, { ok: false }),
      'the bot API rejected the call (200)',
      [],
      [],
    ],
    [
      'another code than the status',
      answer(403, { ok: true, error_code: 500 }),
      'the bot API rejected the call (403)',
      [],
      [],
    ],
    ['no list', ok({}), 'the response of the bot API to getUpdates contains no updates', [], []],
    [
      'a list with another value',
      ok([{ update_id: 1 }, { update_id: '2' }]),
      'the response of the bot API to getUpdates contains no updates',
      [],
      [],
    ],
    [
      'no result',
      answer(200, { ok: true }),
      'the response of the bot API to getUpdates contains no updates',
      [],
      [],
    ],
  ])('%s', async (_, given, message, notes, pauses) => {
    const at = polling({}, given)
    const [problem, ...others] = await problemsOf(at.poll())
    expect(others).toEqual([])
    expect({ notes: [], ...problem }).toEqual({ message, notes })
    expect(at.pauses).toEqual(pauses)
  })

  test.each<[string, Answer, string[]]>([
    [
      'its host',
      ok({ url: 'https://u:p@relay.example:8443/a?b' }),
      ['the webhook leads to relay.example:8443'],
    ],
    ['no URL', ok({ url: '' }), []],
    ['no object', ok([]), []],
    ['a fault', refused(400), []],
  ])('409 for a webhook, with %s', async (_, info, place) => {
    const at = polling({}, refused(409, ACTIVE), info)
    expect(await problemsOf(at.poll())).toEqual([
      {
        message: 'the bot has a webhook, so it cannot be polled (409 Conflict)',
        notes: [
          ...place,
          'Set "webhook: true" to receive its messages by that webhook,',
          'or remove the webhook by one call of the method deleteWebhook.',
        ],
      },
    ])
    expect(at.methods()).toEqual(['getUpdates', 'getWebhookInfo'])
    expect(at.pauses).toEqual([])
  })

  test('a bug is no fault of the bot API', async () => {
    const bug = new TypeError('a bug')
    await expect(polling({}, bug).poll()).rejects.toBe(bug)
  })

  test('the acknowledgement fails in the same way', async () => {
    const at = polling({}, refused(400, 'no'))
    expect(await problemsOf(at.acknowledge({ bot: '110201543', offset: 5 }))).toEqual([
      { message: 'the bot API rejected the call (400: no)', notes: [] },
    ])
  })
})

describe('a poll', () => {
  const update = (id: number, kind = 'message') => ({ update_id: id, [kind]: { text: `${id}` } })
  const page = (kind: string, from: number, count: number) =>
    ok(Array.from({ length: count }, (_, at) => update(from + at, kind)))

  test('is one request, with the token masked before', async () => {
    const at = polling({ wait: 7, updates: 'callback_query' }, ok([update(1)]))
    const { items, checks, messages, cursorBefore } = await at.poll()
    expect(items).toEqual([{ text: '1', update_id: 1 }])
    expect(checks).toEqual([{ option: 'updates', held: true, found: '1 new' }])
    expect(messages).toEqual([])
    expect([cursorBefore(0), cursorBefore(1)]).toEqual([undefined, { bot: '110201543', offset: 2 }])
    expect(at.masked).toEqual([TOKEN])
    expect(at.calls).toEqual([
      {
        method: 'POST',
        url: `https://api.telegram.example/bot${TOKEN}/getUpdates`,
        headers: { 'content-type': 'application/json' },
        body: '{"limit":100,"timeout":7,"allowed_updates":["message","channel_post","callback_query"]}',
        timeout: 27_000,
      },
    ])
  })

  test.each<[string, Json | undefined, number | undefined]>([
    ['its own', { bot: '110201543', offset: 5 }, 5],
    ['that of another bot', { bot: '1', offset: 5 }, undefined],
    ['one without a number', { bot: '110201543', offset: '5' }, undefined],
    ['a list', [5], undefined],
    ['none', undefined, undefined],
  ])('begins at the cursor if it is %s', async (_, cursor, offset) => {
    const at = polling({}, ok([]))
    expect((await at.poll(cursor)).cursorBefore(0)).toBeUndefined()
    expect(JSON.parse(String(at.calls[0]?.body)).offset).toBe(offset)
    if (cursor === undefined) return
    await at.acknowledge(cursor)
    expect(at.calls.slice(1).map(({ body }) => JSON.parse(String(body)))).toEqual(
      offset === undefined
        ? []
        : [{ offset, limit: 1, timeout: 0, allowed_updates: ['message', 'channel_post'] }],
    )
  })

  test('passes pages without an item, and counts by option what it ignores', async () => {
    const other = { ...update(7), message: { chat: { id: 6 }, text: 'x' } }
    const at = polling({ chats: 5 }, page('edited_message', 1, 2), ok([other]), ok([]))
    const { items, checks, cursorBefore } = await at.poll()
    expect(items).toEqual([])
    expect(checks).toEqual([
      { option: 'updates', held: false, found: 'nothing new, 3 ignored (updates 2, chats 1)' },
    ])
    expect(at.calls.map(({ body }) => JSON.parse(String(body)).offset)).toEqual([undefined, 3, 8])
    expect(cursorBefore(0)).toBeUndefined()
  })

  test('cuts before an item, behind what is ignored in front of it', async () => {
    const at = polling({}, ok([update(1), update(2, 'edited_message'), update(3)]))
    const { items, checks, cursorBefore } = await at.poll()
    expect(items.map(({ update_id }) => update_id)).toEqual([1, 3])
    expect(checks).toEqual([
      { option: 'updates', held: true, found: '2 new, 1 ignored (updates 1)' },
    ])
    expect([0, 1, 2].map((index) => cursorBefore(index))).toEqual([
      undefined,
      { bot: '110201543', offset: 3 },
      { bot: '110201543', offset: 4 },
    ])
  })

  test('waits no longer than it may, over all pages', async () => {
    const at = polling(
      { wait: 30 },
      page('edited_message', 1, 1),
      page('edited_message', 2, 1),
      ok([]),
    )
    let now = 0
    const ports = {
      ...at.ports,
      now: () => now,
      http: async (request: HttpRequest) => {
        now += 20_500
        return at.ports.http(request)
      },
    }
    await bound('messaging_bot', { token: TOKEN, wait: 30 }).poll?.(ports)
    expect(
      at.calls.map(({ body, timeout }) => [JSON.parse(String(body)).timeout, timeout]),
    ).toEqual([
      [30, 50_000],
      [9, 29_000],
      [0, 20_000],
    ])
  })

  test('passes 100 pages at most', async () => {
    const at = polling({}, page('edited_message', 1, 1))
    await at.poll()
    expect(at.calls).toHaveLength(101)
  })
})

describe('an update that Telegram sends', () => {
  const sent = (options: object, message: object, headers = {}) =>
    receive(bound('messaging_bot', { webhook: true, ...options }), {
      headers,
      body: JSON.stringify(message),
    })
  const message = { update_id: 1, message: { text: 'hi', chat: { id: 5 }, from: { id: 6 } } }
  const held = (option: string, found: string) => ({ option, held: true, found })
  const missed = (option: string, found: string) => ({ option, held: false, found })
  const HEADER = 'x-telegram-bot-api-secret-token'

  test.each<[string, object, object, object[]]>([
    [
      'a message',
      {},
      message,
      [
        held('updates', 'message'),
        held('event', 'any message type'),
        held('chats', 'anyone'),
        held('users', 'anyone'),
      ],
    ],
    [
      'a message on the lists',
      { event: 'text', chats: [4, 5], users: 6 },
      message,
      [
        held('updates', 'message'),
        held('event', 'text'),
        held('chats', 'on the list'),
        held('users', 'on the list'),
      ],
    ],
    [
      'a message of another type',
      { event: ['photo', 'video'], chats: 4, users: 5 },
      message,
      [
        held('updates', 'message'),
        missed('event', 'text is not among photo, video'),
        missed('chats', 'not on the list'),
        missed('users', 'not on the list'),
      ],
    ],
    [
      'a message of an unknown type without a chat',
      { event: 'text', chats: 4, users: 4 },
      { update_id: 1, message: {} },
      [
        held('updates', 'message'),
        missed('event', 'an unknown type is not among text'),
        missed('chats', 'not on the list'),
        missed('users', 'not on the list'),
      ],
    ],
    [
      'another kind',
      { updates: 'callback_query', event: 'text' },
      { update_id: 1, poll: {} },
      [
        missed('updates', 'poll is not among message, channel_post, callback_query'),
        held('event', 'any message type'),
        held('chats', 'anyone'),
        held('users', 'anyone'),
      ],
    ],
    [
      'an unknown kind',
      { event: 'text' },
      { update_id: 1, telepathy: {} },
      [
        missed('updates', 'an unknown kind is not among message, channel_post'),
        held('event', 'any message type'),
        held('chats', 'anyone'),
        held('users', 'anyone'),
      ],
    ],
    ['no update', {}, { message: {} }, [missed('webhook', 'the body is not an update of a bot')]],
    [
      'an id that is no whole number',
      {},
      { ...message, update_id: 1.5 },
      [missed('webhook', 'the body is not an update of a bot')],
    ],
    ['a list', {}, [], [missed('webhook', 'the body is not an update of a bot')]],
  ])('%s', async (_, options, body, checks) => {
    const found = await sent(options, body)
    expect(found.checks).toEqual(checks)
    expect(found.items).toHaveLength(checks.every((check) => 'held' in check && check.held) ? 1 : 0)
  })

  test.each<[object, object[], string | undefined]>([
    [
      {},
      [{ ...missed('secretToken', `the header ${HEADER} is missing`), isAbsent: true }],
      `secretToken: the header ${HEADER} is missing`,
    ],
    [
      { [HEADER]: 'x' },
      [missed('secretToken', `does not match the header ${HEADER}`)],
      `secretToken: does not match the header ${HEADER}`,
    ],
    [
      { [HEADER]: 's3cret' },
      [
        held('secretToken', `matches the header ${HEADER}`),
        held('updates', 'message'),
        held('event', 'any message type'),
        held('chats', 'on the list'),
        held('users', 'anyone'),
      ],
      undefined,
    ],
  ])('with a secret token and %j', async (headers, checks, text) => {
    const found = await sent({ secretToken: 's3cret', chats: 5 }, message, headers)
    expect(found).toEqual({
      checks,
      items: text === undefined ? [{ ...message.message, update_id: 1 }] : [],
      messages: text === undefined ? [] : [{ level: 'warning', code: 'unverified', text }],
    })
  })

  test.each([
    [{ users: 6, chats: 5 }, 'users'],
    [{ chats: 5 }, 'chats'],
  ])('with %j warns without a secret token', async (options, option) => {
    const { messages } = await sent(options, message)
    expect(messages).toEqual([
      {
        level: 'warning',
        code: 'unverified-allowlist',
        text: `"${option}" without "secretToken" protects nothing: anyone who knows the URL can send any id. Give setWebhook a secret_token, and the same to "secretToken"`,
      },
    ])
  })

  test.each<[object, object]>([
    [
      { text: '/deploy@my_bot now ', entities: [{ type: 'bot_command', offset: 0, length: 14 }] },
      { command: '/deploy', command_args: 'now', command_bot: 'my_bot' },
    ],
    [
      { caption: '/scan', caption_entities: [{ type: 'bot_command', offset: 0, length: 5 }] },
      { command: '/scan', command_args: '', command_bot: '' },
    ],
    [{ text: 'x', caption: '/a', entities: [{ type: 'bot_command', offset: 0, length: 0 }] }, {}],
    [{ text: '/a', entities: [{ type: 'bot_command', offset: 0 }] }, {}],
    [{ text: '/a', entities: [{ type: 'url', offset: 0, length: 2 }] }, {}],
    [{ text: 'x /a', entities: [null, { type: 'bot_command', offset: 2, length: 2 }] }, {}],
    [{ text: '/a', entities: 'none' }, {}],
    [{ caption: 5, caption_entities: [{ type: 'bot_command', offset: 0, length: 2 }] }, {}],
  ])('as a message %j has the command %j', async (content, command) => {
    const { items } = await sent({}, { update_id: 1, message: content })
    expect(items).toEqual([{ ...content, ...command, update_id: 1 }])
    const other = await sent({ updates: 'poll' }, { update_id: 1, poll: content })
    expect(other.items).toEqual([{ ...content, update_id: 1, update_type: 'poll' }])
  })

  test.each<[string, object, object, string[]]>([
    ['the old chat', { chat: { id: -1 }, migrate_to_chat_id: -100 }, { chats: -1 }, ['-1', '-100']],
    [
      'the new chat',
      { chat: { id: -100 }, migrate_from_chat_id: '-1' },
      { chats: -1 },
      ['-1', '-100'],
    ],
    [
      'the new chat, which is on the list',
      { chat: { id: -100 }, migrate_from_chat_id: -1 },
      { chats: [-1, -100] },
      [],
    ],
    ['another chat', { chat: { id: -2 }, migrate_to_chat_id: -100 }, { chats: -1 }, []],
    ['an id that is none', { chat: { id: -1 }, migrate_to_chat_id: '-100x' }, { chats: -1 }, []],
    [
      'another id that is none',
      { chat: { id: -1 }, migrate_to_chat_id: 'x-100' },
      { chats: -1 },
      [],
    ],
    ['no chat', { migrate_to_chat_id: -100 }, { chats: -1 }, []],
    ['no list', { chat: { id: -1 }, migrate_to_chat_id: -100 }, {}, []],
  ])('tells the id of a supergroup: %s', async (_, content, options, ids) => {
    const { messages = [] } = await sent(
      { ...options, secretToken: 's' },
      { update_id: 1, message: content },
      { [HEADER]: 's' },
    )
    const [from, to] = ids
    const text = `the group ${from} became a supergroup with another id. Write ${to} into "chats"`
    expect(messages).toEqual(ids.length > 0 ? [{ level: 'warning', code: 'moved-chat', text }] : [])
  })

  test('is refused by a bot that polls', async () => {
    const trigger = bound('messaging_bot', { token: TOKEN })
    expect(await receive(trigger, { body: JSON.stringify(message) })).toEqual({
      checks: [missed('webhook', 'is not true: messages are polled')],
      items: [],
    })
    expect(trigger.takesWebhooks).toBe(false)
    expect(trigger.pollDisabledReason).toBeUndefined()
  })

  test('needs no poll', () => {
    const trigger = bound('messaging_bot', { webhook: true, updates: 'poll' })
    expect(trigger).toMatchObject({
      takesWebhooks: true,
      poll: undefined,
      pollDisabledReason: 'webhook is true: Telegram sends the messages, so there is no poll',
      updates: ['poll'],
      signatures: [],
    })
    const secretToken = 's3cret'
    expect(bound('messaging_bot', { webhook: true, secretToken }).signatures).toEqual([
      { scheme: 'telegram', secret: new Secret(secretToken), url: undefined },
    ])
  })
})

describe('a call that must not be repeated', () => {
  test.each<[string, Answer, number]>([
    ['429', refused(429), 4],
    ['409', refused(409, CONFLICT), 1],
    ['500', refused(500), 1],
    ['no connection', new HttpFailure('timeout', 'aborted'), 1],
  ])('is repeated after %s only if nothing was done', async (_, given, calls) => {
    const at = server(given)
    const outcome = await callBotOnce(at.bot, 'sendMessage', { parameters: { a: 1 } })
    expect('fault' in outcome).toBe(true)
    expect(at.calls).toHaveLength(calls)
  })

  test.each<[object, object]>([
    [{ migrate_to_chat_id: -100 }, { migratedTo: -100 }],
    [{ migrate_to_chat_id: '-1001234567890123456' }, { migratedTo: '-1001234567890123456' }],
    [{ migrate_to_chat_id: {} }, {}],
  ])('has a fault with its description, and with %j', async (parameters, more) => {
    const at = server(refused(400, 'moved', parameters))
    const form = { headers: { a: 'b' }, body: 'c' }
    expect(await callBotOnce(at.bot, 'sendMessage', { form })).toEqual({
      fault: {
        kind: 'refused',
        message: 'the bot API rejected the call (400: moved)',
        notes: [],
        pause: undefined,
        description: 'moved',
        ...more,
      },
    })
    expect(at.calls).toMatchObject([{ headers: { a: 'b' }, body: 'c', timeout: 20_000 }])
  })

  test('has a result', async () => {
    expect(await callBotOnce(server(ok({ a: 1 })).bot, 'getMe', { parameters: {} })).toEqual({
      result: { a: 1 },
    })
    const at = server(ok(true))
    await deleteWebhook(at.bot)
    expect(at.calls.map(({ url, body }) => [url.replace(/.*\//, ''), body])).toEqual([
      ['deleteWebhook', '{}'],
    ])
    expect(setWebhookBody({ url: 'u', secretToken: undefined, updates: ['poll'] })).toStrictEqual({
      url: 'u',
      allowed_updates: ['message', 'channel_post', 'poll'],
    })
    expect(setWebhookBody({ url: 'u', secretToken: 's', updates: [] })).toStrictEqual({
      url: 'u',
      secret_token: 's',
      allowed_updates: ['message', 'channel_post'],
    })
    expect(await registeredUrl(server(ok({ url: 'https://a.example/b#c?d\n' })).bot)).toBe(
      'https://a.example/b',
    )
  })
})
