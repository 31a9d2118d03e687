import type { JsonObject } from '../wire/json.ts'
import { base64Forms } from '../wire/secret.ts'

/** A secret and the outputs that hold it: GitHub drops these from the outputs of a job, silently. */
export interface MaskedOutputs {
  readonly secret: string
  readonly names: readonly string[]
}

/**
 * Outputs in which the runner's masking would find a secret: any line of it, raw, or as its base64,
 * JSON or URI form; a secret of one character too.
 *
 * Source: actions/runner, SecretMasker and JobExtension ("Skip output … since it may contain secret").
 */
export function maskedOutputs(
  outputs: ReadonlyMap<string, string>,
  secrets: JsonObject,
): MaskedOutputs[] {
  return Object.entries(secrets)
    .map(([secret, value]) => ({ secret, names: namesOfHolding(outputs, forms(value)) }))
    .filter(({ names }) => names.length > 0)
}

function namesOfHolding(outputs: ReadonlyMap<string, string>, forms: readonly string[]): string[] {
  const holding = [...outputs].filter(([, text]) => forms.some((form) => text.includes(form)))
  return holding.map(([name]) => name)
}

/** Shorter stretches of base64 stand in any text. */
const SHORTEST_BASE64 = 4

function forms(value: unknown): string[] {
  if (typeof value !== 'string') return []
  const parts = [value, ...value.split(/\r?\n/)].filter((part) => part.trim() !== '')
  return [...new Set(parts)].flatMap((part) => [
    part,
    ...base64Forms(part).filter((form) => form.length >= SHORTEST_BASE64),
    JSON.stringify(part).slice(1, -1),
    ...uriForm(part),
  ])
}

function uriForm(text: string): string[] {
  try {
    return [encodeURIComponent(text)]
  } catch {
    return [] // half of a surrogate pair has no URI form
  }
}
