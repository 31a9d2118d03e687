import type { RawHeaders } from '../wire/headers.ts'
import type { RelayResponse } from '../wire/http.ts'
import type { Hash } from './verify/algorithms.ts'
import type { Scheme } from './verify/scheme.ts'
import type { SignedHeader } from './verify/signed-header.ts'

/*
 * The module contract of the files in `senders/`: each exports some of `facts`, `scheme`, `signing`,
 * `handshake`, `signedResponses`, `payloads` and `page`. The modules in `lists/` are generated from these
 * exports, so that a bundle contains only the exports that it uses. For the same reason a sender's file
 * calls nothing at its top level.
 */

/** The facts that a user needs about a service. */
export interface Facts {
  readonly title: string
  /** Its trigger. Default: `webhook`. */
  readonly trigger?: string
  /** The scheme that verifies it. Default: the name of the sender. */
  readonly scheme?: string
  /** Other options of `verify` than `scheme`, `secret` and `url`. */
  readonly options?: Readonly<Record<string, string>>
  /** Name of the repository secret; absent if the sender needs none. */
  readonly secret?: string
  /** The value of that secret, and where the sender shows it: completes the sentence "The secret is …". */
  readonly shown: string
  /**
   * How the sender checks the ownership of a URL (a handshake). `relay`: the relay answers. `both`: the relay
   * answers, and the workflow receives the request too. `workflow`: the first run has to act. `grant`: the relay
   * answers if the grant in the URL contains the secret or the public key.
   */
  readonly handshake?: 'relay' | 'both' | 'workflow' | 'grant'
  /** How often the sender retries: one or more sentences. */
  readonly retries: string
  /** Path of the value that a retry repeats. Default: the hash of the request. */
  readonly repeat?: string
  /** Path of the event type in the item, and the most common types. */
  readonly events?: readonly [path: string, ...usual: string[]]
}

/** A service that people ask for, by its name: as in `init --sender stripe` and `send --sender stripe`. */
export interface Sender extends Facts {
  readonly name: string
}

/** The verification scheme of a sender: data if possible, otherwise code. */
export type OwnScheme = (Documented & (SignedHeader | TokenPlace)) | Scheme

interface Documented {
  /** The page of the vendor's documentation. */
  readonly page: string
}

/** A plain token, in a header (lower case), or in the body, by a path. */
export type TokenPlace =
  | { readonly tokenHeader: string; readonly tokenField?: never }
  | { readonly tokenField: string; readonly tokenHeader?: never }

/** The parts of a request that identify a handshake. */
export interface HandshakeRequest {
  /** Upper case. */
  readonly method: string
  readonly headers: RawHeaders
  /** `<workflow>/<trigger>[/<suffix>][?<query>]`, without the relay's own parameters. */
  readonly path: string
  /** `undefined` if it is binary. */
  readonly body: string | undefined
}

/** The handshake of a service, identified by properties that no event has. */
export interface Handshake {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  /** The value that is to come back, as a service of that kind asks for it. */
  readonly challenge: (asking: HandshakeRequest) => unknown
  readonly answer: (value: string) => RelayResponse
  /** True if the workflow receives the request too; then only the headers of the response matter. */
  readonly isEvent?: true
  /** True if it is signed like an event. */
  readonly isSigned?: true
  /** True where another one has the same marks, and fewer of them: it is asked first. */
  readonly isNarrow?: true
}

/** Responses of the relay that only a signed request gets, because the sender's secret is part of them. */
export interface SignedResponses {
  /** The response to a handshake; `undefined` if the request is an event. */
  readonly answer?: (
    body: unknown,
    secret: string | undefined,
  ) => Promise<RelayResponse | undefined>
  /** The response to an accepted event, in place of the default and of `__response_*`. */
  readonly accepted?: (body: unknown) => RelayResponse | undefined
}

/** The values that differ between deliveries. */
export interface DeliveryValues {
  /** A UUID. */
  readonly id: string
  readonly now: Date
}

export interface Payload {
  /** Lower-case names, besides the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it stands, a form; an object is sent as JSON. */
  readonly body: string | object
}

export type Make = (delivery: DeliveryValues) => Payload

/** Requests of a sender by their events, in the shape that its documentation gives. */
export type Payloads = Readonly<Record<string, Make>>

/** Seconds since 1970. */
export function seconds(now: Date): number {
  return Math.floor(now.getTime() / 1000)
}

/** What docs/senders says of it, in Markdown. */
export interface SenderPage {
  /** What is to be clicked: with it, a page of its own is made. */
  readonly click?: string
  /** What there is to read in its outputs, in place of the plainest sentence. */
  readonly outputs?: string
  /** What else there is to know of its proof. */
  readonly more?: string
  /** What proves it, where its scheme is code. */
  readonly proof?: string
}

/** How to sign as the sender does, where its scheme is code. */
export interface Signing {
  readonly sign: Sign
  /** The pair of keys, where the receiver holds a public one. */
  readonly pair?: 'p256-jwk'
}

export type Sign = (
  outgoing: Outgoing,
  secret: string,
  moment: Moment,
  tools: SigningTools,
) => Outgoing

/** A request that is about to be sent. */
export interface OutgoingRequest {
  /** Upper case. */
  readonly method: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBufferLike>
}

/** A request with the place it goes to, which some senders sign, or add to. */
export interface Outgoing {
  readonly request: OutgoingRequest
  readonly url: URL
}

/** When a request is signed. */
export interface Moment {
  /** Unix time in seconds. */
  readonly timestamp: number
  /** Tells deliveries apart. */
  readonly id: string
  /** Where a sender of the scheme `token` brings it: an option of `verify` with its value. */
  readonly place?: Readonly<Record<string, string>>
}

/** What signs: a secret of text is its own bytes, a private key is read as the scheme has it. */
export interface SigningTools {
  hmac(
    hash: Hash,
    key: string | Uint8Array,
    signed: string | Uint8Array,
    encoding: 'hex' | 'base64' | 'base64url',
  ): string
  /** In hex. */
  sha256(bytes: string | Uint8Array): string
  /** A compact JWS; for ES256 the secret is a private JWK with a `kid`. */
  jws(algorithm: 'HS256' | 'ES256', claims: object, secret: string): string
}
