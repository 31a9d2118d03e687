import type { Json, JsonObject } from '../../wire/json.ts'
import { maskedOutputs } from '../masked-outputs.ts'

/** Who may read a summary, and what must not stand in it. */
export interface Readers {
  /** True where anybody can: then no text of a sender is shown, only its kind and size. */
  readonly isPublic: boolean
  /** What the action was given, by name. */
  readonly secrets: JsonObject
}

/** The names of the secrets that a text holds, in any form in which GitHub would mask it. */
export function secretsIn(text: string, { secrets }: Readers): readonly string[] {
  return maskedOutputs(new Map([['', text]]), secrets).map(({ secret }) => secret)
}

/** A value in words: `text of 12 characters`. */
export function kindOf(value: Json): string {
  if (value === null) return 'nothing'
  if (typeof value === 'string') return `text of ${value.length} characters`
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'object') return `object of ${Object.keys(value).length} fields`
  return typeof value
}
