#!/usr/bin/env node
import { Command } from 'commander'
import { buildCommand } from './commands/build.ts'
import { checkCommand } from './commands/check.ts'
import { devCommand } from './commands/dev.ts'
import { relayCommand } from './commands/relay.ts'
import { urlCommand } from './commands/url.ts'
import { explain } from './exit.ts'

const program = new Command('hookline')
  .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
  .addCommand(buildCommand())
  .addCommand(checkCommand())
  .addCommand(devCommand())
  .addCommand(relayCommand())
  .addCommand(urlCommand())

program.exitOverride()
for (const command of program.commands) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}
