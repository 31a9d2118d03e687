/** What a sender signs. */
export interface Message {
  readonly body: string
  readonly time: Date
}

/** A sender of one kind, with the options that verify it. */
export interface Signer {
  readonly name: string
  /** The options of `verify` for a secret; what the sender itself holds may differ from it. */
  readonly verify: (secret: string) => Readonly<Record<string, unknown>>
  readonly secret: string
  /** Another secret of the same shape. */
  readonly other: string
  /** The headers, lower case, that prove a message. */
  readonly sign: (message: Message, secret: string) => Promise<Record<string, string>>
  /** The header with the signature, and where in it the signature begins. */
  readonly signature: readonly [header: string, prefix: string]
  /** The header with the time, for those that sign one. */
  readonly timestamp?: string
}

export const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'
export const WHSEC = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  other: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
}
export const TEXT = { secret: 'a secret, of text: 5f1b', other: 'another, of text: 77aa' }

export function seconds(time: Date): string {
  return String(Math.floor(time.getTime() / 1000))
}
