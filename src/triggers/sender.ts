import type { RawHeaders } from '../wire/headers.ts'
import type { RelayResponse } from '../wire/http.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Hash } from './verify/algorithms.ts'
import type { Scheme } from './verify/scheme.ts'
import type { SignedHeader } from './verify/signed-header.ts'

/*
 * The aspects of a sender. Each is a named export of its file in `senders/`. The generated lists contain all
 * files, or one aspect of each, so that a bundle contains only the aspects that it uses. For that, the files
 * must have no side effects: no calls at their top level.
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
  /** How the sender checks the ownership of a URL, if its file has no handshake; see `Sender`. */
  readonly handshake?: 'both' | 'workflow'
  /** Path of the value that a retry repeats. Default: the hash of the request. */
  readonly repeat?: string
  /** The same in a second kind of events, which lack `repeat`. */
  readonly otherRepeat?: string
  /** Path of the event type in the item, and the most common types, which the filter lets pass. */
  readonly events?: readonly [path: string, ...usual: string[]]
  /** The filter that leaves one event for each occurrence, if the types of `events` do not. */
  readonly filter?: JsonObject
  /** The setting `respond` of its endpoint, if the sender waits only briefly for a response. */
  readonly respond?: 'stored'
  /** How to distinguish the two forms in which the sender sends an event. */
  readonly forms?: EventForms
  /**
   * True if bots cause events, too. The filter that `init` writes then has `is_bot: false`, so that a workflow
   * that replies does not start itself.
   */
  readonly hasBots?: true
  /** The steps in the sender's user interface, in Markdown. */
  readonly click?: string
}

/** Two forms of a body that a workflow reads in different ways. */
interface EventForms {
  /** The field of the body that distinguishes them, and its value in the first form. */
  readonly field: string
  readonly value: string
  /** A description of each form for the log, without apostrophes and colons. */
  readonly first: string
  readonly second: string
}

export interface SenderFile {
  readonly facts: Facts
  readonly payloads: Payloads
  readonly scheme?: OwnScheme
  readonly signing?: Signing
  readonly handshake?: Handshake
  readonly signedResponses?: SignedResponses
}

/** A service that people ask for, by its name: as in `init --sender stripe` and `send --sender stripe`. */
export interface Sender extends Omit<Facts, 'handshake'> {
  readonly name: string
  /**
   * How the sender checks the ownership of a URL (a handshake). `relay`: the relay answers. `both`: the relay
   * answers, and the workflow receives the request too. `workflow`: the first run has to act. `endpoint`: the relay
   * answers if the endpoint contains the secret or the public key.
   */
  readonly handshake: 'relay' | 'both' | 'workflow' | 'endpoint' | undefined
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

export interface HandshakeRequest {
  /** Upper case. */
  readonly method: string
  readonly headers: RawHeaders
  /** `<workflow>/<trigger>[/<suffix>][?<query>]`, without the relay's own parameters. */
  readonly path: string
  /** `undefined` if it is binary. */
  readonly body: string | undefined
}

/** The name of a header, a string in the body, or a lower-case string in the path, whose case does not matter. */
export type HandshakeMark =
  | { readonly header: string }
  | { readonly body: string }
  | { readonly path: string }

/** The handshake of a service, identified by properties that no event has. */
export interface Handshake {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  /** A part that each such request has, and few others. Only a request with this part is read further. */
  readonly mark: HandshakeMark
  /** The value that the service expects back. */
  readonly challenge: (asking: HandshakeRequest) => unknown
  readonly answer: (value: string) => RelayResponse
  /** True if the workflow receives the request too; then only the headers of the response matter. */
  readonly isEvent?: true
  readonly isSigned?: true
  /** True if another handshake matches with fewer properties; this one is then tried first. */
  readonly isNarrow?: true
}

/**
 * Responses of the relay that contain a secret of the sender; they are only sent to requests with a
 * valid signature.
 */
export interface SignedResponses {
  /** The response to a handshake; `undefined` if the request is an event, or is unknown. */
  readonly answer?: (
    body: unknown,
    secret: string | undefined,
  ) => Promise<RelayResponse | undefined>
  /** The response to an accepted event, which replaces the default and `__response_*`. */
  readonly accepted?: (body: unknown) => RelayResponse | undefined
}

export interface DeliveryValues {
  /** A UUID. */
  readonly id: string
  readonly now: Date
}

export interface Payload {
  /** By lower-case name, in addition to the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, such as a form; an object is sent as JSON. */
  readonly body: string | object
}

export type Make = (delivery: DeliveryValues) => Payload

/** Example requests of a sender by event, in the form of its documentation. */
export type Payloads = Readonly<Record<string, Make>>

/** The exports of a generated list, which are named `awsSns`, by the name of their sender: `aws-sns`. */
export function bySenderName<Aspect>(
  list: Readonly<Record<string, Aspect>>,
): Record<string, Aspect> {
  const hyphenated = (word: string) =>
    word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(list).map(([word, own]) => [hyphenated(word), own]))
}

/** The address of the section about a sender, in docs/senders/README.md. */
export function sectionAddress(name: string): string {
  return `https://github.com/hookline/hookline/blob/v1/docs/senders/README.md#${name}`
}

/** Seconds since 1970. */
export function seconds(now: Date): number {
  return Math.floor(now.getTime() / 1000)
}

/** Signs as the sender does, if its scheme is code. */
export interface Signing {
  readonly sign: Sign
  /** The kind of key pair, if the receiver has a public key. */
  readonly pair?: 'p256-jwk'
}

export type Sign = (
  outgoing: Outgoing,
  secret: string,
  moment: Moment,
  tools: SigningTools,
) => Outgoing

export interface OutgoingRequest {
  /** Upper case. */
  readonly method: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBufferLike>
}

/** A request with its URL, which some senders sign or extend. */
export interface Outgoing {
  readonly request: OutgoingRequest
  readonly url: URL
}

/** The time and id of a signed request. */
export interface Moment {
  /** Unix time in seconds. */
  readonly timestamp: number
  /** Distinguishes deliveries. */
  readonly id: string
  /** The position of the secret for the scheme `token`: an option of `verify` with its value. */
  readonly place?: Readonly<Record<string, string>>
}

/**
 * Signing functions. A string secret is used as its bytes; a private key is parsed as the scheme
 * requires.
 */
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
