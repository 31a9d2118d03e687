import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Api } from 'grammy'
import { ChatStandIn, fired, replyWith } from '../../support/chats.ts'
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

  test('a chat that became a supergroup is followed', async () => {
    telegram.faults.push(
      refused(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -1009 }),
    )
    expect((await answer({})).id).toBe('4711')
    expect(telegram.calls.map((_, at) => telegram.body(at).chat_id)).toEqual([-100123, -1009])
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
    ['a document', 'report.pdf', 'sendDocument', 'document'],
    ['a picture', 'out/chart.png', 'sendPhoto', 'photo'],
  ])('%s', async (_, path, method, field) => {
    await answer({ file: path }, MESSAGE, { [path]: 'bytes' })
    expect(methods()).toEqual([method])
    const name = path.split('/').at(-1)
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
