import { match as compile, parse, type Token } from 'path-to-regexp'
import * as v from 'valibot'
import { type JsonObject, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { decodePercent } from '../wire/path.ts'

/** A path pattern such as `/user/:userId`, in the language of path-to-regexp. */
export interface PathPattern {
  readonly pattern: string
  /** A path that matches, each parameter filled with its own name. */
  readonly example: string
  /** The parameters of an undecoded path, decoded; `undefined` when the path does not match. */
  match(path: string): JsonObject | undefined
}

/** Schema of a path pattern: a missing leading `/` is added, a malformed pattern is an issue. */
export const pathPattern = v.pipe(
  v.string(),
  v.maxLength(LIMITS.patternLength, `has more than ${LIMITS.patternLength} characters`),
  v.rawTransform<string, PathPattern>(({ dataset, addIssue, NEVER }) => {
    try {
      return compilePattern(dataset.value)
    } catch (error) {
      addIssue({ message: patternMistake(error) })
      return NEVER
    }
  }),
)

function compilePattern(text: string): PathPattern {
  const pattern = /^\{*\//.test(text) ? text : `/${text}`
  const { tokens } = parse(pattern)
  checkSize(tokens)
  const compiled = compile(pattern, {
    sensitive: false,
    trailing: true,
    decode: decodePercent,
    encodePath: withLetters,
  })
  return {
    pattern,
    example: tokens.map(exampleText).join(''),
    match(path) {
      const found = compiled(withLetters(path))
      return found ? params(found.params) : undefined
    },
  }
}

/** Escapes that stand for what is no ASCII, the way in which URLs write all other letters. */
const LETTERS = /(?:%[89a-f][\da-f])+/gi

/** The same path with its letters unescaped, and every other escape as it came, `%2F` above all. */
function withLetters(path: string): string {
  return path.replace(LETTERS, decodePercent)
}

function params(found: Partial<Record<string, string | string[]>>): JsonObject {
  const given = Object.entries(found).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return record(given)
}

function exampleText(token: Token): string {
  if (token.type === 'text') return token.value.replace(/[^ -~]+/g, escaped)
  return token.type === 'group' ? '' : escaped(token.name)
}

function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')) // half a pair has no escape
}

/** Each optional group doubles what a pattern expands to, so their number is bounded. */
function checkSize(tokens: readonly Token[]): void {
  const all = flatten(tokens)
  const groups = all.filter((token) => token.type === 'group').length
  const parameters = all.filter(
    (token) => token.type === 'param' || token.type === 'wildcard',
  ).length
  if (groups > LIMITS.patternGroups)
    throw new RangeError(`more than ${LIMITS.patternGroups} optional parts`)
  if (parameters > LIMITS.patternParameters) {
    throw new RangeError(`more than ${LIMITS.patternParameters} parameters`)
  }
}

function flatten(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) =>
    token.type === 'group' ? [token, ...flatten(token.tokens)] : [token],
  )
}

/** The library's message without the pattern, which the code frame shows, and without its link. */
function patternMistake(error: unknown): string {
  const text = error instanceof Error ? error.message : 'malformed'
  const mistake = text
    .replace(/: .*; visit .*$/s, '')
    .replace(/^\w/, (first) => first.toLowerCase())
  return `${mistake} (write :name for a part, *rest for all that follows, {/:name} for an optional part)`
}
