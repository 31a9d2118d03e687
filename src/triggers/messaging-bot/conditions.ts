import type { Check } from '../trigger.ts'
import { messageType } from './message-types.ts'
import type { MessagingBotOptions } from './options.ts'
import { chatId, type Update, userId } from './update.ts'
import { MESSAGE_KINDS, NEW_MESSAGES, type UpdateKind } from './update-kinds.ts'

type Conditions = Pick<MessagingBotOptions, 'event' | 'updates' | 'chats' | 'users'>

/** What an update must meet to become an item; the same for polled and pushed ones. */
export function updateChecks(update: Update, options: Conditions): Check[] {
  return [
    kindCheck(update, firingKinds(options)),
    typeCheck(update, options.event),
    idCheck('chats', chatId(update), options.chats),
    idCheck('users', userId(update), options.users),
  ]
}

/** The kinds that fire, and so the ones that the Bot API is asked for. */
export function firingKinds({ updates = [] }: Pick<MessagingBotOptions, 'updates'>): UpdateKind[] {
  return [...new Set([...NEW_MESSAGES, ...updates])]
}

function kindCheck({ kind }: Update, firing: readonly UpdateKind[]): Check {
  const held = kind !== undefined && firing.includes(kind)
  const name = kind ?? 'an unknown kind'
  return { option: 'updates', held, found: held ? name : `${name} is not among ${list(firing)}` }
}

/** Only a message has a type: an update such as `callback_query` passes. */
function typeCheck({ kind, content }: Update, wanted: MessagingBotOptions['event']): Check {
  if (!wanted || !MESSAGE_KINDS.has(kind ?? '')) {
    return { option: 'event', held: true, found: 'any message type' }
  }
  const type = messageType(content)
  const held = type !== undefined && wanted.includes(type)
  const name = type ?? 'an unknown type'
  return { option: 'event', held, found: held ? name : `${name} is not among ${list(wanted)}` }
}

/** The ids themselves are not shown: a summary of a public repository is public. */
function idCheck(option: 'chats' | 'users', id: string | undefined, allowed?: string[]): Check {
  if (!allowed) return { option, held: true, found: 'anyone' }
  const held = id !== undefined && allowed.includes(id)
  return { option, held, found: held ? 'on the list' : 'not on the list' }
}

function list(names: readonly string[]): string {
  return names.join(', ')
}
