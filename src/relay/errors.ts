import { LIMITS } from '../wire/limits.ts'

interface RelayErrorOptions {
  /** The fix for the sender or the admin. */
  readonly hint: string
  /** Seconds until a retry may succeed. */
  readonly retryAfter?: number
  readonly attempts?: Attempts
  readonly cause?: unknown
}

/** The calls to GitHub for one event. */
export interface Attempts {
  readonly tries: number
  /** Status of GitHub's last response; absent if there was none. */
  readonly githubStatus?: number
  /** True if GitHub may have accepted the event in a try before the last one, which got a 502. */
  readonly mayBeAccepted?: boolean
  /** Set if the database has the event, and GitHub does not: an error code, `queued`, `stored` or `batch`. */
  readonly queued?: string
  /**
   * When the first call began, by GitHub's clock if GitHub responded, in milliseconds since 1970: a run of the
   * event is not older. Only measured by a relay with a database.
   */
  readonly acceptedAt?: number
  /** Milliseconds of the last call, likewise. */
  readonly githubMs?: number
  /** Address of the run that was started, if GitHub names it. */
  readonly run?: string
  /** True if the local engine evaluated the event and no trigger fired. */
  readonly isIdle?: boolean
  /** The conditions that the event did not meet, for the sender of an event that fired nothing. */
  readonly idleReason?: string
}

/** Why GitHub did not accept an event, or may not have. The sender sees message and hint. */
export class RelayError extends Error {
  override readonly name = 'RelayError'

  /** The bundles that a worker loads contain copies of this class, so errors are known by name. */
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

  /** The same error, with the calls that led to it. */
  after(attempts: Attempts): RelayError {
    const { status, code, message, retryAfter, cause } = this
    const isHinted = attempts.mayBeAccepted && !isLastAmbiguous(code, attempts)
    const hint = isHinted ? `${this.hint} ${EARLIER_TRY}` : this.hint
    return new RelayError(status, code, message, {
      hint,
      attempts,
      cause,
      ...(retryAfter !== undefined && { retryAfter }),
    })
  }
}

export function methodNotAllowed(allowed: readonly string[]): RelayError {
  return new RelayError(405, 'method_not_allowed', 'method not allowed', {
    hint: `Use one of ${allowed.join(', ')}.`,
  })
}

/** @param form of a webhook URL */
export function notFound(form: string): RelayError {
  return new RelayError(404, 'not_found', 'not a webhook URL', {
    hint: `Use a URL of the form ${form}.`,
  })
}

const NAME_HINT = 'Use at most 100 letters, digits, ".", "-" and "_", none of them percent-encoded.'

export function invalidOwner(): RelayError {
  return new RelayError(
    400,
    'invalid_path',
    'the first segment of the path is not a repository owner',
    {
      hint: 'Use at most 39 letters, digits, ".", "-" and "_", none of them percent-encoded.',
    },
  )
}

export function invalidRepository(): RelayError {
  return new RelayError(
    400,
    'invalid_path',
    'the second segment of the path is not a repository name',
    { hint: NAME_HINT },
  )
}

export function invalidWorkflow(): RelayError {
  return new RelayError(
    400,
    'invalid_workflow',
    'the workflow in the path is not the name of a file',
    { hint: NAME_HINT },
  )
}

/** @param form of a webhook URL */
export function missingTrigger(form: string): RelayError {
  return new RelayError(400, 'invalid_workflow', 'the path has no workflow and trigger', {
    hint: `Use a URL of the form ${form}; the workflow is its file name without extension.`,
  })
}

export function invalidResponseOption(message: string, hint: string): RelayError {
  return new RelayError(400, 'invalid_response_option', message, { hint })
}

/** @param hasAuthorization whether the request has an `Authorization` header, which many try first */
export function missingToken(hasAuthorization: boolean): RelayError {
  const ignored = hasAuthorization
    ? ' The relay does not read the header Authorization, because it belongs to the sender.'
    : ''
  return new RelayError(401, 'missing_token', 'the request has no token', {
    hint: `Send the token in the header X-Platform-Authorization, or in the query parameter __token.${ignored}`,
  })
}

/** One error for every reason, so that a caller learns nothing about the token. */
export function invalidToken(): RelayError {
  return new RelayError(401, 'invalid_token', 'the token was not accepted', {
    hint: 'Check that the token is complete and not expired, and that it covers this repository.',
  })
}

/** The relay serves its owner's repositories, so it takes no tokens of others. */
export function tokensNotAllowed(): RelayError {
  return new RelayError(401, 'invalid_token', 'the relay does not accept GitHub tokens', {
    hint: 'Use the URL of an endpoint: hookline endpoint create. To accept tokens, start the relay with --allow-tokens.',
  })
}

/** The event of an endpoint that was deleted in the meantime. */
export function endpointDeleted(): RelayError {
  return new RelayError(404, 'endpoint_deleted', 'the endpoint of the event was deleted', {
    hint: 'Create an endpoint, and send the event again.',
  })
}

/** More unknown ids a second than a mistake explains: they are guesses. Each guess gets the same response. */
export function tooManyUnknown(): RelayError {
  return new RelayError(429, 'rate_limited', 'too many requests with unknown endpoints', {
    hint: 'Check the URL of the webhook, and send the request again in 1 second.',
    retryAfter: 1,
  })
}

/** @param cause the error of the database */
export function endpointsUnavailable(cause: unknown): RelayError {
  return new RelayError(503, 'overloaded', 'the endpoints cannot be read', {
    hint: 'Send the request again in 5 seconds.',
    retryAfter: 5,
    cause,
  })
}

export function invalidPath(): RelayError {
  return new RelayError(400, 'invalid_path', 'the path contains "." or ".." segments', {
    hint: 'Remove them: the path after an endpoint is added to the path of its trigger.',
  })
}

export function invalidSignature(): RelayError {
  return new RelayError(401, 'invalid_signature', 'signature verification failed', {
    hint: 'Sign the request with the secret that the endpoint has, as the sender does.',
  })
}

/** @param sender whose handshake the relay knows */
export function unsupportedHandshake(sender: string): RelayError {
  return new RelayError(
    501,
    'handshake_not_supported',
    `the relay cannot answer the URL verification of ${sender}`,
    {
      hint: 'The response needs a secret that the relay does not have. Answer it with a service of your own that forwards the events to this URL.',
    },
  )
}

export function tokenInBody(): RelayError {
  return new RelayError(400, 'token_in_body', 'the body contains the GitHub token', {
    hint: 'Use an endpoint: everyone who can read the workflow run can read the body.',
  })
}

export function incompleteBody(cause: unknown): RelayError {
  return new RelayError(
    400,
    'invalid_request',
    'the connection ended before the body was complete',
    {
      hint: 'Send the request again.',
      cause,
    },
  )
}

export function overloaded(): RelayError {
  return new RelayError(503, 'overloaded', 'the relay is processing too many bodies', {
    hint: 'Send the request again in 1 second.',
    retryAfter: 1,
  })
}

/** @param most bytes that the relay accepts with this credential */
export function bodyTooLarge(most: number = LIMITS.requestBodyBytes): RelayError {
  return payloadTooLarge('the body is too large for the relay', `Send at most ${most} bytes.`)
}

/** The one 413, for a body, for an event, and for GitHub's refusal. */
export function payloadTooLarge(
  message = 'the event is larger than GitHub accepts',
  hint = 'Send less data, or an address from which the workflow fetches the rest.',
): RelayError {
  return new RelayError(413, 'payload_too_large', message, { hint })
}

/** The quota of stored bodies is used up. */
export function bodiesFull(cause?: unknown): RelayError {
  return new RelayError(503, 'bodies_full', 'the relay has no room for another large body', {
    hint: 'The event was not stored. Send the request again in 60 seconds.',
    retryAfter: 60,
    cause,
  })
}

/** @param cause why GitHub did not accept the event, or may not have */
export function storageFull(message: string, cause: RelayError): RelayError {
  const error = new RelayError(503, 'storage_full', message, {
    hint: 'The event was not stored. Send the request again in 60 seconds.',
    retryAfter: 60,
    cause,
  })
  const { tries = 0 } = cause.attempts ?? {}
  return error.after({ tries, mayBeAccepted: isAmbiguous(cause) })
}

export function internalError(cause: unknown): RelayError {
  return new RelayError(500, 'internal_error', 'internal error of the relay', {
    hint: 'Send the request again. If it fails again, report it with the delivery id.',
    cause,
  })
}

/** For bytes that the server could not parse as a request. */
export function malformedRequest(status: number): RelayError {
  const [code, message] = MALFORMED.get(status) ?? ['invalid_request', 'not a valid HTTP request']
  return new RelayError(status, code, message, { hint: 'Send a request as RFC 9112 defines it.' })
}

const MALFORMED: ReadonlyMap<number, readonly [code: string, message: string]> = new Map([
  [405, ['method_not_allowed', 'method not allowed']],
  [408, ['request_timeout', 'the request did not arrive in time']],
  [431, ['headers_too_large', 'the request line and the headers are larger than 16 KB']],
])

/** @param retryAfter seconds */
export function rateLimited(retryAfter: number): RelayError {
  return new RelayError(429, 'rate_limited', "GitHub's rate limit is exceeded", {
    hint: `Send the request again in ${retryAfter} seconds.`,
    retryAfter,
  })
}

/** @param retryAfter seconds */
export function githubUnavailable(cause?: unknown, retryAfter?: number): RelayError {
  return new RelayError(502, 'github_unavailable', 'GitHub did not accept the event', {
    hint: `Send the request again ${retryAfter ? `in ${retryAfter} seconds` : 'later'}.`,
    cause,
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** GitHub did not receive the event. */
export function githubUnreachable(cause: unknown): RelayError {
  return new RelayError(502, 'github_unavailable', 'the relay cannot reach GitHub', {
    hint: 'Send the request again later.',
    cause,
  })
}

/** True if GitHub may have accepted the event, in the last try or in one before. */
export function isAmbiguous({ code, attempts = { tries: 0 } }: RelayError): boolean {
  return attempts.mayBeAccepted === true || isLastAmbiguous(code, attempts)
}

/** No response came, a response that reports a failure, or a 2xx that accepts no event. */
function isLastAmbiguous(code: string, { githubStatus: status = 0 }: Attempts): boolean {
  const isFailure = status >= 500 && status !== 503
  return code === 'github_timeout' || isFailure || (status >= 200 && status < 300)
}

const MAY_BE_ACCEPTED =
  'GitHub may have accepted the event. Send it again, and let the workflow drop duplicates.'

const EARLIER_TRY =
  'GitHub may have accepted the event in an earlier call, so let the workflow drop duplicates.'

/** GitHub failed after it had received the event. */
export function unknownOutcome(): RelayError {
  return new RelayError(502, 'github_unavailable', 'GitHub failed while it processed the event', {
    hint: MAY_BE_ACCEPTED,
  })
}

export function githubTimeout(cause: unknown): RelayError {
  return new RelayError(504, 'github_timeout', 'GitHub did not respond in time', {
    hint: MAY_BE_ACCEPTED,
    cause,
  })
}

export function unexpectedStatus({ status }: { readonly status: number }): RelayError {
  return new RelayError(
    502,
    'github_unavailable',
    `unexpected response from the GitHub API (status ${status})`,
    {
      hint: 'Check HOOKLINE_API_URL, and that no proxy responds in place of GitHub. If it was GitHub, it may have accepted the event.',
    },
  )
}

export function redirected({ status }: { readonly status: number }): RelayError {
  return new RelayError(
    502,
    'github_unavailable',
    `unexpected redirect by GitHub (status ${status})`,
    {
      hint: 'Check the name of the repository, HOOKLINE_API_URL, and that no proxy responds in place of GitHub.',
    },
  )
}
