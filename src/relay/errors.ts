import { LIMITS } from '../wire/limits.ts'

export interface ErrorEntry {
  readonly status: number
  /** The fault. */
  readonly message: string
  /** The fix for the sender or the admin. "later" becomes the time, if it is known. */
  readonly hint: string
  /** Seconds until a retry may succeed. */
  readonly retryAfter?: number
}

const MAY_BE_ACCEPTED =
  'GitHub may have accepted the event. Send it again, and let the workflow drop duplicates.'

const NOT_STORED = 'The event was not stored: send the request again later.'

/**
 * The error codes of the relay; docs/reference/http.md lists them. Code that knows more than the code has a
 * message or a hint of its own.
 */
export const ERROR_CODES = {
  app_clock_skew: {
    status: 502,
    message: "the relay's clock differs from GitHub's by more than a minute",
    hint: 'Synchronize the clock with NTP.',
  },
  app_key_rejected: {
    status: 502,
    message: "GitHub does not accept the key of the relay's GitHub App",
    hint: 'Check HOOKLINE_APP_ID, and that HOOKLINE_APP_KEY is an existing key of this App.',
  },
  app_not_installed: {
    status: 403,
    message:
      "the relay's GitHub App is not installed on the repository, or its installation is suspended",
    hint: 'Install the App, or unsuspend its installation.',
  },
  app_permission_missing: {
    status: 403,
    message: "the relay's GitHub App lacks a permission in the repository",
    hint: 'Add the permission in the settings of the App, then have the owner of the repository accept it.',
  },
  bodies_full: {
    status: 503,
    message: 'the relay has no room for another large body',
    hint: NOT_STORED,
    retryAfter: 60,
  },
  credential_required: {
    status: 400,
    message: 'the relay has no GitHub credential of its own',
    hint: 'Set "token" to a GitHub token, which the relay stores encrypted for this endpoint.',
  },
  credential_revoked: {
    status: 401,
    message: 'the relay has no GitHub credential for this endpoint',
    hint: 'Set HOOKLINE_GITHUB_TOKEN on the relay, or store a token: hookline endpoint update --credential token.',
  },
  dispatch_not_supported: {
    status: 422,
    message: 'Forgejo and Gitea have no repository_dispatch',
    hint: 'Set HOOKLINE_FORGE=forgejo or HOOKLINE_FORGE=gitea on the relay, or change the endpoint: hookline endpoint update <name> --dispatch workflow.',
  },
  endpoint_deleted: {
    status: 404,
    message: 'the endpoint of the event was deleted',
    hint: 'Create an endpoint, and send the event again.',
  },
  endpoint_exists: {
    status: 409,
    message: 'the owner has an endpoint with this name',
    hint: 'Choose another name, or change the endpoint: hookline endpoint update <name>.',
  },
  event_rejected: {
    status: 422,
    message: 'GitHub rejected the event',
    hint: 'Check the content of the event: GitHub accepts the token.',
  },
  github_timeout: {
    status: 504,
    message: 'GitHub did not respond in time',
    hint: MAY_BE_ACCEPTED,
  },
  github_unavailable: {
    status: 502,
    message: 'GitHub did not accept the event',
    hint: 'Send the request again later.',
  },
  handshake_not_supported: {
    status: 501,
    message: 'the relay cannot answer the URL verification of this sender',
    hint: 'The response needs a secret that the relay does not have. Answer it with a service of your own that forwards the events to this URL.',
  },
  headers_too_large: {
    status: 431,
    message: 'the request line and the headers are larger than 16 KB',
    hint: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    message: 'internal error of the relay',
    hint: 'Send the request again. If it fails again, report it with the delivery id.',
  },
  invalid_endpoint: {
    status: 400,
    message: 'the settings of the endpoint are invalid',
    hint: 'Correct the settings that the hint names.',
  },
  invalid_key: {
    status: 401,
    message: 'the bearer of the admin API is wrong or missing',
    hint: 'Send the header Authorization: Bearer <key>, with the output of: hookline relay key. If the relay runs with --allow-tokens, your GitHub token is a bearer too.',
  },
  invalid_path: {
    status: 400,
    message: 'the path has no valid owner and repository, or contains "." or ".." segments',
    hint: 'Use letters, digits, ".", "-" and "_" for both names, none of them percent-encoded. After the id of an endpoint, use no dot segments.',
  },
  invalid_query: {
    status: 400,
    message: 'the query is invalid',
    hint: 'Correct the parameter that the hint names.',
  },
  invalid_request: {
    status: 400,
    message: 'not a valid HTTP request',
    hint: 'Send a request as RFC 9112 defines it.',
  },
  invalid_response_option: {
    status: 400,
    message: 'a parameter __response_… has an invalid value',
    hint: 'Correct the parameter that the message names.',
  },
  invalid_signature: {
    status: 401,
    message: 'signature verification failed',
    hint: 'Sign the request with the secret that the endpoint has, as the sender does.',
  },
  invalid_token: {
    status: 401,
    message: 'the token was not accepted',
    hint: 'Check that the token is complete and not expired, and that it covers this repository.',
  },
  invalid_workflow: {
    status: 400,
    message: 'the path has no workflow and trigger',
    hint: 'Use a URL that ends in /<workflow>/<trigger>. The workflow is the name of its file without extension.',
  },
  method_not_allowed: {
    status: 405,
    message: 'method not allowed',
    hint: 'Use a method that the header Allow lists.',
  },
  missing_token: {
    status: 401,
    message: 'the request has no token',
    hint: 'Send the token in the header X-Platform-Authorization, or in the query parameter __token. The relay does not read the header Authorization, because it belongs to the sender.',
  },
  not_allowed: {
    status: 403,
    message: 'the bearer does not allow this request',
    hint: 'Use the admin bearer: hookline relay key.',
  },
  not_found: {
    status: 404,
    message: 'the path is not a webhook URL, or no endpoint or delivery has this name',
    hint: 'Use a URL of the form that the hint shows.',
  },
  not_replayable: {
    status: 409,
    message: 'the delivery cannot be replayed',
    hint: 'Let the sender send the event again. The relay stores payloads for HOOKLINE_RETENTION_DAYS.',
  },
  overloaded: {
    status: 503,
    message: 'the relay has no capacity for the request now',
    hint: 'Send the request again later.',
    retryAfter: 1,
  },
  payload_too_large: {
    status: 413,
    message: 'the event is larger than GitHub accepts',
    hint: 'Send less data, or an address from which the workflow fetches the rest.',
  },
  rate_limited: {
    status: 429,
    message: "GitHub's rate limit is exceeded",
    hint: 'Send the request again later.',
  },
  ref_not_found: {
    status: 422,
    message: 'the branch or tag does not exist',
    hint: 'Check the "ref" of the endpoint.',
  },
  relay_key_missing: {
    status: 503,
    message: 'the relay has no relay key',
    hint: 'Set the secret: openssl rand -base64 32 | npx wrangler secret put HOOKLINE_RELAY_KEY.',
  },
  repository_not_accessible: {
    status: 403,
    message: 'the repository does not exist, or the token cannot start its workflows',
    hint: 'Check the name of the repository, the permissions of the token, and with SAML its authorization for the organization.',
  },
  request_timeout: {
    status: 408,
    message: 'the request did not arrive in time',
    hint: 'Send the request again.',
  },
  storage_full: {
    status: 503,
    message: 'the database of the relay is full',
    hint: NOT_STORED,
    retryAfter: 60,
  },
  token_in_body: {
    status: 400,
    message: 'the body contains the GitHub token',
    hint: 'Use an endpoint: everyone who can read the workflow run can read the body.',
  },
  too_many_endpoints: {
    status: 409,
    message: 'the owner has the maximum number of endpoints',
    hint: 'Delete one: hookline endpoint delete <name>. Or use one endpoint with --any-workflow for all workflows of a repository.',
  },
  unreadable_endpoint: {
    status: 409,
    message: 'no relay key decrypts the endpoint',
    hint: 'Add the old key to relay.key or HOOKLINE_RELAY_KEY, behind the new one, or delete the endpoint.',
  },
  workflow_not_accessible: {
    status: 403,
    message: 'the token cannot start the workflow',
    hint: 'Check that the file is on the default branch, and that the token has the permission actions: write (classic: repo).',
  },
  workflow_not_listening: {
    status: 422,
    message: 'the workflow has no workflow_dispatch trigger with the input hookline',
    hint: 'Add on: workflow_dispatch: inputs: hookline: {type: string}, without other required inputs, on the ref that the relay starts.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>

export type ErrorCode = keyof typeof ERROR_CODES

interface RelayErrorOptions {
  readonly message?: string
  readonly hint?: string
  readonly retryAfter?: number | undefined
  readonly attempts?: Attempts
  readonly allowed?: readonly string[]
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
  readonly code: ErrorCode
  readonly hint: string
  readonly retryAfter: number | undefined
  readonly attempts: Attempts | undefined
  /** The methods of the address; `undefined` for those of webhooks. */
  readonly allowed: readonly string[] | undefined

  /** @param options in place of what the table has */
  constructor(code: ErrorCode, options: RelayErrorOptions = {}) {
    const entry: ErrorEntry = ERROR_CODES[code]
    super(options.message ?? entry.message, { cause: options.cause })
    this.status = entry.status
    this.code = code
    this.retryAfter = options.retryAfter ?? entry.retryAfter
    this.hint = options.hint ?? withTime(entry.hint, this.retryAfter)
    this.attempts = options.attempts
    this.allowed = options.allowed
  }

  /** The same error, with the calls that led to it. */
  after(attempts: Attempts): RelayError {
    const { code, message, retryAfter, cause } = this
    const isHinted = attempts.mayBeAccepted && !isLastAmbiguous(code, attempts)
    const hint = isHinted ? `${this.hint} ${EARLIER_TRY}` : this.hint
    return new RelayError(code, { message, hint, retryAfter, attempts, cause })
  }
}

/** @param seconds until a retry may succeed */
function withTime(hint: string, seconds: number | undefined): string {
  if (seconds === undefined) return hint
  return hint.replace('later', `in ${seconds} second${seconds === 1 ? '' : 's'}`)
}

export function methodNotAllowed(allowed: readonly string[]): RelayError {
  return new RelayError('method_not_allowed', {
    hint: `Use one of ${allowed.join(', ')}.`,
    allowed,
  })
}

/** @param form of a webhook URL */
export function notFound(form: string): RelayError {
  return new RelayError('not_found', {
    message: 'not a webhook URL',
    hint: `Use a URL of the form ${form}.`,
  })
}

/** @param most bytes that the relay accepts with this credential */
export function bodyTooLarge(most: number = LIMITS.requestBodyBytes): RelayError {
  return new RelayError('payload_too_large', {
    message: 'the body is too large for the relay',
    hint: `Send at most ${most} bytes.`,
  })
}

/** @param retryAfter seconds */
export function rateLimited(retryAfter: number): RelayError {
  return new RelayError('rate_limited', { retryAfter })
}

/** @param retryAfter seconds */
export function githubUnavailable(cause?: unknown, retryAfter?: number): RelayError {
  return new RelayError('github_unavailable', { cause, retryAfter })
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

const EARLIER_TRY =
  'GitHub may have accepted the event in an earlier call, so let the workflow drop duplicates.'
