import type { Item } from '../../items/item.ts'
import { isObject, type Json, type JsonObject } from '../../wire/json.ts'
import { UPDATE_KINDS, type UpdateKind } from './update-kinds.ts'

/** One update of a bot, taken apart. */
export interface Update {
  readonly id: number
  /** `undefined` for a kind that the Bot API has gained after our list, and for no kind at all. */
  readonly kind: UpdateKind | undefined
  /** What stands under the kind: a message, a callback query, … */
  readonly content: JsonObject
}

/** An update as the Bot API sends it; `undefined` for anything that is none. */
export function readUpdate(value: Json): Update | undefined {
  if (!isObject(value)) return undefined
  const update = value as JsonObject // isObject says what it is, not what it holds; Json holds Json
  const id = update.update_id
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
  const kind = UPDATE_KINDS.find((name) => isObject(update[name]))
  return { id, kind, content: kind ? (update[kind] as JsonObject) : {} }
}

/**
 * The item of an update, polled or pushed: the kind's own object plus `update_id`. A kind that the
 * option `updates` names also tells its name, as `update_type`.
 */
export function updateItem({ id, kind, content }: Update, named: readonly UpdateKind[] = []): Item {
  const item = { ...content, update_id: id }
  return kind && named.includes(kind) ? { ...item, update_type: kind } : item
}

/** Id of the chat that an update belongs to; `undefined` for one outside any chat. */
export function chatId({ content }: Update): string | undefined {
  return idOf(content.chat) ?? (isObject(content.message) ? idOf(content.message.chat) : undefined)
}

/** Id of the person who caused an update; `undefined` where it names nobody, as in a channel. */
export function userId({ content }: Update): string | undefined {
  return idOf(content.from) ?? idOf(content.user)
}

/** As text, since ids of 16 digits are text already when they come out of a body. */
function idOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  return typeof value.id === 'number' || typeof value.id === 'string' ? String(value.id) : undefined
}
