import { toBase64, utf8Text } from './bytes.ts'
import { type Json, type JsonObject, parseJson, record } from './json.ts'

interface ParsedBody {
  /** What the trigger hands on: an object for JSON and forms, else text; `null` for an empty body. */
  readonly body: Json
  /** True when the bytes are no text: `body` is then their base64. */
  readonly binary: boolean
}

/**
 * Parses a body by its content type: JSON, urlencoded and multipart forms; otherwise JSON where the
 * text begins with `{` or `[`. What cannot be parsed stays text, nothing is lost.
 */
export async function parseBody(
  bytes: Uint8Array,
  contentType: string,
  isJson: boolean,
): Promise<ParsedBody> {
  if (bytes.length === 0) return { body: null, binary: false }
  const form =
    mediaType(contentType) === 'multipart/form-data'
      ? await multipart(bytes, contentType)
      : undefined
  if (form) return { body: form, binary: false }
  const text = decodeText(bytes, contentType)
  if (text === undefined) return { body: toBase64(bytes), binary: true }
  return { body: parseText(text, contentType, isJson), binary: false }
}

function parseText(text: string, contentType: string, isJson: boolean): Json {
  const content = text.replace(/^\uFEFF/, '')
  if (mediaType(contentType) === 'application/x-www-form-urlencoded') {
    return fields(new URLSearchParams(content))
  }
  const declared = isJson || /^application\/json$|\+json$/.test(mediaType(contentType))
  if (!declared && !/^[[{]/.test(content)) return text
  try {
    return parseJson(content)
  } catch {
    return text
  }
}

function decodeText(bytes: Uint8Array, contentType: string): string | undefined {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(contentType)?.[1]
  return utf8Text(bytes) ?? (charset ? decodeCharset(bytes, charset) : undefined)
}

/** Text in the charset the sender declared; `undefined` for a charset unknown here, or broken text. */
function decodeCharset(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

/** Fields by name, repeated ones as arrays: the shape of `query` and of form bodies. */
export function fields<Value extends Json>(
  entries: Iterable<readonly [string, Value]>,
): JsonObject {
  const values = new Map<string, Value[]>()
  for (const [name, value] of entries) {
    const earlier = values.get(name)
    if (earlier) earlier.push(value)
    else values.set(name, [value])
  }
  return record([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? null) : all]))
}

/** The fields of a multipart form, or `undefined` when the bytes are not one. */
async function multipart(bytes: Uint8Array, contentType: string): Promise<JsonObject | undefined> {
  try {
    const response = new Response(bytes, { headers: { 'content-type': contentType } })
    const form = await response.formData()
    const entries = [...form].map(async ([name, value]) => [name, await formValue(value)] as const)
    return fields(await Promise.all(entries))
  } catch {
    return undefined
  }
}

async function formValue(value: string | File): Promise<Json> {
  if (typeof value === 'string') return value
  const content = toBase64(new Uint8Array(await value.arrayBuffer()))
  return { filename: value.name, type: value.type, size: value.size, content }
}
