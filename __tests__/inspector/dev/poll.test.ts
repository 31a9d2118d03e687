import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Dev, startDev } from '../../support/dev.ts'
import { detail, EventReader, run } from '../../support/inspector.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

let telegram: TelegramStandIn
let dev: Dev | undefined

beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(async () => {
  await dev?.stop()
  await telegram.stop()
})

const BOT = 'on: { messaging_bot: { token: "${{ secrets.BOT }}" CONFIG } }'

async function start({ args = ['--poll'], config = '', token = BOT_TOKEN } = {}): Promise<Dev> {
  const text = BOT.replace(' CONFIG', config && `, config: ${config}`)
  dev = await startDev({
    files: { 'workflows/bot.yml': text, '.env': `BOT=${token}\n` },
    args,
    env: { HOOKLINE_TELEGRAM_API_URL: telegram.url },
  })
  return dev
}

function message(text: string): void {
  telegram.push('message', { message_id: 1, date: 1, chat: { id: 7, type: 'private' }, text })
}

test('messages are shown as requests are, acknowledged by the next poll, and a later one comes', async () => {
  message('hello')
  message('world')
  const { command, url } = await start()
  await command.printed(/\n {2}polled {2}bot\/messaging_bot\n/)
  await command.printed(/POLL bot\/messaging_bot {2}fired, 2 items/)
  expect(await run(url)).toMatchObject({ polling: true })
  await command.printed(/on\.messaging_bot\.outputs\.text = "world"/)
  const reader = new EventReader(url)
  const [summary] = await reader.summaries(1)
  expect(summary).toMatchObject({
    origin: 'poll',
    method: 'POLL',
    trigger: 'messaging_bot',
    count: 2,
  })
  expect(await detail(url, 1)).toMatchObject({
    request: null,
    items: [
      { messaging_bot: { outputs: { text: 'hello' } } },
      { messaging_bot: { outputs: { text: 'world' } } },
    ],
  })
  await reader.close()
  // The next poll does it, some seconds later.
  while (telegram.kept.length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  message('later')
  await command.printed(/outputs\.text = "later"/)
})

test('a poll waits as long as every says', async () => {
  message('first')
  const { command } = await start({ config: '{ every: 60 }' })
  await command.printed(/outputs\.text = "first"/)
  const polls = telegram.calls.filter(({ method }) => method === 'getUpdates').length
  message('second')
  // Without `every`, the next poll would come after 5 s.
  await new Promise((resolve) => setTimeout(resolve, 7000))
  expect(telegram.calls.filter(({ method }) => method === 'getUpdates')).toHaveLength(polls)
})

test('a rejected token is reported once, and never shown', async () => {
  const token = '110201543:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const { command, url } = await start({ token })
  await command.printed(/POLL bot {2}failed/)
  const reader = new EventReader(url)
  const [summary] = await reader.summaries(1)
  expect(summary).toMatchObject({ outcome: 'mistaken', reason: 'the poll failed' })
  const shown = JSON.stringify(await detail(url, 1)) + command.stdout + command.stderr
  expect(shown).not.toContain('AAAAAAAAAA')
  await reader.close()
})

test('nothing is polled without --poll', async () => {
  message('hello')
  const { command, url } = await start({ args: [] })
  await command.printed(/\n {2}polled {2}bot\/messaging_bot, with --poll\n\nInspector /)
  const polled = ['bot/messaging_bot']
  expect(await run(url)).toMatchObject({ triggers: [], polled, polling: false })
  expect(telegram.calls).toEqual([])
})

test('a bot without its token is no missing bot', async () => {
  const { command } = await start({ token: '' })
  await command.printed(/secrets\.BOT is empty/)
  expect(command.stderr).not.toContain('--poll has no bot')
})

test('--poll without a bot says how to write one', async () => {
  dev = await startDev({
    files: { 'workflows/hook.yml': 'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n' },
    args: ['--poll'],
  })
  await dev.command.told(/--poll has no bot to poll[\s\S]*hookline init --kind bot/)
})
