import { isObject, tryParseJson } from '../wire/json.ts'
import type { ShownRequest } from './api.ts'

/** Characters of a preview, and of one value in it. */
const LENGTH = { all: 120, value: 60 }

/** Fields that are the same in every request of a sender, or that identify nothing for a reader. */
const DULL =
  /^(?:type|kind|event|event_type|object|object_kind|action|created|updated|livemode|api_version)$|_at$|_?(?:id|url|uri|token|secret|signature|timestamp|version)s?$|Id$|Url$/i

/** Fields that identify an event for a reader, the best first. */
const TELLING = [
  'title',
  'subject',
  'text',
  'message',
  'name',
  'summary',
  'description',
  'content',
  'ref',
  'status',
]

/** One line of a request's content, so that similar requests can be distinguished; `null` without text. */
export function requestPreview({ body, encoding, headers }: ShownRequest): string | null {
  if (encoding !== 'text' || body === '') return null
  if (/form-urlencoded/.test(headers['content-type'] ?? '')) {
    return preview(Object.fromEntries(new URLSearchParams(body)))
  }
  const parsed = tryParseJson(body)
  return isObject(parsed) || Array.isArray(parsed) ? preview(parsed) : previewLine(body)
}

/** For a message to a bot, its sender and text; otherwise the most telling values. */
export function preview(value: unknown): string | null {
  const message = chatMessage(value)
  if (message) return previewLine(message)
  const leaves = leavesOf(value).filter(([key]) => !DULL.test(key))
  const rank = (key: string) => (TELLING.indexOf(key) + TELLING.length + 1) % (TELLING.length + 1)
  const telling = leaves.toSorted(([one], [other]) => rank(one) - rank(other)).slice(0, 3)
  const texts = telling.map(([key, text]) => `${key}: ${text.slice(0, LENGTH.value)}`)
  return texts.length > 0 ? previewLine(texts.join(', ')) : null
}

function chatMessage(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const within = Object.values(value).find((one) => isObject(one) && isObject(one.from))
  const { from, text, caption, data } = isObject(value.from)
    ? value
    : isObject(within)
      ? within
      : {}
  if (!isObject(from)) return undefined
  const who = from.username ?? from.first_name
  const what = text ?? caption ?? data
  return typeof who === 'string' && typeof what === 'string' ? `${who}: ${what}` : undefined
}

/** Strings, numbers and booleans with their names, upper levels first. */
function leavesOf(value: unknown): readonly (readonly [string, string])[] {
  let level: readonly (readonly [string, unknown])[] = [['', value]]
  const found: [string, string][] = []
  for (let depth = 0; depth < 4 && found.length < 40; depth++) {
    for (const [key, one] of level) {
      if (typeof one === 'string' && one.trim() !== '') found.push([key, one])
      if (typeof one === 'number' || typeof one === 'boolean') found.push([key, String(one)])
    }
    level = level.flatMap(([key, one]) =>
      Array.isArray(one)
        ? one.slice(0, 5).map((each: unknown) => [key, each] as const)
        : isObject(one)
          ? Object.entries(one)
          : [],
    )
  }
  return found
}

function previewLine(text: string): string | null {
  const line = text
    .slice(0, 2 * LENGTH.all)
    .replace(/\s+/g, ' ')
    .trim()
  if (line === '') return null
  return line.length > LENGTH.all ? `${line.slice(0, LENGTH.all)}…` : line
}
