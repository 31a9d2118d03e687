import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Bot } from 'grammy'
import { MESSAGES } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

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
