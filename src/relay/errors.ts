export interface RelayErrorOptions {
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
  readonly platformStatus?: number
}

/** Why a request was not dispatched, or not known to be: shown to the sender as it stands. */
export class RelayError extends Error {
  override readonly name = 'RelayError'
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
