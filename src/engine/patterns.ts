import { $regex as regexOf } from 'mingo/operators/query/evaluation'
import { RE2JS } from 're2js'
import { needsBacktracking } from '../triggers/mongo-operators.ts'

const FLAGS: ReadonlyMap<string, number> = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
])

/**
 * `$regex` in RE2, whose time grows linearly with the text, so that no message makes a pattern explode.
 * RE2 has no lookaround, no backreferences and no repetition above 1,000. Patterns that need these run in
 * V8, within the time limit of the option.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export const $regex: typeof regexOf = (selector, pattern, options) => {
  // mingo has made a `RegExp` of `$regex` and `$options`, and uses `exec` alone.
  const compiled = linear(pattern as RegExp)
  const matcher = { exec: (text: string) => (compiled?.matcher(text).find() ? [text] : null) }
  return regexOf(selector, compiled ? matcher : pattern, options)
}

/** @returns `undefined` for a pattern that RE2 does not have */
export function linear({ source, flags }: RegExp): RE2JS | undefined {
  // The translation would make a plain letter of `\k`.
  if (needsBacktracking(source)) return undefined
  const sum = [...flags].reduce((all, flag) => all | (FLAGS.get(flag) ?? 0), 0)
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), sum)
  } catch {
    return undefined
  }
}
