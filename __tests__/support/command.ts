import { type ChildProcess, spawn } from 'node:child_process'
import { CLI_BUNDLE, runShared } from './cli.ts'

export interface CommandRun {
  readonly arguments?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts one command of the command line as its own process. */
export function startCommand(name: string, run: CommandRun): ChildProcess {
  const child = spawn(process.execPath, [CLI_BUNDLE, name, ...(run.arguments ?? [])], {
    env: { PATH: process.env.PATH ?? '', ...run.env },
  })
  child.stdin?.end(run.input ?? '')
  return child
}

export interface CommandResult {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Runs a command in the process that all runs of a suite share. */
export async function runCommand(name: string, run: CommandRun): Promise<CommandResult> {
  const { arguments: given = [], env, input } = run
  const { exitCode, stdout, stderr } = await runShared([name, ...given], {
    ...(env && { env }),
    ...(input !== undefined && { input }),
  })
  return { code: exitCode, output: stdout.trim(), errors: stderr }
}

/** Runs it several times, one after the other. */
export function runCommands(
  name: string,
  runs: readonly CommandRun[],
): Promise<readonly CommandResult[]> {
  return Promise.all(runs.map((run) => runCommand(name, run)))
}
