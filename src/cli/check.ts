import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION, type CompileOptions } from '../compiler/compile.ts'
import { UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { eventOption, stateOption } from './build-options.ts'
import { buildWorkflows, type Findings, findingsOf } from './build-workflows.ts'
import { findSourceFiles, readSource } from './files.ts'
import { problemJson } from './terminal.ts'

interface CheckCommandOptions extends Omit<CheckOptions, 'root' | 'globs'> {
  readonly json?: boolean
}

export function checkCommand(): Command {
  return new Command('check')
    .description('show every problem of every workflow file')
    .argument('[files...]', 'workflow files or globs', [DEFAULT_GLOB])
    .addOption(stateOption())
    .addOption(eventOption())
    .option('--strict', 'untrusted text in a script is an error')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExamples:\n  $ hookline check\n  $ hookline check --strict')
    .action(run)
}

async function run(globs: string[], { json, ...options }: CheckCommandOptions): Promise<void> {
  const checked = await checkWorkflows({ ...options, root: process.cwd(), globs })
  const { count, errors, warnings } = checked
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

export interface CheckOptions extends Partial<CompileOptions> {
  readonly root: string
  readonly globs: readonly string[]
  readonly strict?: boolean
}

/** What is wrong, and how many files were looked at. */
export interface Checked extends Findings {
  readonly count: number
}

/** Checks workflow files as a build would; nothing is written. */
export async function checkWorkflows(options: CheckOptions): Promise<Checked> {
  const { root, globs, strict = false } = options
  try {
    const files = findSourceFiles(root, globs).map((named) => ({
      ...named,
      source: readSource(root, named.file),
    }))
    const built = await buildWorkflows(files, { uses: ACTION, state: 'none', ...options })
    return { count: files.length, ...findingsOf(built, strict) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, errors: error.problems, warnings: [] }
  }
}
