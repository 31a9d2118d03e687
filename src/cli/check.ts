import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION } from '../compiler/action-reference.ts'
import { ON_IN_JOBS } from '../compiler/rewrite.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { type BuiltWorkflow, buildWorkflows, githubMessages } from './build-workflows.ts'
import { findSourceFiles } from './files.ts'
import { problemJson } from './terminal.ts'

interface CheckOptions {
  readonly strict?: boolean
  readonly json?: boolean
}

export function checkCommand(): Command {
  return new Command('check')
    .description('show every problem of every workflow file')
    .argument('[files...]', 'workflow files or globs', [DEFAULT_GLOB])
    .option('--strict', 'untrusted text in a script is an error')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExamples:\n  $ hookline check\n  $ hookline check --strict')
    .action(run)
}

async function run(globs: string[], { strict, json }: CheckOptions): Promise<void> {
  const { count, errors, warnings } = await checkWorkflows(process.cwd(), globs, strict ?? false)
  process.exitCode = errors.length > 0 ? 1 : 0
  if (json) {
    const problems = [
      ...errors.map((problem) => problemJson(problem, 'error')),
      ...warnings.map((problem) => problemJson(problem, 'warning')),
    ]
    process.stdout.write(`${JSON.stringify({ ok: errors.length === 0, problems })}\n`)
    return
  }
  for (const problem of warnings) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
  for (const problem of errors) process.stderr.write(`${renderProblem(problem)}\n`)
  process.stdout.write(
    `${counted(count, 'workflow file')}: ${summary(errors.length, warnings.length)}\n`,
  )
}

function summary(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'no problems'
  return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What is wrong with workflow files, ours and GitHub's rules together. */
interface Checked {
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
