import { botKind } from './bot-kind.ts'
import { compiledKind } from './compiled-kind.ts'
import type { Kind } from './kind.ts'
import { webhookKind } from './webhook-kind.ts'

/** By name; the first one is the default. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [webhookKind, botKind, compiledKind].map((kind) => [kind.name, kind]),
)
