import type { Secret } from '../wire/secret.ts'
import type { Bot } from './messaging-bot/bot-api.ts'
import { firingKinds } from './messaging-bot/conditions.ts'
import { MESSAGE_OUTPUTS } from './messaging-bot/message-outputs.ts'
import { messagingBotOptions } from './messaging-bot/options.ts'
import { forgetBefore } from './messaging-bot/page.ts'
import { pollUpdates } from './messaging-bot/poll.ts'
import { receiveUpdate } from './messaging-bot/receive.ts'
import { defineTrigger, type TriggerPorts } from './trigger.ts'

export const messagingBot = defineTrigger({
  name: 'messaging_bot',
  aliases: ['telegram_bot'],
  description: 'Fires for each new message to a bot: polled, or sent by the messaging platform.',
  options: messagingBotOptions,
  outputs: MESSAGE_OUTPUTS,
  columns: ['from.first_name', 'chat.title', 'text', 'caption', 'data'],
  key: 'update_id',
  mistake({ token, webhook }) {
    if (webhook || token) return undefined
    return { option: 'token', message: 'is needed to poll; or set "webhook: true"' }
  },
  example: ({ webhook, secretToken }) => (webhook && !secretToken ? EXAMPLE : undefined),
  receive: receiveUpdate,
  whyNotPolled: ({ webhook }) =>
    webhook
      ? 'webhook is true: the messaging platform sends the messages, so there is no poll'
      : undefined,
  async poll(options, ports) {
    return pollUpdates(bot(options, ports), options, ports.now)
  },
  async acknowledge(cursor, options, ports) {
    if (typeof cursor !== 'number') return
    await forgetBefore(bot(options, ports), cursor, firingKinds(options))
  },
})

/** The token is hidden from the log before anything is done with it. */
function bot({ token }: { readonly token?: Secret | undefined }, ports: TriggerPorts): Bot {
  if (!token) throw new TypeError('a bot without a token is not polled')
  ports.mask(token.reveal())
  return { token, api: ports.messagingApiUrl, http: ports.http, sleep: ports.sleep }
}

const UPDATE = {
  update_id: 866350101,
  message: {
    message_id: 1,
    from: { id: 1000001, is_bot: false, first_name: 'Ada', language_code: 'en' },
    chat: { id: 1000001, first_name: 'Ada', type: 'private' },
    date: 1767225600,
    text: 'hello',
  },
}

const EXAMPLE = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: JSON.stringify(UPDATE),
}
