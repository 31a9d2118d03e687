import { readFileSync } from 'node:fs'

interface Vector {
  readonly sender: string
  /** Who signed it, or accepted it: a package of the vendor with its version, or what it published. */
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
 * made, or accepted, in November 2026: its name and version are given.
 */
export const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../../senders/vectors.json', import.meta.url), 'utf8'),
)
