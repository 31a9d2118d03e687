import { gzip, toBase64 } from '../../wire/bytes.ts'
import { LIMITS } from '../../wire/limits.ts'
import type { DispatchEvent } from '../../wire/payload.ts'

/** Compresses bytes with gzip and resolves with their base64. Each runtime has its own fastest way. */
export type Packer = (bytes: Uint8Array) => Promise<string>

/** Works on every runtime. */
export const PACK: Packer = async (bytes) => toBase64(await gzip(bytes))

/** How GitHub measures the size of an event. */
export interface PayloadLimit {
  readonly most: number
  readonly unit: 'bytes' | 'characters'
  /** The size, or a bound of it that leads to the same decision. */
  readonly sizeOf: (text: string) => number
}

/** GitHub counts the characters of workflow inputs, and may count the bytes of a `client_payload`. */
export const LIMIT_OF: Readonly<Record<DispatchEvent, PayloadLimit>> = {
  repository_dispatch: { most: LIMITS.clientPayloadBytes, unit: 'bytes', sizeOf: byteLength },
  workflow_dispatch: {
    most: LIMITS.workflowInputLength,
    unit: 'characters',
    sizeOf: ({ length }) => length,
  },
}

function byteLength(text: string): number {
  // A UTF-16 unit has at most 3 bytes of UTF-8, so most payloads need no encoding to be measured.
  if (text.length * 3 <= LIMITS.clientPayloadBytes) return text.length * 3
  // A UTF-16 unit has at least one byte, so a longer text is over the limit for certain.
  if (text.length > LIMITS.clientPayloadBytes) return text.length
  return new TextEncoder().encode(text).length
}
