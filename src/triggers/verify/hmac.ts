import { anyHolds, type Hash, keyBytes, signatureHolds } from './algorithms.ts'
import { MISMATCH, type Refusal, type Settings } from './scheme.ts'

/** One of the texts must be what was signed, under one of the secrets. */
export async function hmacRefusal(
  hash: Hash,
  texts: readonly Uint8Array<ArrayBuffer>[],
  signature: Uint8Array<ArrayBuffer> | undefined,
  { secrets }: Settings,
): Promise<Refusal> {
  if (!signature) return MISMATCH
  const holds = await anyHolds(texts, (text) =>
    anyHolds(secrets, (secret) => signatureHolds(hash, keyBytes(secret), text, signature)),
  )
  return holds ? undefined : MISMATCH
}
