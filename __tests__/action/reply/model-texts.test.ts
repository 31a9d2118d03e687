import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { dispatched, fired, type Replied, replyWith } from '../../support/chats.ts'
import { MODEL_TEXTS } from '../../support/model-texts.ts'
import {
  firstLostWord,
  type StrictChat,
  strictDiscord,
  strictSlack,
  strictTelegram,
} from '../../support/strict-chats.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

const INTERACTION = { id: '1', application_id: '2', type: 2, channel_id: '3' }

type Send = (url: string, text: string) => Promise<Replied>

const CHATS: readonly (readonly [name: string, open: () => StrictChat, send: Send])[] = [
  [
    'Telegram',
    strictTelegram,
    (url, text) =>
      replyWith({
        ...{ to: fired('messaging_bot', { message_id: 5, chat: { id: 1, type: 'private' } }) },
        ...{ token: BOT_TOKEN, 'telegram-api-url': url, format: 'markdown', text },
      }),
  ],
  [
    'Slack',
    strictSlack,
    (url, text) =>
      replyWith({
        ...{ to: fired('slack', { kind: 'event', channel_id: 'C1', event: { ts: '1.1' } }) },
        ...{ token: 'xoxb-1', 'slack-api-url': url, format: 'markdown', text },
      }),
  ],
  [
    'Discord',
    strictDiscord,
    (url, text) =>
      replyWith(
        { to: fired('discord', INTERACTION), 'discord-url': url, format: 'markdown', text },
        { event: dispatched('discord', JSON.stringify({ ...INTERACTION, token: 'a.b' })) },
      ),
  ],
]

test('there are 100 texts', () => {
  expect(new Set(MODEL_TEXTS).size).toBe(100)
})

describe.each(CHATS)(
  '%s accepts what a language model writes, and shows all of it',
  (_, open, send) => {
    let chat: StrictChat
    beforeEach(async () => {
      chat = open()
      await chat.server.start()
    })
    afterEach(() => chat.server.stop())

    test.each(MODEL_TEXTS.map((text) => [text.slice(0, 60), text]))('%j', async (_, text) => {
      const { warnings } = await send(chat.server.url, text)
      expect(warnings).toEqual([])
      expect(firstLostWord(text, chat.shown)).toBeUndefined()
    })
  },
)
