import { type Problem, UserError } from '../../src/wire/errors.ts'

/** What a piece of work tells the user that is to be mended. */
export async function problemsOf(work: Promise<unknown>): Promise<readonly Problem[]> {
  const error = await work.then(
    () => new Error('nothing went wrong'),
    (cause: unknown) => cause,
  )
  if (error instanceof UserError) return error.problems
  throw error
}
