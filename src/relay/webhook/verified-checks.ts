import type { Secret } from '../../wire/secret.ts'
import { invalidSignature, tokenInBody } from '../errors.ts'
import type { Credential } from '../github/credentials.ts'
import type { RelayPorts } from '../relay-ports.ts'
import type { BodyUpload } from '../store/bodies.ts'
import type { CheckClaims, CheckedRequest, RequestChecks } from './checks.ts'
import type { RequestLog } from './request-log.ts'

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
  ports: RelayPorts,
  log: RequestLog,
): Promise<RequestChecks | undefined> {
  const verified = async (checked: CheckedRequest) => {
    const checks = claims && (await loadChecksOf(claims, checked, ports))
    if (!checks || (await checks.verify())) return checks
    log.explained(checks.unmet())
    throw invalidSignature()
  }
  if (!upload) return verified(request)
  if (githubToken !== undefined || claims?.verify !== undefined) {
    await upload.inspect(async (bytes) => {
      if (githubToken && isInBytes(githubToken, bytes)) throw tokenInBody()
      const event = { ...request.event, body: { ...request.event.body, bytes } }
      if (claims?.verify !== undefined) await verified({ ...request, event })
    })
  }
  return claims && loadChecksOf({ ...claims, verify: undefined }, request, ports)
}

/** Bytes that are searched at a time: as a string, a whole large body takes several times its size. */
const SEARCHED = 1024 * 1024

/** Bytes by which two searched parts overlap; more than any form of a GitHub token. */
const OVERLAP = 8 * 1024

function isInBytes(token: Secret, bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('latin1')
  for (let at = 0; at < bytes.length; at += SEARCHED) {
    if (token.isIn(decoder.decode(bytes.subarray(at, at + SEARCHED + OVERLAP)))) return true
  }
  return false
}

async function loadChecksOf(
  claims: CheckClaims,
  request: CheckedRequest,
  { loadChecks, publicUrl }: RelayPorts,
): Promise<RequestChecks> {
  if (!loadChecks) throw new TypeError('this relay has no module for the checks of an endpoint')
  const { openChecks: open } = await loadChecks()
  return open(claims, request, publicUrl)
}
