/** What of a platform's answer the relay looks at. */
export interface PlatformAnswer {
  readonly status: number
  /** By lower-case name; `undefined` when absent. */
  header(name: string): string | undefined
  /** At most the first 64 KB; may be cut short where the answer trickled. */
  readonly text: string
}

export interface PlatformRequest {
  /** From the root of the platform's origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds until the answer must be there. */
  readonly timeout: number
}

/**
 * Sends one POST, follows nothing, tries nothing twice.
 *
 * @throws PlatformFault when no answer came
 */
export type PlatformPost = (request: PlatformRequest) => Promise<PlatformAnswer>

/** Bytes of an answer that are read: enough for any error message. */
export const ANSWER_BYTES = 64 * 1024

/** No answer came from the platform. */
export class PlatformFault extends Error {
  override readonly name = 'PlatformFault'
  /** True when the request may have arrived: nobody can tell whether it took effect. */
  readonly sent: boolean

  constructor(message: string, options: ErrorOptions & { readonly sent: boolean }) {
    super(message, options)
    this.sent = options.sent
  }
}
