import type { Secret } from '../../wire/secret.ts'
import { RelayError } from '../errors.ts'
import type { Credential } from '../github/credential.ts'
import type { BodyUpload } from '../store/bodies.ts'
import type { CheckClaims } from '../store/endpoint-settings.ts'
import type { RequestLog } from './request-log.ts'
import type { CheckedRequest, RequestChecks } from './verification.ts'

/** Loads the module that makes the checks, so that relays without such endpoints do not load it. */
export type LoadChecks = () => Promise<typeof import('./verification.ts')>

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
    throw new RelayError('invalid_signature')
  }
  if (!upload) return verified(request)
  if (githubToken !== undefined || claims?.verify !== undefined) {
    await upload.inspect(async (bytes) => {
      if (githubToken && (await isInBytes(githubToken, bytes, relay)))
        throw new RelayError('token_in_body')
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
