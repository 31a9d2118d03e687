import { UserError } from '../wire/errors.ts'
import { isObject, type JsonObject, parseJson } from '../wire/json.ts'
import { counted } from '../wire/printable.ts'
import {
  type Answer,
  type Attachment,
  type Chat,
  NotDelivered,
  type Occasion,
  type ReplyPorts,
  unanswerable,
} from './reply/chat.ts'
import { readAnswer, readFlag } from './reply/inputs.ts'
import { cutShort, type Measure, splitText } from './reply/split.ts'

type Way = (occasion: Occasion) => Chat | Promise<Chat>

const telegram: Way = async (occasion) =>
  (await import('./reply/telegram.ts')).telegramChat(occasion)

/** By trigger, how an item of it is answered; only that file is loaded. */
const CHATS: ReadonlyMap<string, Way> = new Map<string, Way>([
  ['messaging_bot', telegram],
  ['telegram_bot', telegram],
  ['slack', async (occasion) => (await import('./reply/slack.ts')).slackChat(occasion)],
  ['discord', async (occasion) => (await import('./reply/discord.ts')).discordChat(occasion)],
])

/**
 * Answers where an item came from.
 *
 * @param input reads an input of reply/action.yml
 * @returns the id by which the answer can be changed; empty where there is none
 * @throws UserError for an input that is wrong, or an item that has no way back; with `required` also
 *   when the answer is not taken, which is a warning otherwise: the job's work is done
 */
export async function reply(input: (name: string) => string, ports: ReplyPorts): Promise<string> {
  const { trigger, item } = firedItem(input('to'))
  const way = CHATS.get(trigger)
  if (!way) throw unanswerable(`an item of ${JSON.stringify(trigger)}`)
  const isRequired = readFlag(input, 'required')
  const answer = readAnswer(input, ports)
  try {
    const chat = await way({ item, input, answer, ports })
    return await deliver(chat, answer)
  } catch (error) {
    if (isRequired || !(error instanceof NotDelivered)) throw error
    const lines = error.problems.flatMap(({ message, hint, notes = [] }) => [
      message,
      ...(hint ? [hint] : []),
      ...notes,
    ])
    ports.warn(['the reply was not delivered', ...lines].join('\n'))
    return ''
  }
}

/** The trigger of an `on` context that fired, with its outputs. */
function firedItem(text: string): { readonly trigger: string; readonly item: JsonObject } {
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
    // It was parsed from JSON.
    if (isObject(state.outputs)) return { trigger, item: state.outputs as JsonObject }
    throw unanswerable('a list of items, as "outputsMode: combine" makes it,')
  }
  throw new UserError({
    message: 'input "to" holds no item: nothing fired',
    hint: "guard the step: if: steps.hookline.outputs.triggered == 'true'",
  })
}

/** Says all of it, in as many messages as it takes. @returns the id of the first */
async function deliver(chat: Chat, { text, format, edit, buttons, file }: Answer): Promise<string> {
  const measure: Measure = {
    longest: chat.longest,
    length: (part) => chat.length(part),
    hasFences: format === 'markdown' || format === 'raw',
    hasTags: format === 'html',
  }
  let parts = splitText(text, measure, chat.mostParts + 1)
  let attachment = file
  if (parts.length > chat.mostParts) {
    const size = counted(text.length, 'character')
    if (chat.takesFiles && !file) {
      attachment = whole(text, format)
      parts = [cutShort(text, `\n… (${size} in all: see the file)`, { ...measure, longest: 900 })]
    } else {
      const note = `\n… (cut: ${size} in all)`
      const last = parts.slice(chat.mostParts - 1).join('\n')
      parts = [...parts.slice(0, chat.mostParts - 1), cutShort(last, note, measure)]
    }
  }
  let first = ''
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1
    const id = await chat.say({
      text: part,
      edit: at === 0 ? edit : '',
      buttons: isLast ? buttons : [],
      file: isLast ? attachment : undefined,
    })
    if (at === 0) first = id
  }
  return first
}

/** The text as a file, for what is too long to be said. */
function whole(text: string, format: Answer['format']): Attachment {
  const ending = { plain: 'txt', markdown: 'md', html: 'html', raw: 'txt' }[format]
  return { name: `reply.${ending}`, bytes: new TextEncoder().encode(text) }
}
