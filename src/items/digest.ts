import { toBase64 } from '../wire/bytes.ts'

/** SHA-256 of a text, in base64 without padding. */
export async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toBase64(new Uint8Array(hash)).replace('=', '')
}
