import { readFileSync } from 'node:fs'
import type { Message, Update } from 'grammy/types'
import type { SPECIFIED_TYPES } from '../../src/triggers/messaging-bot/updates.ts'

type Specified = (typeof SPECIFIED_TYPES)[number]
type Kind = Exclude<keyof Update, 'update_id'>

/** One documented message of each type of the specification. */
export const MESSAGES = read<Readonly<Record<Specified, Message>>>('messages.json')

/** An example of each kind of update of the Bot API. */
export const UPDATES = read<Readonly<Record<Kind, object>>>('updates.json')

/** A text message in a private chat. */
export function textMessage(text: string) {
  return { ...MESSAGES.text, text }
}

function read<Shape>(name: string): Shape {
  const file = new URL(`../triggers/messaging-bot/fixtures/${name}`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Shape // the name of the fixture gives its shape
}

/** The fields of the command in a fixture, `/deploy …`, which an item has in addition. */
export function commandIn(message: object): object {
  const { text } = message as { text?: unknown } // only the type of `text` is checked
  if (typeof text !== 'string' || !text.startsWith('/deploy')) return {}
  return { command: '/deploy', command_args: text.slice('/deploy'.length).trim(), command_bot: '' }
}
