import type { HttpReply } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'

/** What a relay, or `hookline dev`, made of a request. */
export interface Answer {
  readonly accepted: boolean
  readonly status: number
  /** The relay's id; `null` from what is no relay. */
  readonly delivery: string | null
  /** The relay's error code: `missing_token`. */
  readonly code: string | null
  /** What is wrong, and what would do; absent in an answer that is not the relay's. */
  readonly message: string | null
  readonly hint: string | null
  readonly body: string
}

export function readAnswer({ status, headers, text }: HttpReply): Answer {
  const error = relayError(text)
  return {
    accepted: status >= 200 && status < 300,
    status,
    delivery: headers['x-hookline-delivery'] ?? null,
    code: textOf(error.code),
    message: textOf(error.message),
    hint: textOf(error.hint),
    body: text,
  }
}

function relayError(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && isObject(value.error) ? value.error : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
