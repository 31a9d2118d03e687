import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { http } from '../../../src/action/http-client.ts'
import { UserError } from '../../../src/wire/errors.ts'
import { botPorts, botWorkflow, POLL, runMain, runPost } from '../../support/bot-run.ts'
import { textMessage } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'
import { type Fault, tooManyRequests } from '../../support/telegram-answers.ts'

let telegram: TelegramStandIn
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(() => telegram.stop())

/** The result of a poll: the error with its notes, or the number of items. */
async function outcome(ports = quickPorts(), token = BOT_TOKEN) {
  const workflow = botWorkflow(POLL, { BOT: token })
  const run = await runMain(workflow, ports).catch((error: unknown) => error)
  if (!(run instanceof Error)) return { text: '', shown: '', pauses: ports.pauses }
  if (!(run instanceof UserError)) throw run
  const [problem] = run.problems
  const text = [problem?.message, ...(problem?.notes ?? [])].join('\n')
  return { text, shown: `${inspect(run, { depth: 9 })}${run.stack}`, pauses: ports.pauses }
}

/** Ports that wait at most 300 ms for a response. */
function quickPorts(api = telegram.url) {
  return botPorts(api, { http: (request) => http({ ...request, timeout: 300 }) })
}

const json = (body: object, status = 200): Fault => ({ status, body: JSON.stringify(body) })
const notOk = { ok: false, error_code: 400, description: 'Bad Request: chat not found' }
const otherPoller = {
  ok: false,
  error_code: 409,
  description:
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
}

describe('a temporary fault', () => {
  test.each<[string, Fault, number, string]>([
    ['500', { status: 500, body: '{"ok":false}' }, 1000, 'it answered 500'],
    ['502 of a gateway', { status: 502, body: '<html>' }, 1000, 'it answered 502'],
    ['a 200 that is not JSON', { status: 200, body: '{"ok":tr' }, 1000, 'is not JSON'],
    ['a 200 without a body', { status: 200 }, 1000, 'is not JSON'],
    ['a reset', 'reset', 1000, 'no connection (ECONNRESET)'],
    ['an answer that breaks off', 'cut', 1000, 'no connection'],
    ['silence', 'silence', 1000, 'no answer in time'],
    ['another poller', json(otherPoller, 409), 3000, 'another program polls the bot'],
  ])('%s: one retry, then an error', async (_, fault, pause, message) => {
    telegram.push('message', textMessage('hi'))
    telegram.faults.push(fault)
    expect(await outcome()).toEqual({ text: '', shown: '', pauses: [pause] })

    telegram.faults.push(fault, fault)
    const { text, pauses } = await outcome()
    expect(text).toContain(message)
    expect(pauses).toEqual([pause])
    expect(telegram.kept).toHaveLength(1)
  })

  test.each([1, 2, 3])('429: waits as long as it is asked to, %i times', async (times) => {
    for (let at = 0; at < times; at++) telegram.faults.push(tooManyRequests(7 + at))
    const { text, pauses } = await outcome()
    expect(text).toBe('')
    expect(pauses).toEqual([7000, 8000, 9000].slice(0, times))
  })

  test('429 for a fourth time is an error', async () => {
    for (let at = 0; at < 4; at++) telegram.faults.push(tooManyRequests(1))
    const { text } = await outcome()
    expect(text).toContain('asks to wait 1 s')
    expect(text).toContain('No message is lost')
  })

  test('429 for longer than a minute is an error immediately, because the next run is sooner', async () => {
    telegram.faults.push(tooManyRequests(61))
    const { text, pauses } = await outcome()
    expect(text).toContain('asks to wait 61 s')
    expect(pauses).toEqual([])
  })

  test('429 is waited for up to a minute in all', async () => {
    for (let at = 0; at < 3; at++) telegram.faults.push(tooManyRequests(25))
    const { text, pauses } = await outcome()
    expect(text).toContain('asks to wait 25 s')
    expect(pauses).toEqual([25_000, 25_000])
  })

  test('429 may tell the time in the header alone', async () => {
    telegram.faults.push({ status: 429, body: 'slow down', headers: { 'Retry-After': '5' } })
    expect((await outcome()).pauses).toEqual([5000])
  })
})

describe('a fault that only the user can fix is an error immediately', () => {
  test.each<[string, string, string[]]>([
    ['a revoked token', '99:revoked', ['rejected the token (401', 'BotFather']],
    ['the token of another bot', BOT_TOKEN.replace('A', 'B'), ['rejected the token (401']],
  ])('%s', async (_, token, parts) => {
    const { text, pauses } = await outcome(quickPorts(), token)
    for (const part of parts) expect(text).toContain(part)
    expect(pauses).toEqual([])
    expect(telegram.calls).toHaveLength(1)
  })

  test.each<[string, Fault, string[]]>([
    [
      '404',
      json({ ok: false, description: 'Not Found' }, 404),
      ['digits, a colon', 'telegram-api-url'],
    ],
    ['ok: false in a 200', json(notOk), ['rejected the call (400: Bad Request: chat not found)']],
    ['400', json(notOk, 400), ['rejected the call (400: Bad Request: chat not found)']],
    ['a redirect', { status: 302, headers: { Location: 'http://127.0.0.1:1/' } }, ['(302)']],
    ['a result that is no list', json({ ok: true, result: {} }), ['contains no updates']],
    ['a list of something else', json({ ok: true, result: [{ id: 1 }] }), ['contains no updates']],
  ])('%s', async (_, fault, parts) => {
    telegram.faults.push(fault)
    const { text } = await outcome()
    for (const part of parts) expect(text).toContain(part)
    expect(telegram.calls).toHaveLength(1)
  })

  test('a webhook in the way: whose it is, and how to remove it', async () => {
    const url = `https://relay.example/octo/repo/bot/messaging_bot?__token=ghp_1234567890`
    telegram.webhook = { url }
    const { text, shown } = await outcome()
    expect(text).toContain('the bot has a webhook')
    expect(text).toContain('the webhook leads to relay.example')
    expect(text).toContain('deleteWebhook')
    expect(text).toContain('webhook: true')
    expect(shown).not.toContain('ghp_1234567890')
  })

  test('a server that is not there', async () => {
    const { text } = await outcome(quickPorts('http://127.0.0.1:1'))
    expect(text).toContain('no connection (ECONNREFUSED); host: 127.0.0.1:1')
    expect(text).toContain('telegram-api-url')
  })
})

test('two concurrent pollers: the first one retries once, and nothing is lost', async () => {
  const on = `${POLL}  wait: 50\n`
  const first = runMain(botWorkflow(on), botPorts(telegram.url))
  for (let tries = 0; !telegram.polling && tries < 500; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const second = runMain(botWorkflow(on), botPorts(telegram.url))
  const settled = Promise.allSettled([first, second])
  telegram.push('message', textMessage('hi'))
  expect((await settled).map(({ status }) => status)).toContain('fulfilled')
  expect(telegram.kept).toHaveLength(1)
})

describe('the token', () => {
  const EVERY: Fault[] = [
    { status: 500, body: `token ${BOT_TOKEN}` },
    json({ ok: false, error_code: 400, description: `no /bot${BOT_TOKEN}/getUpdates here` }, 400),
    json({ ok: false, error_code: 409, description: `Conflict: ${BOT_TOKEN}` }, 409),
    { status: 302, headers: { Location: `/bot${BOT_TOKEN}/elsewhere` } },
    { status: 200, body: `{"ok":true,"result":["${BOT_TOKEN}"]}` },
    { status: 200, body: BOT_TOKEN },
    'reset',
    'cut',
    'silence',
  ]

  test.each(EVERY)('is in no error, whatever the server says: %j', async (fault) => {
    telegram.faults.push(fault, fault, fault, fault)
    const { text, shown } = await outcome()
    expect(text).not.toBe('')
    expect(`${text}${shown}`).not.toContain(BOT_TOKEN)
    expect(`${text}${shown}`).not.toContain(BOT_TOKEN.split(':')[1])
  })

  test('is in no error of the acknowledgement either', async () => {
    telegram.push('message', textMessage('hi'))
    const run = await runMain(botWorkflow(POLL), quickPorts())
    telegram.faults.push(...EVERY.slice(0, 1), ...EVERY.slice(0, 1))
    const error = await runPost(run.effects, botWorkflow(POLL), quickPorts()).catch(
      (e: unknown) => e,
    )
    expect(error).toBeInstanceOf(UserError)
    expect(inspect(error, { depth: 9 })).not.toContain(BOT_TOKEN)
  })

  test('is not what travels to the post process', async () => {
    telegram.push('message', textMessage('hi'))
    const { effects } = await runMain(botWorkflow(POLL), quickPorts())
    expect(JSON.stringify(effects)).not.toContain(BOT_TOKEN.split(':')[1])
  })
})
