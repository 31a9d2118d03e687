#!/usr/bin/env node
import { Command } from 'commander'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { initCommand } from './commands/init.ts'
import { relayCommand } from './commands/relay.ts'
import { sendCommand } from './commands/send.ts'
import { EXIT_CODES, endQuietlyOnClosedPipe, explain } from './exit.ts'
import { ownVersion } from './own-version.ts'
import { styled } from './terminal.ts'

const program = new Command('hookline')
  .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
  .addCommand(initCommand())
  .addCommand(devCommand())
  .addCommand(sendCommand())
  .addCommand(doctorCommand())
  .addCommand(relayCommand())
  .version(ownVersion(), '--version', 'print the version')
  .addHelpText('after', `\n${EXIT_CODES}\n\nExample:\n  $ hookline init`)

for (const command of [program, ...program.commands]) {
  command.exitOverride().configureHelp({
    styleTitle: (title) => styled(process.stdout, 'bold', title),
    styleCommandText: (name) => styled(process.stdout, 'cyan', name),
  })
}

endQuietlyOnClosedPipe()
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}
