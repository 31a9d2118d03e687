#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { UserError } from '../protocol/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { urlCommand } from './commands/url.ts'

/** 0 done, 1 the user can mend it, 2 wrong usage, 70 our bug. */
const EXIT = { mend: 1, usage: 2, bug: 70 } as const

const program = new Command('hookline')
  .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
  .addCommand(urlCommand())

program.exitOverride()
for (const command of program.commands) command.exitOverride()

process.exitCode = await run()

async function run(): Promise<number> {
  try {
    await program.parseAsync()
    return 0
  } catch (error) {
    return explain(error)
  }
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  if (!(error instanceof UserError)) return explainBug(error)
  for (const problem of error.problems) process.stderr.write(`${renderProblem(problem)}\n`)
  return EXIT.mend
}

/** A message of an unknown error may carry a payload or a token, so only its kind is shown. */
function explainBug(error: unknown): number {
  const name = error instanceof Error ? error.name : typeof error
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter(isFrame) : []
  process.stderr.write(
    `hookline: internal error (${name}), please report it\n${frames.join('\n')}\n`,
  )
  return EXIT.bug
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line)
}
