import type { Kind } from './kind.ts'
import { webhookKind } from './webhook-kind.ts'

/** By name; the first one is the default. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [webhookKind].map((kind) => [kind.name, kind]),
)
