import { type Problem, UserError } from '../../src/wire/errors.ts'

/** The problems in the UserError of some work. */
export async function problemsOf(work: Promise<unknown>): Promise<readonly Problem[]> {
  const error = await work.then(
    () => new Error('nothing went wrong'),
    (cause: unknown) => cause,
  )
  if (error instanceof UserError) return error.problems
  throw error
}
