import type { Json } from '../wire/json.ts'

/**
 * JSON text that is the same for every order of keys: keys sorted by UTF-16 code units, nothing
 * between the tokens. Texts are compared as they are, without normalising Unicode; -0 is 0, and what JSON has
 * no number for (NaN, Infinity) is null.
 *
 * Source: RFC 8785, JSON Canonicalization Scheme
 */
export function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
  return `{${members.join(',')}}`
}
