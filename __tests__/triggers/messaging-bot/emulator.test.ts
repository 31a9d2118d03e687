import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Bot } from 'grammy'
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js'
import { evaluate } from '../../../src/engine/evaluate.ts'
import type { Item } from '../../../src/triggers/trigger.ts'
import { runAction, runPost } from '../../support/action.ts'
import { botPorts, botWorkflow, POLL } from '../../support/bot-run.ts'
import { MESSAGES } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'
import { textOf } from '../../support/telegram-answers.ts'

describe('against telegram-test-api, an emulator by others', () => {
  let emulator: TelegramServer
  beforeEach(async () => {
    emulator = new TelegramServer({ port: await freePort(), host: '127.0.0.1' })
    await emulator.start()
  })
  afterEach(() => emulator.stop())

  test('messages of its client are polled by the built action', async () => {
    const client = emulator.getClient(BOT_TOKEN, { firstName: 'Ada' })
    await client.sendMessage(client.makeMessage('/deploy "staging" 🚀'))
    await client.sendMessage(client.makeMessage('second'))
    const secrets = JSON.stringify({ BOT: BOT_TOKEN })
    const inputs = { on: POLL, secrets, 'telegram-api-url': emulator.config.apiURL }
    const run = { event: 'schedule', payload: {}, inputs, calling: 'bot' }
    const main = await runAction(run)

    expect(main).toMatchObject({
      exitCode: 0,
      outputs: { count: '2', text: '/deploy "staging" 🚀' },
    })
    expect(JSON.parse(main.outputs.from ?? '')).toMatchObject({ first_name: 'Ada' })
    expect((await runPost(run, main.state)).exitCode).toBe(0)
    expect(`${main.summary}${JSON.stringify(main.outputs)}`).not.toContain(BOT_TOKEN)
  })

  test('what it sends to a webhook is the same item as what it gives to a poll', async () => {
    const client = emulator.getClient(BOT_TOKEN)
    await client.sendMessage(client.makeMessage('hello'))
    const workflow = botWorkflow(POLL)
    const schedule = { name: 'schedule', payload: {} }
    const polled = await evaluate(schedule, workflow, botPorts(emulator.config.apiURL))

    const receiver = createServer()
    const body = new Promise<string>((resolve) => {
      receiver.on('request', async (request, response) => {
        resolve(await textOf(request))
        response.end('{"success":true}')
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = receiver.address() as AddressInfo // a listening TCP server has one
      const bot = new Bot(BOT_TOKEN, { client: { apiRoot: emulator.config.apiURL } })
      await bot.api.setWebhook(`http://127.0.0.1:${port}/octo/repo/bot/messaging_bot`)
      await client.sendMessage(client.makeMessage('hello'))
      expect(shape(await pushed(await body))).toEqual(shape(polled.items))
    } finally {
      receiver.close()
    }
  })
})

describe('the stand-in, against grammY, a client by others', () => {
  let telegram: TelegramStandIn
  let bot: Bot
  beforeEach(async () => {
    telegram = await new TelegramStandIn().start()
    bot = new Bot(BOT_TOKEN, { client: { apiRoot: telegram.url } })
  })
  afterEach(() => telegram.stop())

  test('messages reach the bot, which confirms them', async () => {
    telegram.push('message', MESSAGES.text)
    const heard = new Promise((resolve) => bot.on('message:text', (ctx) => resolve(ctx.msg)))
    const ended = bot.start()
    expect(await heard).toEqual(MESSAGES.text)
    await bot.stop()
    await ended
    expect(telegram.kept).toEqual([])
  })

  test('limit, offset and a negative offset do what the client expects', async () => {
    const ids = Array.from({ length: 120 }, () => telegram.push('message', MESSAGES.text))
    const ask = async (options: { offset?: number; limit?: number }) =>
      (await bot.api.getUpdates(options)).map(({ update_id }) => update_id)

    expect(await ask({})).toEqual(ids.slice(0, 100))
    expect(await ask({ limit: 500 })).toEqual(ids.slice(0, 100))
    expect(await ask({ limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await ask({ offset: 1 })).toEqual(ids.slice(0, 100))
    expect(await ask({ offset: (ids[9] ?? 0) + 1, limit: 1 })).toEqual(ids.slice(10, 11))
    expect(await ask({ offset: -3 })).toEqual(ids.slice(-3))
    expect(telegram.kept).toEqual(ids.slice(-3))
  })

  test('a webhook and polling exclude each other, with the texts of the server', async () => {
    await bot.api.setWebhook('https://relay.example/', { allowed_updates: ['message'] })
    expect(await bot.api.getWebhookInfo()).toMatchObject({
      url: 'https://relay.example/',
      allowed_updates: ['message'],
    })
    await expect(bot.api.getUpdates()).rejects.toThrow(/409.*webhook is active/)
    await bot.api.deleteWebhook()
    expect(await bot.api.getUpdates()).toEqual([])
  })

  test('the list of allowed kinds stays until it is given again', async () => {
    await bot.api.getUpdates({ allowed_updates: ['poll'] })
    expect(telegram.push('message', MESSAGES.text)).toBeUndefined()
    await bot.api.getUpdates()
    expect(telegram.push('message', MESSAGES.text)).toBeUndefined()
    await bot.api.getUpdates({ allowed_updates: [] })
    expect(telegram.push('message', MESSAGES.text)).toBeDefined()
    expect(telegram.push('message_reaction', {})).toBeUndefined()
  })

  test('updates are kept for 24 hours', async () => {
    let now = 0
    telegram.queue.now = () => now
    telegram.push('message', MESSAGES.text)
    now = 86_399_999
    expect(await bot.api.getUpdates()).toHaveLength(1)
    now = 86_400_000
    expect(await bot.api.getUpdates()).toEqual([])
  })

  test.each([
    ['1:other', /401.*Unauthorized/],
    ['bot', /404.*Not Found/],
  ])('the token %s is refused as the server does', async (token, text) => {
    const other = new Bot(token, { client: { apiRoot: telegram.url } })
    await expect(other.api.getMe()).rejects.toThrow(text)
  })
})

async function pushed(body: string): Promise<readonly Item[]> {
  const headers = { 'content-type': 'application/json' }
  const client_payload = { path: 'bot/messaging_bot', method: 'POST', headers, body }
  const event = { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }
  const workflow = botWorkflow('messaging_bot:\n  webhook: true')
  return (await evaluate(event, workflow, botPorts('http://127.0.0.1:1'))).items
}

/** Items without the numbers that differ from one message to the next, and the emulator's own field. */
function shape(items: readonly Item[]) {
  return items.map(({ update_id, message_id, date, botToken: _, ...rest }) => {
    return { ...rest, numbers: [update_id, message_id, date].map((value) => typeof value) }
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  await new Promise((resolve) => server.close(resolve))
  return port
}
