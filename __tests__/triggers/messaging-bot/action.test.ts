import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { parseJson } from '../../../src/wire/json.ts'
import {
  type ActionResult,
  dispatchEvent,
  runAction,
  runInShared,
  runPost,
  runPostInShared,
} from '../../support/action.ts'
import { POLL } from '../../support/bot-run.ts'
import { commandIn, MESSAGES, textMessage } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'
import { type Fault, tooManyRequests } from '../../support/telegram-answers.ts'

let telegram: TelegramStandIn
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(() => telegram.stop())

const SECRET = 'correct-horse_battery-staple'

function bot(on: string, event: { event: string; payload: unknown } = schedule) {
  const secrets = JSON.stringify({ BOT: BOT_TOKEN, SECRET })
  const inputs = { on, secrets, 'telegram-api-url': telegram.url }
  return { ...event, calling: 'bot', inputs }
}

const schedule = { event: 'schedule', payload: { schedule: '*/5 * * * *' } }

function delivery(update: object, headers: Readonly<Record<string, string>> = {}) {
  const types = { 'content-type': 'application/json' }
  const body = JSON.stringify(update)
  const path = 'bot/messaging_bot'
  return dispatchEvent({ path, method: 'POST', headers: { ...types, ...headers }, body })
}

describe('polling', () => {
  test('the 28 messages in one run, as they were sent, and with their command', async () => {
    const messages = Object.values(MESSAGES)
    const ids = messages.map((message) => telegram.push('message', message))
    const run = await runAction(bot(POLL))

    expect(run.exitCode).toBe(0)
    expect(run.outputs).toMatchObject({ triggered: 'true', trigger: 'messaging_bot', count: '28' })
    const items = JSON.parse(run.outputs.items ?? '') as { messaging_bot: { outputs: object } }[]
    expect(items.map(({ messaging_bot }) => messaging_bot.outputs)).toEqual(
      messages.map((message, at) =>
        parseJson(JSON.stringify({ ...message, ...commandIn(message), update_id: ids[at] })),
      ),
    )
  })

  test('gives the fields of the first message as outputs, and null for what it has not', async () => {
    telegram.push('message', textMessage('/deploy'))
    const { outputs } = await runInShared(bot(POLL))
    expect(outputs).toMatchObject({ text: '/deploy', update_id: '866350101', message_id: '1365' })
    expect(JSON.parse(outputs.from ?? '')).toEqual(MESSAGES.text.from)
    expect(outputs.photo).toBe('null')
  })

  test('acknowledges in its second process alone', async () => {
    const id = telegram.push('message', textMessage('hi'))
    const main = await runAction(bot(POLL))
    expect(telegram.kept).toEqual([id])
    const post = await runPost(bot(POLL), main.state)
    expect(post.exitCode).toBe(0)
    expect(telegram.kept).toEqual([])
  })

  test('the summary explains the effect of a re-run', async () => {
    telegram.push('message', textMessage('hi'))
    expect((await runInShared(bot(POLL))).summary).toContain('Re-run failed jobs')
  })

  test('of a workflow_dispatch, as of a schedule; and of no other event', async () => {
    telegram.push('message', textMessage('hi'))
    const counts: unknown[] = []
    for (const event of ['workflow_dispatch', 'push']) {
      counts.push((await runInShared(bot(POLL, { event, payload: {} }))).outputs.count)
    }
    expect(counts).toEqual(['1', '0'])
  })
})

describe('webhook mode', () => {
  const ON = `messaging_bot:\n  webhook: true\n  secretToken: \${{ secrets.SECRET }}\n`
  const update = { update_id: 7, message: textMessage('/deploy') }
  const header = { 'x-telegram-bot-api-secret-token': SECRET }

  test('an update with the right secret is an item', async () => {
    const run = await runInShared(bot(ON, delivery(update, header)))
    expect(run.outputs).toMatchObject({ triggered: 'true', count: '1', text: '/deploy' })
    expect(JSON.stringify(run.outputs)).not.toContain(SECRET)
    expect(run.stdout).not.toContain('::warning')
  })

  test.each([
    ['another secret', { 'x-telegram-bot-api-secret-token': `${SECRET}x` }, 'does not match'],
    ['an empty one', { 'x-telegram-bot-api-secret-token': '' }, 'does not match'],
    ['none', {}, 'the header x-telegram-bot-api-secret-token is missing'],
  ])('an update with %s is skipped with a warning', async (_, headers, why) => {
    const run = await runInShared(bot(ON, delivery(update, headers)))
    expect(run).toMatchObject({ exitCode: 0, outputs: { triggered: 'false', items: '[]' } })
    expect(run.stdout).toContain(`::warning::secretToken: ${why}`)
    expect(run.summary).toContain(`secretToken ${why}`)
    expect(run.stdout + run.summary).not.toContain(SECRET)
  })

  test.each([
    ['no update', { hello: 'world' }],
    ['an id that is none', { update_id: 'x', message: {} }],
    ['a list', [1]],
  ])('a body that is no update (%s) is skipped', async (_, body) => {
    const run = await runInShared(bot(ON, delivery(body, header)))
    expect(run).toMatchObject({ exitCode: 0, outputs: { triggered: 'false' } })
    expect(run.summary).toContain('not an update of a bot')
  })

  test('a schedule polls nothing, and the reason says so', async () => {
    const run = await runInShared(bot(ON))
    expect(run).toMatchObject({ exitCode: 0, outputs: { triggered: 'false', items: '[]' } })
    expect(run.stdout).toContain('webhook is true')
    expect(run.summary).toContain('webhook is true')
    expect(telegram.calls).toEqual([])
  })

  test('an update pushed to a bot that polls is skipped, and says why', async () => {
    const run = await runInShared(bot(POLL, delivery(update)))
    expect(run.outputs.triggered).toBe('false')
    expect(run.summary).toContain('webhook is not true')
  })
})

describe('the token is in nothing that the action leaves behind', () => {
  const json = (body: object, status = 200): Fault => ({ status, body: JSON.stringify(body) })
  const FAULTS: [string, Fault[]][] = [
    ['nothing', []],
    ['a refusal', [json({ ok: false, description: `/bot${BOT_TOKEN}/getUpdates` }, 400)]],
    ['a revoked token', [json({ ok: false }, 401)]],
    ['a webhook in the way', [json({ ok: false, description: 'webhook is active' }, 409)]],
    ['a long pause', [tooManyRequests(90)]],
    [
      'a broken answer',
      [
        { status: 200, body: BOT_TOKEN },
        { status: 200, body: BOT_TOKEN },
      ],
    ],
    ['a reset', ['reset', 'reset']],
  ]

  test.each(FAULTS)('after %s', async (name, faults) => {
    telegram.push('message', textMessage('hi'))
    telegram.faults.push(...faults)
    const main = await runInShared(bot(POLL))
    expect(main.exitCode).toBe(faults.length > 0 ? 1 : 0)
    expect(main.stdout.split('\n')[0]).not.toBe('')
    if (name !== 'nothing') expect(main.stdout).toMatch(/^::error/m)
    expect(leaks(main)).toEqual([])

    telegram.faults.push(...faults)
    const post = await runPostInShared(bot(POLL), { effects: EFFECTS })
    expect(post.exitCode).toBe(faults.length > 0 ? 1 : 0)
    expect(leaks(post)).toEqual([])
  })

  const cursor = { bot: BOT_TOKEN.split(':')[0], offset: 5 }
  const acknowledge = { kind: 'acknowledge', workflow: 'bot', trigger: 'messaging_bot', cursor }
  const EFFECTS = JSON.stringify([acknowledge])

  /** The positions of the token, except in the command that masks it. */
  function leaks(run: ActionResult): string[] {
    const stdout = run.stdout.replace(`::add-mask::${BOT_TOKEN}\n`, '')
    const sinks = {
      ...run,
      stdout,
      outputs: JSON.stringify(run.outputs),
      state: JSON.stringify(run.state),
    }
    const [, secret = ''] = BOT_TOKEN.split(':')
    const forms = [BOT_TOKEN, secret, encodeURIComponent(BOT_TOKEN), btoa(BOT_TOKEN)]
    return Object.entries(sinks).flatMap(([sink, text]) =>
      forms.some((form) => String(text).includes(form)) ? [sink] : [],
    )
  }

  test.each([
    ['after "bot"', `messaging_bot:\n  token: bot${BOT_TOKEN}`],
    ['in a misspelt option', `messaging_bot:\n  tokn: ${BOT_TOKEN}`],
    ['in another option', `messaging_bot:\n  event: ${BOT_TOKEN}`],
    ['in place of the options', `messaging_bot: ${BOT_TOKEN}`],
    ['as the name of a trigger', `"${BOT_TOKEN}": {}`],
    ['on a line that is no YAML', `messaging_bot: { token: ${BOT_TOKEN}, ]`],
  ])('when it is written into the file %s', async (_, on) => {
    const run = await runInShared(bot(on))
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toMatch(/^::error/m)
    expect(leaks(run)).toEqual([])
  })

  test('and is hidden before anything else is printed', async () => {
    const { stdout } = await runAction(bot(POLL))
    const printed = stdout.split('\n').filter((line) => !line.startsWith('::debug::'))
    expect(printed[0]).toBe(`::add-mask::${BOT_TOKEN}`)
  })
})
