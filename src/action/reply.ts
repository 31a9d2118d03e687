import { TRIGGERS_WITH_REPLY, type TriggerWithReply } from '../triggers/reply-targets.ts'
import { bugOf, UserError } from '../wire/errors.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../wire/json.ts'
import { counted } from '../wire/printable.ts'
import {
  type Attachment,
  type Chat,
  type Content,
  noReplyTarget,
  type Reply,
  type ReplyContext,
  type ReplyPorts,
} from './reply/chat.ts'
import { type ReadInput, readFlag, readReply } from './reply/reply-inputs.ts'
import { cutShort, type Measure, splitContent } from './reply/split.ts'

type OpenChat = (context: ReplyContext) => Promise<Chat>

/** The comments of the issue that a webhook is about, by a header of its sender. */
async function issueComments(context: ReplyContext): Promise<Chat> {
  const { headers } = context.item
  const has = (name: string) => isObject(headers) && name in headers
  if (has('x-github-event')) {
    return (await import('./reply/github-comments.ts')).githubComments(context)
  }
  if (has('linear-event') || has('linear-delivery')) {
    return (await import('./reply/linear-comments.ts')).linearComments(context)
  }
  if (has('x-atlassian-webhook-identifier')) {
    return (await import('./reply/jira-comments.ts')).jiraComments(context)
  }
  throw noReplyTarget('a webhook that is not of GitHub, Linear or Jira')
}

/** How to open the chat of an item, by the name of its trigger; only that chat's file is loaded. */
const CHATS: Readonly<Record<TriggerWithReply, OpenChat>> = {
  messaging_bot: async (context) => (await import('./reply/telegram.ts')).telegramChat(context),
  slack: async (context) => (await import('./reply/slack.ts')).slackChat(context),
  discord: async (context) => (await import('./reply/discord.ts')).discordChat(context),
  webhook: issueComments,
}

function chatOf(trigger: string): OpenChat {
  // telegram_bot is another name of messaging_bot.
  const name = trigger === 'telegram_bot' ? 'messaging_bot' : trigger
  const known = TRIGGERS_WITH_REPLY.find((one) => one === name)
  if (known) return CHATS[known]
  throw noReplyTarget(`an item of ${JSON.stringify(trigger)}`)
}

/**
 * Replies in the chat that an item came from. The work of the job is done, so a reply that fails is only
 * a warning, unless the input `fail-on-error` is true.
 *
 * @param input reads an input of reply/action.yml
 * @returns the id of the message, for a later edit; empty if there is none
 * @throws UserError if `fail-on-error` is true and the reply fails
 */
export async function reply(input: ReadInput, ports: ReplyPorts): Promise<string> {
  const failOnError = readFlag(input, 'fail-on-error')
  try {
    return await sendReply(input, ports)
  } catch (error) {
    if (failOnError) throw error
    ports.warn(['the reply was not sent', ...faultOf(error)].join('\n'))
    return ''
  }
}

async function sendReply(input: ReadInput, ports: ReplyPorts): Promise<string> {
  const { trigger, item } = firedItem(input('to'))
  const openChat = chatOf(trigger)
  const reply = readReply(input, ports)
  if (!reply) {
    ports.notice('no reply was sent: the text is empty, and there is no file')
    return ''
  }
  const content = await contentOf(reply, trigger)
  const chat = await openChat({ content, item, input, reply, ports })
  return deliver(chat, content, reply)
}

/** The tree of a text in Markdown. Comments stay as they are, because their services read Markdown themselves. */
async function contentOf({ text, format }: Reply, trigger: string): Promise<Content> {
  if (format !== 'markdown' || trigger === 'webhook' || text.trim() === '') return text
  // Only a reply in Markdown loads the parser.
  const { parseMarkdown } = await import('./reply/markdown/parse.ts')
  return parseMarkdown(text)
}

/** The lines that describe an error; of a bug only its kind, because a message may hold a payload. */
function faultOf(error: unknown): string[] {
  if (!(error instanceof UserError)) return [`internal error (${bugOf(error).name})`]
  return error.problems.flatMap(({ message, hint, notes = [] }) => [
    message,
    ...(hint ? [hint] : []),
    ...notes,
  ])
}

/** The trigger of an `on` context that fired, and its outputs. */
function firedItem(text: string): { readonly trigger: string; readonly item: JsonObject } {
  let context: Json | undefined
  try {
    context = parseJson(text)
  } catch {
    // The error below covers invalid JSON, too; it shows none of the text, which may be untrusted.
  }
  if (!isObject(context)) {
    throw new UserError({
      message: 'input "to" is not an "on" context',
      hint: 'Write to: ${{ toJSON(matrix.on) }}, or to: ${{ steps.hookline.outputs.on }}',
    })
  }
  for (const [trigger, state] of Object.entries(context)) {
    if (!isObject(state) || state.outcome !== 'success') continue
    if (isObject(state.outputs)) return { trigger, item: state.outputs }
    throw noReplyTarget('a list of items (outputsMode: combine)')
  }
  throw new UserError({
    message: 'input "to" has no item, because no trigger fired',
    hint: "Add to the step: if: steps.hookline.outputs.triggered == 'true'",
  })
}

/**
 * Sends the whole text, in as many messages as needed up to the chat's maximum; a longer text becomes a
 * file or, if the chat accepts none, is cut with a note.
 *
 * @returns the id of the first message
 */
async function deliver(chat: Chat, content: Content, reply: Reply): Promise<string> {
  const { text, format, edit, buttons, file } = reply
  const measure: Measure = {
    maxLength: chat.maxLength,
    length: (part) => chat.length(part),
    hasFences: format === 'markdown' || format === 'raw',
    hasTags: format === 'html',
  }
  let parts = splitContent(content, measure, chat.maxParts + 1)
  let attachment = file
  if (parts.length > chat.maxParts) {
    const size = counted(text.length, 'character')
    if (chat.supportsFiles && !file) {
      attachment = textFile(text, format)
      const note = `… (${size} in all: see the file)`
      parts = [cutShort(content, note, { ...measure, maxLength: 900 })]
    } else {
      const last = parts[chat.maxParts - 1] ?? ''
      const note = `… (cut: ${size} in all)`
      parts = [...parts.slice(0, chat.maxParts - 1), cutShort(last, note, measure)]
    }
  }
  let first = ''
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1
    const id = await chat.send({
      content: part,
      edit: at === 0 ? edit : '',
      buttons: isLast ? buttons : [],
      file: isLast ? attachment : undefined,
    })
    if (at === 0) first = id
  }
  return first
}

function textFile(text: string, format: Reply['format']): Attachment {
  const ending = { plain: 'txt', markdown: 'md', html: 'html', raw: 'txt' }[format]
  return { name: `reply.${ending}`, bytes: new TextEncoder().encode(text) }
}
