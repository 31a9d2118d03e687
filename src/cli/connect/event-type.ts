import type { ReceivedEvent } from '../../relay/github/payload.ts'
import type { Facts } from '../../triggers/sender.ts'
import { type Json, scalarText, tryParseJson, valueAt } from '../../wire/json.ts'

/** Characters of a type that are shown. */
const MOST = 80

/** Characters that no type of a known sender contains. Without two slashes, no address can be shown. */
const UNUSUAL = /[^\w ./:-]|(?<=\/)\//g

/**
 * The type of an event, such as `checkout.session.completed`, from where the sender writes it. Anyone with the
 * URL can send the request, so unusual characters are replaced, and the length is limited.
 *
 * @returns `undefined` if the type is not known
 */
export function eventType(
  { headers, body }: Pick<ReceivedEvent, 'headers' | 'body'>,
  { events = [''] }: Pick<Facts, 'events'>,
): string | undefined {
  const [root = '', ...rest] = events[0].split('.')
  const value =
    root === 'headers'
      ? headers.get(rest.join('.'))
      : firstAt(parsedBody(headers, body.text), root === 'body' ? rest : [root, ...rest])
  const text = scalarText(value).replaceAll(/\s+/g, ' ').trim()
  if (text === '') return undefined
  const shown = text.slice(0, MOST).replaceAll(UNUSUAL, '?')
  return text.length > MOST ? `${shown}…` : shown
}

function parsedBody(headers: ReadonlyMap<string, string>, text = ''): Json | undefined {
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  if (isForm) return Object.fromEntries(new URLSearchParams(text))
  return tryParseJson(text) as Json | undefined // parsed from JSON
}

/** The value at a path; of a list, that of its first element. */
function firstAt(value: Json | undefined, names: readonly string[]): Json | undefined {
  let at = value
  for (const name of names) at = valueAt(Array.isArray(at) ? at[0] : at, [name])
  return at
}
