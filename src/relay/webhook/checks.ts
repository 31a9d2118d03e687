import type { CredentialLocations } from '../../triggers/verify/scheme.ts'
import type { RelayResponse } from '../../wire/http.ts'
import type { Secret } from '../../wire/secret.ts'
import { invalidSignature, tokenInBody } from '../errors.ts'
import type { Credential } from '../github/credential.ts'
import type { ReceivedEvent } from '../github/payload.ts'
import type { BodyUpload } from '../store/bodies.ts'
import type { CheckClaims } from '../store/endpoint-settings.ts'
import type { RequestLog } from './request-log.ts'

/** A request that is to be checked. */
export interface CheckedRequest {
  /** The raw request target, for schemes that sign the URL. */
  readonly target: string
  readonly event: ReceivedEvent
}

/** The result of the claim `if`: `error` if the expression cannot be evaluated for this event. */
export type IfResult = 'true' | 'false' | 'error'

/** The checks of one endpoint for one request. */
export interface RequestChecks {
  /** Whether the signature of the request is valid, or no signature is required. */
  verify(): Promise<boolean>
  /** The response to a handshake of the sender. Call it only after `verify`. */
  handshake(): Promise<RelayResponse | undefined>
  if(): IfResult
  /**
   * Why `verify` or `if` did not let the request pass, for the log: a sentence that names the condition,
   * and contains no value of the event.
   */
  unmet(): string | undefined
  /** The response that the sender expects to an accepted event, in place of the default. */
  accepted(): RelayResponse | undefined
}

/** Loads the module that makes the checks, so that relays without such endpoints do not load it. */
export type LoadChecks = () => Promise<{
  /**
   * @param publicUrl the relay's address as senders call it, if it is known
   * @throws TypeError for claims that the admin API never stores
   */
  openChecks(
    claims: CheckClaims,
    request: CheckedRequest,
    publicUrl?: string,
  ): Promise<RequestChecks>
  /** Why the relay cannot use claims; `undefined` if it can. */
  claimsMistake(claims: CheckClaims, publicUrl?: string): string | undefined
  /** Where a verified request has its signature or token: lists of deliveries omit it. */
  signatureLocations(claims: CheckClaims): CredentialLocations
}>

/** What a relay knows about checks. */
export interface ChecksOfRelay {
  readonly loadChecks: LoadChecks
  /** The relay's public address, for schemes that sign the URL. */
  readonly publicUrl: string | undefined
  /** Resolves when other work of the process had its turn. */
  pause(): Promise<void>
}

/**
 * Verifies the signature of a request, if its endpoint asks for it.
 *
 * @param upload of a body that is too large for memory: it is read once, and only its signature depends on it
 * @returns the further checks of the credential, if it has some
 * @throws RelayError 401, or 400 for a large body that contains the GitHub token
 */
export async function verifiedChecks(
  request: CheckedRequest,
  { checks: claims, githubToken }: Credential,
  upload: BodyUpload | undefined,
  relay: ChecksOfRelay,
  log: RequestLog,
): Promise<RequestChecks | undefined> {
  const verified = async (checked: CheckedRequest) => {
    const checks = claims && (await loadChecksOf(claims, checked, relay))
    if (!checks || (await checks.verify())) return checks
    log.reason = checks.unmet()
    throw invalidSignature()
  }
  if (!upload) return verified(request)
  if (githubToken !== undefined || claims?.verify !== undefined) {
    await upload.inspect(async (bytes) => {
      if (githubToken && (await isInBytes(githubToken, bytes, relay))) throw tokenInBody()
      const event = { ...request.event, body: { ...request.event.body, bytes } }
      if (claims?.verify !== undefined) await verified({ ...request, event })
    })
  }
  return claims && loadChecksOf({ ...claims, verify: undefined }, request, relay)
}

/** Bytes that are searched at a time: 5 to 10 milliseconds, in which no other request is handled. */
const SEARCHED = 256 * 1024

/** Bytes by which two searched parts overlap; more than any form of a GitHub token. */
const OVERLAP = 8 * 1024

async function isInBytes(
  token: Secret,
  bytes: Uint8Array,
  { pause }: ChecksOfRelay,
): Promise<boolean> {
  const decoder = new TextDecoder('latin1')
  for (let at = 0; at < bytes.length; at += SEARCHED) {
    if (token.isIn(decoder.decode(bytes.subarray(at, at + SEARCHED + OVERLAP)))) return true
    await pause()
  }
  return false
}

async function loadChecksOf(
  claims: CheckClaims,
  request: CheckedRequest,
  { loadChecks, publicUrl }: ChecksOfRelay,
): Promise<RequestChecks> {
  const { openChecks: open } = await loadChecks()
  return open(claims, request, publicUrl)
}
