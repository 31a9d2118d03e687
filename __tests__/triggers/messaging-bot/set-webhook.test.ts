import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { registeredUrl, setWebhook } from '../../../src/triggers/messaging-bot/bot-api.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { botPorts } from '../../support/bot-run.ts'
import { bound, receive } from '../../support/receive.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

let telegram: TelegramStandIn
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(() => telegram.stop())

function bot() {
  const { http, sleep } = botPorts(telegram.url).triggers
  return { token: new Secret(BOT_TOKEN), api: telegram.url, http, sleep }
}

const url = 'https://relay.example/octo/repo/bot/messaging_bot?__token=ghp_1234567890#x'

describe('setWebhook', () => {
  test.each([
    [undefined, [], { url, allowed_updates: ['message', 'channel_post'] }],
    [
      's3cret',
      ['callback_query'] as const,
      {
        url,
        secret_token: 's3cret',
        allowed_updates: ['message', 'channel_post', 'callback_query'],
      },
    ],
  ])('with the secret %s and the kinds %j', async (secretToken, updates, parameters) => {
    await setWebhook(bot(), { url, secretToken, updates })
    expect(telegram.calls).toMatchObject([{ method: 'setWebhook', parameters }])
    expect(Object.keys(telegram.calls[0]?.parameters ?? {})).toEqual(Object.keys(parameters))
  })

  test('that is refused says why, without the token', async () => {
    const refused = setWebhook(bot(), { url, secretToken: 'no good', updates: [] })
    const error = await refused.catch((cause: unknown) => String(cause))
    expect(error).toContain('secret token contains unallowed characters')
    expect(error).not.toContain(BOT_TOKEN)
  })
})

describe('the URL of a webhook', () => {
  test('contains none of the secrets in its query', async () => {
    await setWebhook(bot(), { url, secretToken: undefined, updates: [] })
    expect(await registeredUrl(bot())).toBe('https://relay.example/octo/repo/bot/messaging_bot')
  })

  test.each([null, 5, [], {}, { url: 5 }])('of %j is empty', async (result) => {
    telegram.faults.push({ status: 200, body: JSON.stringify({ ok: true, result }) })
    expect(await registeredUrl(bot())).toBe('')
  })
})

describe('an update that comes with a secret', () => {
  const body = JSON.stringify({ update_id: 1, message: { message_id: 1, text: 'hi' } })
  const sent = (header: string | undefined) =>
    receive(bound('messaging_bot', { webhook: true, secretToken: 's3cret' }), {
      headers: {
        'content-type': 'application/json',
        ...(header === undefined ? {} : { 'x-telegram-bot-api-secret-token': header }),
      },
      body,
    })

  test('that is right is an item', async () => {
    expect((await sent('s3cret')).items).toHaveLength(1)
  })

  test.each([undefined, '', 's3cre', 's3cret2', 'S3CRET'])('that is %j is none', async (header) => {
    const { items, checks, messages } = await sent(header)
    expect(items).toEqual([])
    expect(checks).toMatchObject([{ option: 'secretToken', held: false }])
    expect(messages).toHaveLength(1)
    expect(JSON.stringify([checks, messages])).not.toContain('s3cret')
  })
})
