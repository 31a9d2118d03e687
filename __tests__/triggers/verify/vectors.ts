import { readFileSync } from 'node:fs'

interface Vector {
  readonly sender: string
  /** The source of the signature: a vendor's package with its version, or a published example. */
  readonly by: string
  readonly name?: string
  readonly verify: Readonly<Record<string, unknown>>
  /** Unix time in seconds. */
  readonly at: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly path?: string
}

/**
 * Messages and signatures that the makers of a scheme have published, or that their own package
 * created or accepted in November 2026; name and version are given.
 */
export const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../../senders/vectors.json', import.meta.url), 'utf8'),
)
