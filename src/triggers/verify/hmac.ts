import { anyHolds, type Hash, keyBytes, lengthFault, signatureHolds } from './algorithms.ts'
import { MISMATCH, type VerificationFault, type VerifySettings } from './scheme.ts'

/** One of the payloads must match the signature with one of the secrets. */
export async function hmacRefusal(
  hash: Hash,
  texts: readonly Uint8Array<ArrayBuffer>[],
  signature: Uint8Array<ArrayBuffer> | undefined,
  { secrets }: VerifySettings,
): Promise<VerificationFault> {
  if (!signature) return MISMATCH
  const holds = await anyHolds(texts, (text) =>
    anyHolds(secrets, (secret) => signatureHolds(hash, keyBytes(secret), text, signature)),
  )
  return holds ? undefined : (lengthFault(hash, [signature]) ?? MISMATCH)
}
