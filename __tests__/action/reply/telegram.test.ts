import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Api } from 'grammy'
import type { ApiMethods } from 'grammy/types'
import { placeOf, UPDATE_KINDS } from '../../../src/triggers/messaging-bot/places.ts'
import { ChatStandIn, fired, replyWith } from '../../support/chats.ts'
import { UPDATES } from '../../support/messages.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

/** The server of the Bot API: every method responds with a message. */
const bot = () => new ChatStandIn(() => ({ body: { ok: true, result: { message_id: 4711 } } }))

const refused = (error_code: number, description: string, parameters = {}) => ({
  status: error_code,
  body: { ok: false, error_code, description, parameters },
})

let telegram: ChatStandIn
beforeEach(async () => {
  telegram = await bot().start()
})
afterEach(() => telegram.stop())

const MESSAGE = { message_id: 5, chat: { id: -100123, type: 'supergroup' }, text: 'hello' }
const PRESS = { id: '77', chat_instance: '1', data: 'yes', message: MESSAGE }

function answer(more: Record<string, string>, item: unknown = MESSAGE, files = {}) {
  const own = { token: BOT_TOKEN, 'telegram-api-url': telegram.url, text: 'done' }
  return replyWith({ to: fired('messaging_bot', item), ...own, ...more }, { files })
}

const methods = () => telegram.paths.map((path) => path.split('/').at(-1))

describe('where a message is answered', () => {
  test.each([
    ['a message', MESSAGE, {}],
    [
      'a topic of a forum',
      { ...MESSAGE, message_thread_id: 9, is_topic_message: true },
      { message_thread_id: 9 },
    ],
    ['a chain of replies', { ...MESSAGE, message_thread_id: 9 }, {}],
    [
      'a message to a business',
      { ...MESSAGE, business_connection_id: 'b1' },
      { business_connection_id: 'b1' },
    ],
  ])('%s', async (_, item, more) => {
    const { id, masked } = await answer({}, item)
    expect({ id, masked }).toEqual({ id: '4711', masked: [BOT_TOKEN] })
    const reply_parameters = { message_id: 5, allow_sending_without_reply: true }
    expect(telegram.body(0)).toEqual({ chat_id: -100123, text: 'done', reply_parameters, ...more })
    expect(telegram.paths).toEqual([`POST /bot${BOT_TOKEN}/sendMessage`])
  })

  test('a chat that became a supergroup is followed, and its new id is told', async () => {
    telegram.faults.push(
      refused(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -1009 }),
    )
    const { id, notices } = await answer({})
    expect([id, notices]).toEqual(['4711', [expect.stringMatching(/write -1009 into it/)]])
    expect(telegram.calls.map((_, at) => telegram.body(at).chat_id)).toEqual([-100123, -1009])
  })
})

/** The parameters of a method as the types of the Bot API declare them. */
type Args<Method extends keyof ApiMethods> = Parameters<ApiMethods[Method]>[0]

describe('a message to a channel', () => {
  const item = {
    ...{ message_id: 5, chat: { id: -1007, type: 'supergroup', is_direct_messages: true } },
    ...{ from: { id: 7001 }, direct_messages_topic: { topic_id: 31, user: { id: 7001 } } },
  }

  test('is answered in its topic', async () => {
    await answer({}, item)
    const wanted: Args<'sendMessage'> = {
      ...{ chat_id: -1007, direct_messages_topic_id: 31, text: 'done' },
      reply_parameters: { message_id: 5, allow_sending_without_reply: true },
    }
    expect(telegram.body(0)).toEqual(wanted)
  })
})

describe('a message to a business', () => {
  const item = { ...MESSAGE, business_connection_id: 'b1' }

  test.each([
    ['an edit', { edit: '42' }, {}, 'editMessageText'],
    ['an edit with a file', { edit: '42', file: 'a.txt' }, { 'a.txt': 'x' }, 'editMessageMedia'],
    ['a file', { file: 'a.txt' }, { 'a.txt': 'x' }, 'sendDocument'],
    ['a rich message', { format: 'markdown', text: '# a' }, {}, 'sendRichMessage'],
  ])('names the connection in %s', async (_, more, files, method) => {
    await answer(more, item, files)
    expect(methods()).toEqual([method])
    expect(telegram.body(0).business_connection_id).toBe('b1')
  })

  test('names it in the edit of a caption', async () => {
    telegram.faults.push(refused(400, 'Bad Request: there is no text in the message to edit'))
    await answer({ edit: '42' }, item)
    expect(methods()).toEqual(['editMessageText', 'editMessageCaption'])
    expect(telegram.body(1).business_connection_id).toBe('b1')
  })
})

describe('a guest message', () => {
  const item = {
    ...{ message_id: 77, guest_query_id: 'gq-555', chat: { id: -1009, type: 'supergroup' } },
    ...{ from: { id: 7001 }, text: '@my_bot deploy' },
  }

  beforeEach(async () => {
    await telegram.stop()
    telegram = await new ChatStandIn(() => ({
      body: { ok: true, result: { inline_message_id: 'AAIh_x' } },
    })).start()
  })

  test('is answered by its query, and the id is that of the inline message', async () => {
    const { id } = await answer({ buttons: '[Yes](yes)', format: 'markdown', text: '**a**' }, item)
    expect([id, methods()]).toEqual(['AAIh_x', ['answerGuestQuery']])
    const wanted: Args<'answerGuestQuery'> = {
      guest_query_id: 'gq-555',
      result: {
        ...{ type: 'article', id: '1', title: 'Reply' },
        input_message_content: { message_text: '<b>a</b>', parse_mode: 'HTML' },
        reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
      },
    }
    expect(telegram.body(0)).toEqual(wanted)
  })

  test('is answered by a rich message, or by an ordinary one', async () => {
    telegram.faults.push(refused(400, 'Bad Request: RICH_MESSAGE_INVALID'))
    await answer({ format: 'markdown', text: '# a' }, item)
    const contents = telegram.calls.map((_, at) => telegram.body(at).result)
    expect(contents).toMatchObject([
      { input_message_content: { rich_message: { markdown: '# a' } } },
      { input_message_content: { message_text: '<b>a</b>' } },
    ])
  })

  test('is answered by one message, which is cut with a note', async () => {
    await answer({ text: 'a line of text\n'.repeat(1_000) }, item)
    expect(methods()).toEqual(['answerGuestQuery'])
    expect(JSON.stringify(telegram.body(0))).toMatch(/cut: 15000 characters in all/)
  })

  test('is changed by that id', async () => {
    const { id } = await answer({ edit: 'AAIh_x' }, item)
    const wanted: Args<'editMessageText'> = { inline_message_id: 'AAIh_x', text: 'done' }
    expect([id, methods(), telegram.body(0)]).toEqual(['AAIh_x', ['editMessageText'], wanted])
  })

  test('a button below the answer has no chat, and its message can be changed', async () => {
    const press = { id: '1', chat_instance: '2', from: { id: 7001 }, inline_message_id: 'AAIh_x' }
    await answer({ edit: 'AAIh_x' }, press)
    expect(methods()).toEqual(['answerCallbackQuery', 'editMessageText'])
    const refused = answer({ 'fail-on-error': 'true' }, press)
    await expect(refused).rejects.toThrow(/without a chat/)
  })

  test.each([
    ['a file', { file: 'a.txt' }, /cannot contain a file/],
    ['ephemeral', { ephemeral: 'true' }, /cannot be ephemeral/],
  ])('%s is an error', async (_, more, words) => {
    const refused = answer({ ...more, 'fail-on-error': 'true' }, item, { 'a.txt': 'x' })
    await expect(refused).rejects.toThrow(words)
    expect(telegram.calls).toEqual([])
  })
})

describe('an ephemeral reply', () => {
  const group = { id: -1001234567890, type: 'supergroup' }
  const command = {
    ...{
      message_id: 0,
      ephemeral_message_id: 31,
      chat: group,
      from: { id: 7001 },
      text: '/status',
    },
  }
  const message = { message_id: 5, chat: group, from: { id: 7001 } }

  beforeEach(async () => {
    await telegram.stop()
    telegram = await new ChatStandIn(() => ({
      body: { ok: true, result: { message_id: 0, ephemeral_message_id: 32 } },
    })).start()
  })

  test.each([
    ['to a command that only the bot sees', {}, command],
    ['to a message, if the input says so', { ephemeral: 'true' }, message],
  ])('%s goes to the person alone', async (_, more, item) => {
    const { id } = await answer(more, item)
    const wanted: Args<'sendMessage'> = {
      ...{ chat_id: group.id, text: 'done' },
      ephemeral_message_parameters: { receiver_user_id: 7001 },
    }
    expect([id, methods(), telegram.body(0)]).toEqual(['ephemeral-32', ['sendMessage'], wanted])
  })

  test('is changed by its id', async () => {
    await answer({ edit: 'ephemeral-32' }, command)
    expect(methods()).toEqual(['editEphemeralMessageText'])
    const wanted: Args<'editEphemeralMessageText'> = {
      ...{ chat_id: group.id, receiver_user_id: 7001, ephemeral_message_id: 32, text: 'done' },
    }
    expect(telegram.body(0)).toEqual(wanted)
  })

  test('is public if the input says so, and refers to no message', async () => {
    await answer({ ephemeral: 'false' }, command)
    expect(telegram.body(0)).toEqual({ chat_id: group.id, text: 'done' })
  })

  test('is an ordinary message in a private chat', async () => {
    await answer({ ephemeral: 'true' }, { ...message, chat: { id: 7001, type: 'private' } })
    expect(telegram.body(0)).not.toHaveProperty('ephemeral_message_parameters')
  })

  test.each([
    'Bad Request: EPHEMERAL_TIMEOUT',
    'Bad Request: message thread not found',
    'Bad Request: message to be replied not found',
  ])('that Telegram refuses (%s) is never sent in public', async (said) => {
    telegram.faults.push(refused(400, said), refused(400, said))
    const { warnings } = await answer(
      { format: 'markdown', text: '# a', 'thread-gone': 'send' },
      command,
    )
    expect(warnings).toEqual([expect.stringMatching(/an administrator of the chat/)])
    for (const { body } of telegram.calls)
      expect(body).toHaveProperty('ephemeral_message_parameters')
  })
})

describe('a thread that is gone', () => {
  const item = { ...MESSAGE, message_thread_id: 12, is_topic_message: true }
  const gone = refused(400, 'Bad Request: message thread not found')
  const long = { text: 'a line of text\n'.repeat(500) }

  test('the reply goes into the chat once, with a notice', async () => {
    telegram.faults.push(gone)
    const { id, notices, warnings } = await answer(long, item)
    expect({ id, warnings }).toEqual({ id: '4711', warnings: [] })
    expect(notices).toEqual([expect.stringMatching(/thread is gone/)])
    const threads = telegram.calls.map((_, at) => telegram.body(at).message_thread_id)
    expect(threads).toEqual([12, undefined, undefined])
    expect(telegram.body(1)).not.toHaveProperty('reply_parameters')
  })

  test('the reply fails if the input says so', async () => {
    telegram.faults.push(gone)
    const { warnings } = await answer({ 'thread-gone': 'fail' }, item)
    expect(warnings).toEqual([expect.stringMatching(/thread not found[\s\S]*thread-gone: send/)])
    expect(telegram.calls).toHaveLength(1)
  })

  test('a message that is gone leaves the thread', async () => {
    telegram.faults.push(refused(400, 'Bad Request: message to be replied not found'))
    await answer({}, item)
    expect(telegram.body(1)).toMatchObject({ message_thread_id: 12 })
    expect(telegram.body(1)).not.toHaveProperty('reply_parameters')
  })

  test('another fault is not tried again', async () => {
    telegram.faults.push(refused(400, 'Bad Request: chat not found'))
    expect((await answer({}, item)).warnings).toHaveLength(1)
    expect(telegram.calls).toHaveLength(1)
  })
})

describe('each kind of update', () => {
  test.each(UPDATE_KINDS)('%s is answered as the table says', async (kind) => {
    const item = { ...UPDATES[kind], update_id: 1, update_type: kind }
    const { warnings } = await answer({}, item)
    const { reply } = placeOf(kind)
    const method = methods().at(-1)
    expect([warnings.length, method]).toEqual(reply === undefined ? [1, undefined] : [0, reply])
  })
})

describe('a button that was pressed', () => {
  test('ends its spinner, and is answered in the chat', async () => {
    expect((await answer({}, PRESS)).id).toBe('4711')
    expect(methods()).toEqual(['answerCallbackQuery', 'sendMessage'])
    expect(telegram.body(0)).toEqual({ callback_query_id: '77' })
  })

  test('that is too old for that is answered all the same', async () => {
    telegram.faults.push(refused(400, 'Bad Request: query is too old and response timeout expired'))
    expect(await answer({}, PRESS)).toMatchObject({ id: '4711', warnings: [] })
  })
})

describe('how a text is written', () => {
  test.each([
    ['plain', 'a *b* <c>', { text: 'a *b* <c>' }],
    [
      'markdown',
      '**bold** *it* `x<y` [a&b](https://x.example/?a=1&b=2) <b>no</b>\n- one',
      {
        text: '<b>bold</b> <i>it</i> <code>x&lt;y</code> <a href="https://x.example/?a=1&amp;b=2">a&amp;b</a> &lt;b&gt;no&lt;/b&gt;\n• one',
        parse_mode: 'HTML',
      },
    ],
    ['html', '<b>x</b>', { text: '<b>x</b>', parse_mode: 'HTML' }],
    ['raw', '*x*', { text: '*x*', parse_mode: 'MarkdownV2' }],
  ])('%s', async (format, text, said) => {
    await answer({ format, text, silent: 'true' })
    expect(telegram.body(0)).toMatchObject({ ...said, disable_notification: true })
    expect('parse_mode' in telegram.body(0)).toBe('parse_mode' in said)
  })

  test('a text longer than a message becomes several, split at lines', async () => {
    const lines = Array.from({ length: 120 }, (_, at) => `${at} ${'x'.repeat(60)}`)
    await answer({ text: lines.join('\n') })
    expect(methods()).toEqual(['sendMessage', 'sendMessage'])
    const said = [0, 1].map((at) => String(telegram.body(at).text))
    expect(said.join('\n')).toBe(lines.join('\n'))
    expect(said.every((text) => text.length <= 4096)).toBe(true)
  })

  test('a text longer than five messages becomes a file', async () => {
    const text = 'line\n'.repeat(6_000)
    await answer({ text })
    expect(methods()).toEqual(['sendDocument'])
    expect(telegram.body(0).document).toBe(`reply.txt: ${text}`)
    expect(String(telegram.body(0).caption)).toMatch(/30000 characters in all: see the file/)
  })
})

describe('a text that five messages cannot hold', () => {
  const LINE = 'a line of sixty characters, which is repeated many times over\n'
  const text = LINE.repeat(400)
  const note = `… (${text.length} characters in all: see the file)`

  test.each([
    ['plain', 'reply.txt', LINE.repeat(13).trimEnd(), undefined],
    ['markdown', 'reply.md', `${LINE.repeat(13)}${LINE.slice(0, 50)}`, 'HTML'],
    ['html', 'reply.html', LINE.repeat(13).trimEnd(), 'HTML'],
    ['raw', 'reply.txt', LINE.repeat(13).trimEnd(), 'MarkdownV2'],
  ])('%s is the file %s, with its start as the caption', async (format, name, start, mode) => {
    await answer({ format, text })
    expect(methods()).toEqual(['sendDocument'])
    const { caption, ...others } = telegram.body(0)
    // A form has its own line breaks.
    expect(String(caption).replaceAll('\r', '')).toBe(`${start}\n${note}`)
    expect(others).toEqual({
      ...{ chat_id: '-100123', document: `${name}: ${text}` },
      reply_parameters: '{"message_id":5,"allow_sending_without_reply":true}',
      ...(mode && { parse_mode: mode }),
    })
  })

  test('with another file is cut in the fifth message, before the file and its buttons', async () => {
    await answer({ text, file: 'a.txt', buttons: '[a](b)' }, MESSAGE, { 'a.txt': 'x' })
    expect(methods()).toEqual([...Array(5).fill('sendMessage'), 'sendDocument'])
    const said = [0, 1, 2, 3, 4].map((at) => String(telegram.body(at).text))
    const cut = `\n… (cut: ${text.length} characters in all)`
    expect(said.at(-1)?.endsWith(cut)).toBe(true)
    expect(text.startsWith(said.join('\n').slice(0, -cut.length))).toBe(true)
    expect(said.every((one) => one.length <= 4096)).toBe(true)
    expect(telegram.calls.map(({ body }) => Object(body).reply_markup)).toEqual([
      ...Array(5).fill(undefined),
      '{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}',
    ])
  })

  test('changes the first message alone', async () => {
    await answer({ text: LINE.repeat(100), edit: '42', buttons: '[a](b)' })
    expect(methods()).toEqual(['editMessageText', 'sendMessage'])
    expect([telegram.body(0).reply_markup, telegram.body(1).message_id]).toEqual([
      ...[undefined, undefined],
    ])
  })
})

describe('an answer that is changed', () => {
  test('keeps its id', async () => {
    expect((await answer({ edit: '42' })).id).toBe('4711')
    expect(telegram.body(0)).toEqual({ chat_id: -100123, message_id: '42', text: 'done' })
    expect(methods()).toEqual(['editMessageText'])
  })

  test('is quiet where it said that before, as in a re-run', async () => {
    const same =
      'Bad Request: message is not modified: specified new message content and reply markup are exactly the same'
    telegram.faults.push(refused(400, same))
    expect(await answer({ edit: '42' })).toMatchObject({ id: '42', warnings: [] })
  })

  test('and has a file is given another caption', async () => {
    telegram.faults.push(refused(400, 'Bad Request: there is no text in the message to edit'))
    await answer({ edit: '42' })
    expect(methods()).toEqual(['editMessageText', 'editMessageCaption'])
  })
})

describe('files', () => {
  test.each([
    ['a document', 'report.pdf', 'report.pdf', 'sendDocument', 'document'],
    ['a picture', 'out/chart.png', 'chart.png', 'sendPhoto', 'photo'],
    ['a document of Windows', 'D:\\a\\out\\report.pdf', 'report.pdf', 'sendDocument', 'document'],
  ])('%s', async (_, path, name, method, field) => {
    await answer({ file: path }, MESSAGE, { [path]: 'bytes' })
    expect(methods()).toEqual([method])
    expect(telegram.body(0)).toMatchObject({ [field]: `${name}: bytes`, caption: 'done' })
  })

  test('a picture that is none for the server is a document', async () => {
    telegram.faults.push(refused(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS'))
    await answer({ file: 'x.png' }, MESSAGE, { 'x.png': 'bytes' })
    expect(methods()).toEqual(['sendPhoto', 'sendDocument'])
  })

  test('a text that is too long for a caption goes before it', async () => {
    await answer({ file: 'a.txt', text: 'x'.repeat(2_000) }, MESSAGE, { 'a.txt': 'bytes' })
    expect(methods()).toEqual(['sendMessage', 'sendDocument'])
    expect(telegram.body(1)).not.toHaveProperty('caption')
  })

  test('one that is not there is told', async () => {
    await expect(answer({ file: 'none.txt', 'fail-on-error': 'true' })).rejects.toThrow(
      /does not exist/,
    )
  })
})

test('buttons are a keyboard', async () => {
  await answer({ buttons: '[Approve](approve:42) [Reject](reject:42)\n[Open](https://x.example)' })
  expect(telegram.body(0).reply_markup).toEqual({
    inline_keyboard: [
      [
        { text: 'Approve', callback_data: 'approve:42' },
        { text: 'Reject', callback_data: 'reject:42' },
      ],
      [{ text: 'Open', url: 'https://x.example' }],
    ],
  })
})

describe('rejected replies', () => {
  test('429 is obeyed for up to a minute', async () => {
    telegram.faults.push(refused(429, 'Too Many Requests', { retry_after: 30 }))
    expect(await answer({})).toMatchObject({ id: '4711', slept: [30_000] })
    telegram.faults.push(refused(429, 'Too Many Requests', { retry_after: 61 }))
    expect((await answer({})).warnings[0]).toMatch(/asks to wait 61 s/)
  })

  test.each([
    [
      'a bot that was blocked',
      403,
      'Forbidden: bot was blocked by the user',
      /to write in this chat/,
    ],
    ['a markup of its own that is broken', 400, "Bad Request: can't parse entities", /"markdown"/],
    ['a token that was revoked', 401, 'Unauthorized', /revoked/],
  ])('%s is a warning, or fails where the reply is required', async (_, code, said, words) => {
    telegram.faults.push(refused(code, said), refused(code, said))
    expect((await answer({ format: 'raw' })).warnings).toEqual([expect.stringMatching(words)])
    await expect(answer({ format: 'raw', 'fail-on-error': 'true' })).rejects.toThrow()
  })

  test('an answer that may have arrived is not sent twice', async () => {
    telegram.faults.push({ status: 502, body: 'Bad Gateway' })
    expect((await answer({})).warnings).toHaveLength(1)
    expect(telegram.calls).toHaveLength(1)
  })

  test.each([
    ['a token that is none', { token: 'hunter2' }, /not a valid bot token/],
    ['a value of 65 bytes', { buttons: `[a](${'x'.repeat(65)})` }, /has 65 bytes/],
    ['a line that is no row', { buttons: 'Approve' }, /line 1: invalid syntax/],
    ['an unknown format', { format: 'markdwon' }, /"format" has an unknown value "markdwon"/],
    ['a switch that is neither', { silent: 'yes' }, /"silent" has an unknown value/],
    ['a reply to one person, without a person', { ephemeral: 'true' }, /to no person/],
  ])('%s is an error of the step', async (_, more, words) => {
    await expect(answer({ ...more, 'fail-on-error': 'true' })).rejects.toThrow(words)
    expect(telegram.calls).toEqual([])
  })
})

describe("grammY, its users' client, sends the same", () => {
  const api = () => new Api(BOT_TOKEN, { apiRoot: telegram.url })
  const reply_parameters = { message_id: 5, allow_sending_without_reply: true }
  const reply_markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] }

  test.each([
    [
      'a text with buttons',
      { format: 'markdown', text: '**x**', buttons: '[Yes](yes)', silent: 'true' },
      () =>
        api().sendMessage(-100123, '<b>x</b>', {
          ...{ reply_parameters, disable_notification: true },
          ...{ parse_mode: 'HTML', reply_markup },
        }),
    ],
    ['an edit', { edit: '42' }, () => api().editMessageText(-100123, 42, 'done')],
  ])('%s', async (_, more, call) => {
    await answer(more)
    await call()
    const [ours, theirs] = [telegram.body(0), telegram.body(1)].map(asTexts)
    expect(methods()[0]).toBe(methods()[1])
    expect(ours).toEqual(theirs)
  })
})

/** Strings may represent numbers. */
function asTexts(body: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, JSON.stringify(value).replaceAll('"', '')]),
  )
}

test.each([
  ['', true],
  ['send', true],
  ['fail', false],
])(
  'with thread-gone %j, a reply without its deleted message is allowed: %s',
  async (gone, allowed) => {
    await answer({ 'thread-gone': gone })
    expect(telegram.body(0).reply_parameters).toEqual({
      message_id: 5,
      allow_sending_without_reply: allowed,
    })
  },
)
