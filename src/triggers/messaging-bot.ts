import type { WebhookRequest } from '../wire/request.ts'
import { type Secret, sameText } from '../wire/secret.ts'
import { type Bot, forgetBefore, getPage } from './messaging-bot/bot-api.ts'
import {
  firingKinds,
  type MessagingBotOptions,
  messagingBotOptions,
  updateChecks,
} from './messaging-bot/options.ts'
import { MESSAGE_OUTPUTS, readUpdate, type Update, updateItem } from './messaging-bot/updates.ts'
import {
  type Check,
  defineTrigger,
  type Item,
  type Polled,
  type Reception,
  type TriggerPorts,
} from './trigger.ts'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

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

/** The item of an update that the messaging platform sent to the webhook URL. */
async function receiveUpdate(
  { headers, body }: WebhookRequest,
  options: MessagingBotOptions,
): Promise<Reception> {
  if (!options.webhook) return refused('webhook', 'is not true: messages are polled')
  const secret = options.secretToken?.reveal()
  if (secret !== undefined && !(await sameText(headers[SECRET_HEADER] ?? '', secret))) {
    const found = `does not match the header ${SECRET_HEADER}`
    return { ...refused('secretToken', found), warnings: [`secretToken: ${found}`] }
  }
  const update = readUpdate(body)
  if (!update) return refused('webhook', 'the body is no update of a bot')
  const checks = updateChecks(update, options)
  if (!checks.every(({ held }) => held)) return { checks, items: [] }
  return { checks, items: [updateItem(update, options.updates)] }
}

function refused(option: string, found: string): Reception {
  const check: Check = { option, held: false, found }
  return { checks: [check], items: [] }
}

/** Pages without an item that one run passes: ten thousand ignored updates. */
const MOST_PASSED = 100

/** An update that became an item, or was ignored for a condition that it did not meet. */
type Judged = { readonly id: number } & (
  | { readonly item: Item; readonly missed?: never }
  | { readonly item?: never; readonly missed: Check }
)

/**
 * One page of updates. Only a page without a single item is passed, by asking for the next: a higher
 * offset makes the server forget what lies below it.
 */
async function pollUpdates(
  bot: Bot,
  options: MessagingBotOptions,
  now: TriggerPorts['now'],
): Promise<Polled> {
  const kinds = firingKinds(options)
  const until = now() + options.wait * 1000
  const ignored: Check[] = []
  let page = judge(await getPage(bot, { kinds, wait: options.wait }), options)
  for (let passed = 0; isPassable(page) && passed < MOST_PASSED; passed++) {
    ignored.push(...missedChecks(page))
    const wait = Math.max(0, Math.floor((until - now()) / 1000))
    page = judge(await getPage(bot, { kinds, offset: offsetAfter(page), wait }), options)
  }
  return polled(page, [...ignored, ...missedChecks(page)])
}

function judge(updates: readonly Update[], options: MessagingBotOptions): Judged[] {
  return updates.map((update) => {
    const missed = updateChecks(update, options).find((check) => !check.held)
    const { id } = update
    return missed ? { id, missed } : { id, item: updateItem(update, options.updates) }
  })
}

function isPassable(page: readonly Judged[]): boolean {
  return page.length > 0 && page.every(({ missed }) => missed)
}

function missedChecks(page: readonly Judged[]): Check[] {
  return page.flatMap(({ missed }) => (missed ? [missed] : []))
}

function offsetAfter(page: readonly Judged[]): number | undefined {
  const last = page.at(-1)
  return last && last.id + 1
}

function polled(page: readonly Judged[], ignored: readonly Check[]): Polled {
  const firing = page.filter(({ item }) => item)
  const found = account(firing.length, ignored)
  return {
    items: page.flatMap(({ item }) => (item ? [item] : [])),
    checks: [{ option: 'updates', held: firing.length > 0, found }],
    cursorBefore(index) {
      const cut = firing[index]
      return offsetAfter(cut ? page.slice(0, page.indexOf(cut)) : page)
    },
  }
}

/** `2 new, 3 ignored (updates 2, chats 1)`: how many updates each option kept out. */
function account(items: number, ignored: readonly Check[]): string {
  const found = `${items || 'nothing'} new`
  return ignored.length > 0 ? `${found}, ${ignored.length} ignored (${counts(ignored)})` : found
}

function counts(ignored: readonly Check[]): string {
  const options = [...new Set(ignored.map(({ option }) => option))]
  const count = (name: string) => ignored.filter(({ option }) => option === name).length
  return options.map((name) => `${name} ${count(name)}`).join(', ')
}
