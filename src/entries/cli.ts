#!/usr/bin/env node
import { Command } from 'commander'
import { devCommand } from './commands/dev.ts'
import { relayCommand } from './commands/relay.ts'
import { urlCommand } from './commands/url.ts'
import { explain } from './exit.ts'

const program = new Command('hookline')
  .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
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
