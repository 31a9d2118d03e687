import { fieldsOf } from '../../wire/github.ts'
import type { HttpReply } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { HEADER } from '../../wire/payload.ts'

/** What a relay, or `hookline dev`, made of a request. */
export interface Answer {
  readonly accepted: boolean
  readonly status: number
  /** The relay's id; `null` from what is not a relay. */
  readonly delivery: string | null
  /** Page of the run that was started, where the relay tells it. */
  readonly run: string | null
  /** True when it waits in the relay's outbox for GitHub. */
  readonly queued: boolean
  /** Id of the batch that took it, where it waits for others. */
  readonly batch: string | null
  /** True when a condition in its grant wanted none of it: nothing was started. */
  readonly filtered: boolean
  /** True when its path names no trigger of a workflow: only what reads the path by itself runs. */
  readonly noTrigger: boolean
  /** True when `hookline dev` looked at it, and no trigger fired. */
  readonly nothingFired: boolean
  /** The relay's error code: `missing_token`. */
  readonly code: string | null
  /** What is wrong, and what would do; absent in an answer that is not the relay's. */
  readonly message: string | null
  readonly hint: string | null
  readonly body: string
}

export function readAnswer({ status, headers, text }: HttpReply): Answer {
  const { error } = fieldsOf({ text })
  const { code, message, hint } = isObject(error) ? error : {}
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    accepted: status >= 200 && status < 300,
    status,
    delivery: headers[HEADER.delivery] ?? null,
    run: headers[HEADER.run] ?? null,
    queued: headers[HEADER.queued] === 'true',
    batch: headers[HEADER.batch] ?? null,
    filtered: headers[HEADER.filtered] === 'true',
    noTrigger: headers[HEADER.hint] === 'no_trigger',
    nothingFired: headers[HEADER.hint] === 'nothing_fired',
    code: textOf(code),
    message: textOf(message),
    hint: textOf(hint),
    body: text,
  }
}
