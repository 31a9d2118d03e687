import * as v from 'valibot'
import { OptionError } from '../wire/errors.ts'
import { type Json, parseJson } from '../wire/json.ts'
import type { Candidate } from './candidate.ts'
import { type Script, ScriptFailure, type Scripts } from './scripts.ts'

/** Schema of a script: the body of a function. */
export const scriptBody = v.pipe(v.string(), v.nonEmpty('is empty'))

/**
 * Runs a script on items, which go in and come back as JSON text, so that it can change nothing.
 *
 * @throws OptionError when it does not compile, fails, or takes too long
 */
export async function runScript(
  scripts: Scripts,
  script: Script,
  items: readonly Candidate[],
): Promise<Json[]> {
  if (items.length === 0) return []
  try {
    const made = await scripts.run(script, JSON.stringify(items.map(({ item }) => item)))
    return parseJson(made) as Json[] // every `drive` is a list
  } catch (cause) {
    if (!(cause instanceof ScriptFailure || cause instanceof SyntaxError)) throw cause
    throw new OptionError(script.option, `config.${script.option}: ${cause.message}`, { cause })
  }
}
