import { OptionError } from '../wire/errors.ts'
import { ScriptFailure, type Scripts } from './scripts.ts'

/** A query or projection of the user may take so many milliseconds: a pattern can take years. */
const LONGEST = 500

type Mongo = typeof import('./mongo.ts')

/**
 * Does some work with MongoDB's language, whose library is loaded with the first use.
 *
 * @throws OptionError when the option holds a mistake, or takes too long
 */
export async function withMongo<Result>(
  option: string,
  scripts: Scripts,
  work: (mongo: Mongo) => Result,
): Promise<Result> {
  const mongo = await import('./mongo.ts')
  try {
    return await scripts.within(LONGEST, () => work(mongo))
  } catch (cause) {
    throw new OptionError(option, `config.${option}: ${explain(cause)}`, { cause })
  }
}

/** The library's messages speak of the query; what fails on an item could speak of the item. */
function explain(cause: unknown): string {
  if (cause instanceof ScriptFailure) return cause.message
  const message = cause instanceof Error ? cause.message : ''
  const known = /^(unknown|invalid|\$\w+|can't|cannot) /i.test(message) && message.length < 300
  return known ? message.replace(/\s+/g, ' ') : 'is not valid'
}
