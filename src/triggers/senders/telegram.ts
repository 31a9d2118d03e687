import { type Facts, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Telegram',
  trigger: 'messaging_bot',
  secret: 'TELEGRAM_SECRET_TOKEN',
  shown: 'the `secret_token` that you passed to `setWebhook`',
  repeat: 'update_id',
}

export const scheme: OwnScheme = {
  page: 'https://core.telegram.org/bots/api#setwebhook',
  tokenHeader: 'x-telegram-bot-api-secret-token',
}

export const payloads: Payloads = {
  /** https://core.telegram.org/bots/api#update */
  message: ({ now }) => ({
    body: {
      // Increases with time, like real update ids, so that each delivery counts as new.
      update_id: seconds(now),
      message: {
        message_id: 1365,
        from: { id: 1111111, is_bot: false, first_name: 'Ada', language_code: 'en' },
        chat: { id: 1111111, first_name: 'Ada', type: 'private' },
        date: seconds(now),
        text: 'Hello, world',
      },
    },
  }),
}
