import { LIMITS } from '../wire/limits.ts'

interface RelayErrorOptions {
  /** What the sender can do about it. */
  readonly hint: string
  /** Seconds until another try makes sense. */
  readonly retryAfter?: number
  readonly attempts?: Attempts
  readonly cause?: unknown
}

/** How the platform was asked. */
export interface Attempts {
  readonly tries: number
  /** Status of the platform's last answer; absent when none came. */
  readonly githubStatus?: number
  /** The outbox has the event, not the platform: why, a code, or `queued` behind others. */
  readonly queued?: string
  /** Id of the batch that took the event. */
  readonly batch?: string
  /** Page of the run that was started, where the platform told it. */
  readonly run?: string
  /** True where the local engine took the event at once, and no trigger fired. */
  readonly isIdle?: boolean
}

/** Why a request was not dispatched, or not known to be: shown to the sender as it stands. */
export class RelayError extends Error {
  override readonly name = 'RelayError'

  /** The modules beside a worker's hold copies of this class: its errors are told by their name. */
  static override [Symbol.hasInstance](value: unknown): value is RelayError {
    return value instanceof Error && value.name === 'RelayError'
  }

  readonly status: number
  readonly code: string
  readonly hint: string
  readonly retryAfter: number | undefined
  readonly attempts: Attempts | undefined

  constructor(status: number, code: string, message: string, options: RelayErrorOptions) {
    super(message, { cause: options.cause })
    this.status = status
    this.code = code
    this.hint = options.hint
    this.retryAfter = options.retryAfter
    this.attempts = options.attempts
  }

  /** The same fault, with the account of the tries it took. */
  after(attempts: Attempts): RelayError {
    const { status, code, message, hint, retryAfter, cause } = this
    return new RelayError(status, code, message, {
      hint,
      attempts,
      cause,
      ...(retryAfter !== undefined && { retryAfter }),
    })
  }
}

export function methodNotAllowed(allowed: readonly string[]): RelayError {
  return new RelayError(405, 'method_not_allowed', 'this method is not relayed', {
    hint: `use one of ${allowed.join(', ')}`,
  })
}

export function notFound(form: string): RelayError {
  return new RelayError(404, 'not_found', 'there is nothing at this address', {
    hint: `a webhook URL has the form ${form}`,
  })
}

export function invalidOwner(): RelayError {
  return new RelayError(
    400,
    'invalid_owner',
    'the first part of the path is not a repository owner',
    {
      hint: 'an owner has at most 39 letters, digits, "-" and "_", none of them percent-encoded',
    },
  )
}

export function invalidRepository(): RelayError {
  return new RelayError(
    400,
    'invalid_repository',
    'the second part of the path is not a repository',
    {
      hint: 'a name has at most 100 letters, digits, ".", "-" and "_", none of them percent-encoded',
    },
  )
}

export function invalidWorkflow(): RelayError {
  return new RelayError(
    400,
    'invalid_workflow',
    'the workflow in the path is not the name of a file',
    {
      hint: 'a name has at most 100 letters, digits, ".", "-" and "_", none of them percent-encoded',
    },
  )
}

/** @param form of a webhook URL */
export function missingTrigger(form: string): RelayError {
  return new RelayError(400, 'invalid_workflow', 'the path names no workflow and its trigger', {
    hint: `a webhook URL has the form ${form}; the workflow is the name of its file, without the extension`,
  })
}

export function invalidBatch(message: string, hint: string): RelayError {
  return new RelayError(400, 'invalid_batch', message, { hint })
}

export function batchRequiresOutbox(): RelayError {
  return new RelayError(
    400,
    'batch_requires_outbox',
    'this relay has no outbox to collect events in',
    {
      hint: 'leave __batch out of the URL, or start the relay with --outbox (on Workers, with the binding OUTBOX)',
    },
  )
}

export function invalidResponseOption(parameter: string, hint: string): RelayError {
  return new RelayError(400, 'invalid_response_option', `${parameter} cannot be answered`, { hint })
}

/** @param hasAuthorization whether one stands in the header that most people try first */
export function missingToken(hasAuthorization = false): RelayError {
  const seen = hasAuthorization
    ? 'Authorization came, which is left to the sender and the workflow: '
    : ''
  return new RelayError(401, 'missing_token', 'the request brings no token', {
    hint: `${seen}send it in the header X-Platform-Authorization, or as the query parameter __token`,
  })
}

/** One answer for every way in which a token can be wrong, so that none tells more than another. */
export function invalidToken(): RelayError {
  return new RelayError(401, 'invalid_token', 'the token was not accepted', {
    hint: 'check that it is complete, not expired, and meant for this repository and path',
  })
}

/** The grant asks for a proof of the sender that the request does not have; nothing more is said. */
export function invalidSignature(): RelayError {
  return new RelayError(401, 'invalid_signature', 'the request does not prove its sender', {
    hint: 'sign it as its sender does',
  })
}

export function tokenInBody(): RelayError {
  return new RelayError(400, 'token_in_body', 'the body contains the token', {
    hint: 'everyone who can read the workflow run could read it: use a sealed token instead',
  })
}

export function incompleteBody(cause: unknown): RelayError {
  return new RelayError(400, 'incomplete_body', 'the body ended before it was complete', {
    hint: 'send the request again',
    cause,
  })
}

export function overloaded(): RelayError {
  return new RelayError(503, 'overloaded', 'the relay holds as many bodies as it may', {
    hint: 'send the request again in a second',
    retryAfter: 1,
  })
}

export function bodyTooLarge(): RelayError {
  return new RelayError(413, 'payload_too_large', 'the body is larger than the relay accepts', {
    hint: `send at most ${LIMITS.requestBodyBytes} bytes`,
  })
}

export function payloadTooLarge(size: number, unit: 'bytes' | 'characters'): RelayError {
  const message = `the event would take ${size} ${unit}, GitHub accepts ${LIMITS.clientPayloadBytes}`
  return new RelayError(413, 'payload_too_large', message, {
    hint: 'send less, or only an address from which the workflow fetches the rest',
  })
}

export function outboxFull(message: string, cause?: unknown): RelayError {
  return new RelayError(503, 'outbox_full', message, {
    hint: 'nothing was kept: send the request again later',
    retryAfter: 60,
    cause,
  })
}

export function internalError(cause: unknown): RelayError {
  return new RelayError(500, 'internal_error', 'the relay failed', {
    hint: 'send the request again; if it keeps failing, report it with the delivery id',
    cause,
  })
}

/** What the server could not read as a request. */
export function malformedRequest(status: number): RelayError {
  const [code, message] = MALFORMED.get(status) ?? [
    'invalid_request',
    'this is not a valid HTTP request',
  ]
  return new RelayError(status, code, message, {
    hint: 'see RFC 9112 for what a request looks like',
  })
}

const MALFORMED: ReadonlyMap<number, readonly [code: string, message: string]> = new Map([
  [405, ['method_not_allowed', 'this method is not relayed']],
  [408, ['request_timeout', 'the request took too long to arrive']],
  [431, ['headers_too_large', 'the request line and the headers together are larger than 16 KB']],
])

/** @param retryAfter seconds */
export function rateLimited(retryAfter: number): RelayError {
  return new RelayError(429, 'rate_limited', "GitHub's rate limit is reached", {
    hint: `send the request again in ${retryAfter} seconds`,
    retryAfter,
  })
}

export function githubUnavailable(cause?: unknown, retryAfter?: number): RelayError {
  return new RelayError(502, 'github_unavailable', 'GitHub did not accept the event', {
    hint: `send the request again ${retryAfter ? `in ${retryAfter} seconds` : 'later'}`,
    cause,
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** Nothing of the event has left. */
export function githubUnreachable(cause: unknown): RelayError {
  return new RelayError(502, 'github_unavailable', 'the relay could not reach GitHub', {
    hint: 'send the request again later',
    cause,
  })
}

/** The platform failed at an event that it had already. */
/**
 * True where nobody can tell whether GitHub has the event: no answer came, one that says it failed, or
 * a 2xx that accepts nothing.
 */
export function isAmbiguous({ code, attempts }: RelayError): boolean {
  const { githubStatus: status = 0 } = attempts ?? {}
  const isFailure = status >= 500 && status !== 503
  return code === 'github_timeout' || isFailure || (status >= 200 && status < 300)
}

export function unknownOutcome(): RelayError {
  return new RelayError(502, 'github_unavailable', 'GitHub failed to answer for the event', {
    hint: 'it may have been accepted: send it again, and let the workflow drop duplicates',
  })
}

export function githubTimeout(cause: unknown): RelayError {
  return new RelayError(504, 'github_timeout', 'GitHub did not answer in time', {
    hint: 'the event may have been accepted: send it again, and let the workflow drop duplicates',
    cause,
  })
}

export function unexpectedStatus({ status }: { readonly status: number }): RelayError {
  return new RelayError(502, 'github_unavailable', `status ${status} does not accept an event`, {
    hint: 'check HOOKLINE_API_URL, and that no proxy answers in place of GitHub: if it was GitHub, the event may have been accepted',
  })
}

export function redirected({ status }: { readonly status: number }): RelayError {
  return new RelayError(502, 'github_unavailable', `GitHub redirects elsewhere, by ${status}`, {
    hint: 'check the name of the repository, HOOKLINE_API_URL, and that no proxy answers in place of GitHub',
  })
}
