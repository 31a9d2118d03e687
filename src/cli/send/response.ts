import { fieldsOf } from '../../wire/github-api.ts'
import type { HttpResponse } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { HEADER } from '../../wire/payload.ts'

/** The response of a relay or of `hookline dev` to a webhook request. */
export interface SendResponse {
  readonly accepted: boolean
  readonly status: number
  /** Delivery id; `null` if the server is not a relay. */
  readonly delivery: string | null
  /** Page of the run, if the relay knows it. */
  readonly run: string | null
  /** True if the relay stored the event. */
  readonly queued: boolean
  /** True if the relay collects the event for a batch. */
  readonly collected: boolean
  /** True if the condition of the endpoint dropped the request, so that no run starts. */
  readonly filtered: boolean
  /** True if the path of the URL names no trigger. */
  readonly missingTrigger: boolean
  /** True if `hookline dev` evaluated the request and no trigger fired. */
  readonly nothingFired: boolean
  /** Why the accepted request starts no run; `null` if a run starts. */
  readonly reason: string | null
  /** Error code of the relay: `missing_token`. */
  readonly code: string | null
  /** Fault and cure; `null` in a response of another server. */
  readonly message: string | null
  readonly hint: string | null
  readonly body: string
}

export function readResponse({ status, headers, text }: HttpResponse): SendResponse {
  const { error } = fieldsOf({ text })
  const { code, message, hint } = isObject(error) ? error : {}
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  const filtered = headers[HEADER.filtered] !== undefined
  const missingTrigger = headers[HEADER.hint] === 'no_trigger'
  const nothingFired = headers[HEADER.hint] === 'nothing_fired'
  return {
    accepted: status >= 200 && status < 300,
    status,
    delivery: headers[HEADER.delivery] ?? null,
    run: headers[HEADER.run] ?? null,
    queued: headers[HEADER.queued] === 'true',
    collected: headers[HEADER.reason] === 'batch',
    filtered,
    missingTrigger,
    nothingFired,
    reason: filtered
      ? FILTERED
      : missingTrigger
        ? NO_TRIGGER
        : nothingFired
          ? idleText(headers)
          : null,
    code: textOf(code),
    message: textOf(message),
    hint: textOf(hint),
    body: text,
  }
}

const FILTERED = 'no run: the condition of the endpoint (--if) is not true for this request'

const NO_TRIGGER =
  'no run: the URL names no trigger. A webhook URL ends in /<workflow>/<trigger>, for example /hook/webhook.'

/** The explanation of `hookline dev`. */
function idleText(headers: HttpResponse['headers']): string {
  const reason = headers[HEADER.reason]
  return `nothing fired: ${reason ?? 'the terminal of hookline dev shows the reason'}`
}
