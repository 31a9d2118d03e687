import { BOT_TOKEN, type Bot, say } from '../triggers/messaging-bot/bot-api.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { Secret } from '../wire/secret.ts'
import { DEFAULT_MESSAGING_API_URL } from './inputs.ts'

interface ReplyPorts extends Pick<Bot, 'http' | 'sleep'> {
  /** How a secret is hidden from the log. */
  mask(secret: string): void
}

type Input = (name: string) => string

type Item = Readonly<Record<string, unknown>>

/** By trigger, how an item of it is answered; gives the id of what was said. */
const ANSWERS: ReadonlyMap<
  string,
  (item: Item, input: Input, ports: ReplyPorts) => Promise<string>
> = new Map([
  ['messaging_bot', answerChat],
  ['telegram_bot', answerChat],
  ['slack', answerSlack],
])

/**
 * Answers where an item came from.
 *
 * @param input reads an input of reply/action.yml
 * @returns the id by which the answer can be changed; empty where there is none
 * @throws UserError for an input that is wrong, or when the answer is not taken
 */
export async function reply(input: Input, ports: ReplyPorts): Promise<string> {
  const { trigger, item } = firedItem(input('to'))
  const answer = ANSWERS.get(trigger)
  if (!answer) throw unanswerable(`an item of ${JSON.stringify(trigger)}`)
  if (input('text').trim() === '') throw new UserError({ message: 'input "text" is empty' })
  return answer(item, input, ports)
}

/** The trigger of an `on` context that fired, with its outputs. */
function firedItem(text: string): { readonly trigger: string; readonly item: Item } {
  let context: unknown
  try {
    context = parseJson(text)
  } catch {
    // Said below, as for JSON of another shape; the text may be a stranger's.
  }
  if (!isObject(context)) {
    throw new UserError({
      message: 'input "to" is no "on" context',
      hint: 'give it as: to: ${{ toJSON(matrix.on) }}, or: to: ${{ steps.hookline.outputs.on }}',
    })
  }
  for (const [trigger, state] of Object.entries(context)) {
    if (!isObject(state) || state.outcome !== 'success') continue
    if (isObject(state.outputs)) return { trigger, item: state.outputs }
    throw unanswerable('a list of items, as "outputsMode: combine" makes it,')
  }
  throw new UserError({
    message: 'input "to" holds no item: nothing fired',
    hint: "guard the step: if: steps.hookline.outputs.triggered == 'true'",
  })
}

function unanswerable(what: string): UserError {
  return new UserError({
    message: `${what} cannot be answered`,
    notes: [
      'messaging_bot: a message, or a button that was pressed, is answered in its chat',
      'slack: a command or an interaction is answered by its response_url',
    ],
  })
}

async function answerChat(item: Item, input: Input, ports: ReplyPorts): Promise<string> {
  const message = isObject(item.message) ? item.message : item
  const chat = isObject(message.chat) ? idOf(message.chat.id) : undefined
  if (chat === undefined) throw unanswerable('an update without a chat')
  const token = input('token').trim()
  if (!BOT_TOKEN.test(token)) {
    throw new UserError({
      message: 'input "token" is not a bot token',
      hint: 'give it as: token: ${{ secrets.BOT_TOKEN }}',
    })
  }
  ports.mask(token)
  const api = (input('messaging-api-url').trim() || DEFAULT_MESSAGING_API_URL).replace(/\/+$/, '')
  const bot = { token: new Secret(token), api, http: ports.http, sleep: ports.sleep }
  const { message_thread_id: thread, is_topic_message: isTopic } = message
  const [to, topic, edit] = [idOf(message.message_id), idOf(thread), input('edit').trim()]
  return say(bot, {
    chat,
    text: input('text'),
    ...(edit !== '' && { edit }),
    ...(to !== undefined && { to }),
    // In a plain group a thread is only a chain of replies, which cannot be named.
    ...(topic !== undefined && isTopic === true && { topic }),
  })
}

/** A number, or a text where it was too long for one. */
function idOf(value: unknown): number | string | undefined {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value))
    ? value
    : undefined
}

const SLACK = 'https://hooks.slack.com'

const PATIENCE = 10_000

async function answerSlack(item: Item, input: Input, ports: ReplyPorts): Promise<string> {
  const { response_url: url } = item
  if (typeof url !== 'string') throw unanswerable('an item of slack without a response_url')
  const home = input('slack-url').trim() || SLACK
  if (!leadsTo(url, home)) {
    throw new UserError({
      message: `the response_url does not lead to ${home}: nothing was sent`,
      hint: 'anyone may have written it: verify the sender, by the option "verify" of slack',
    })
  }
  // Whoever has it may write into the channel.
  ports.mask(url)
  const change = input('edit').trim() === '' ? {} : { replace_original: true }
  const body = JSON.stringify({ text: input('text'), ...change })
  const headers = { 'content-type': 'application/json' }
  const call = { method: 'POST', url, headers, body, timeout: PATIENCE } as const
  const { status } = await ports.http(call).catch((cause: unknown) => {
    if (!(cause instanceof HttpFailure)) throw cause
    throw new UserError({ message: `Slack: ${cause.message}` }, { cause })
  })
  if (status >= 200 && status < 300) return ''
  throw new UserError({
    message: `Slack refused the answer (${status})`,
    hint: 'a response_url is good for half an hour and five answers',
  })
}

/** The same scheme, host and port; no user name, which may only look like a host. */
function leadsTo(url: string, home: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(home)) return false
  const { origin, username, password } = new URL(url)
  return origin === new URL(home).origin && origin !== 'null' && username + password === ''
}
