import { ACTION } from '../../compiler/action-reference.ts'
import { ON_IN_JOBS } from '../../compiler/rewrite.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import { type BuiltWorkflow, buildWorkflows } from './build-workflows.ts'
import { githubMessages } from './github-parser.ts'
import { findSourceFiles } from './source-files.ts'

/** What is wrong with workflow files, ours and GitHub's rules together. */
export interface Checked {
  readonly count: number
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Checks workflow files; nothing is written. */
export async function checkWorkflows(
  root: string,
  globs: readonly string[],
  strict: boolean,
): Promise<Checked> {
  try {
    const sources = findSourceFiles(root, globs)
    const built = await buildWorkflows(root, sources, {
      uses: ACTION,
      state: 'none',
    })
    const native = (await Promise.all(built.map(nativeProblems))).flat()
    const untrusted = built.flatMap((one) => one.untrusted)
    const notices = built.flatMap((one) => one.notices)
    return {
      count: sources.length,
      errors: [
        ...built.flatMap(({ problems }) => problems),
        ...native,
        ...(strict ? untrusted : []),
      ],
      warnings: [...(strict ? [] : untrusted), ...notices],
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, errors: error.problems, warnings: [] }
  }
}

/** What GitHub's parser says of the compiled files, at the places of the source. */
async function nativeProblems({ file, compiled }: BuiltWorkflow): Promise<Problem[]> {
  const [listening, jobs] = compiled?.files ?? []
  if (!file || !compiled || !listening || !jobs) return []
  const { source, on } = file
  const inJobs = (await githubMessages(jobs)).map(({ message, start, end }) => ({
    message: message.replaceAll(ON_IN_JOBS, 'on'),
    position: positionAt(source, compiled.sourcePlace(start), compiled.sourcePlace(end)),
  }))
  const inEvents = (await githubMessages(listening)).map(({ message }) => ({
    message,
    position: positionAt(source, ...rangeOf(on.key)),
  }))
  return [...inJobs, ...inEvents]
}
