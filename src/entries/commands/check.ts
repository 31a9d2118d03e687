import { Command } from 'commander'
import { DEFAULT_GLOB } from '../../action/inputs.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import { checkWorkflows } from '../cli/check-workflows.ts'
import { problemJson } from '../cli/problem-json.ts'

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
