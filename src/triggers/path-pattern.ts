import { match as compile, parse, type Token } from 'path-to-regexp'
import * as v from 'valibot'
import { type Json, type JsonObject, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { decodePercent } from '../wire/path.ts'

/** Schema of a path pattern: a missing leading `/` is added, a malformed pattern is an issue. */
export const pathPattern = v.pipe(
  v.string(),
  v.maxLength(LIMITS.patternLength, `has more than ${LIMITS.patternLength} characters`),
  v.rawTransform<string, PathPattern>(({ dataset, addIssue, NEVER }) => {
    try {
      return compilePattern(dataset.value)
    } catch (error) {
      addIssue({ message: patternMistake(error, dataset.value) })
      return NEVER
    }
  }),
)

/** A path pattern such as `/user/:userId`, in the language of path-to-regexp. */
interface PathPattern {
  readonly pattern: string
  /** A matching path, in which each parameter has its own name as value. */
  readonly example: string
  /** The decoded parameters of an undecoded path; `undefined` if it does not match. */
  match(path: string): JsonObject | undefined
}

function compilePattern(text: string): PathPattern {
  const pattern = /^\{*\//.test(text) ? text : `/${text}`
  const { tokens } = parse(pattern)
  checkPatternSize(tokens)
  const compiled = compile(pattern, {
    sensitive: false,
    trailing: true,
    decode: decodePercent,
    encodePath: withLetters,
  })
  return {
    pattern,
    example: tokens
      .map((token) => {
        if (token.type === 'text') return token.value.replace(/[^ -~]+/g, urlEscaped)
        return token.type === 'group' ? '' : urlEscaped(token.name)
      })
      .join(''),
    match(path) {
      const found = compiled(withLetters(path))
      if (!found) return undefined
      // An optional part that is absent has no entry, although the type allows `undefined`.
      return record(Object.entries(found.params) as [string, Json][])
    },
  }
}

/** Percent escapes of non-ASCII characters. */
const LETTERS = /(?:%[89a-f][\da-f])+/gi

/** The path with non-ASCII characters decoded. Other escapes remain, especially `%2F`. */
function withLetters(path: string): string {
  return path.replace(LETTERS, decodePercent)
}

function urlEscaped(text: string): string {
  // half of a surrogate pair has no escape
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

/**
 * Each optional group doubles the number of expanded patterns, so the number of groups is limited.
 */
function checkPatternSize(tokens: readonly Token[]): void {
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

/** The library's message without its link and without the pattern, which the code frame shows. */
function patternMistake(error: unknown, pattern: string): string {
  const text = error instanceof Error ? error.message : 'malformed'
  const mistake = text.replace(/: .*; visit .*/s, '').replace(/^\w/, (first) => first.toLowerCase())
  const spelled = modernPattern(pattern)
  if (spelled !== undefined) return `${mistake}: today this is written ${spelled}`
  return `${mistake} (write :name for a part, *rest for all that follows, {/:name} for an optional part)`
}

/**
 * Converts a pattern in the syntax of path-to-regexp before version 8: `/a/:b?`, `/:rest*`,
 * `/:rest+`.
 *
 * @returns `undefined` if the pattern contains no old syntax, or the converted pattern is invalid,
 * too
 */
export function modernPattern(text: string): string | undefined {
  const spelled = text.replaceAll(/\/(?::(\w+)([?*+])|(\(\.\*\)|\*(?!\w)))/g, (_, name, sign) => {
    if (name === undefined) return '/*rest'
    if (sign === '+') return `/*${name}`
    return sign === '?' ? `{/:${name}}` : `{/*${name}}`
  })
  if (spelled === text) return undefined
  try {
    compilePattern(spelled)
    return spelled
  } catch {
    return undefined
  }
}
