#!/usr/bin/env node
import { Command } from 'commander'
import { EXIT_CODES, endQuietlyOnClosedPipe, explain } from './cli/exit.ts'
import { ownVersion } from './cli/own-version.ts'
import { styled } from './cli/terminal.ts'
import { buildCommand } from './commands/build.ts'
import { checkCommand } from './commands/check.ts'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { initCommand } from './commands/init.ts'
import { keysCommand } from './commands/keys.ts'
import { relayCommand } from './commands/relay.ts'
import { sealCommand } from './commands/seal.ts'
import { sendCommand } from './commands/send.ts'
import { urlCommand } from './commands/url.ts'

const program = new Command('hookline')
  .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
  .addCommand(initCommand())
  .addCommand(devCommand())
  .addCommand(checkCommand())
  .addCommand(buildCommand())
  .addCommand(sendCommand())
  .addCommand(urlCommand())
  .addCommand(doctorCommand())
  .addCommand(relayCommand())
  .addCommand(keysCommand())
  .addCommand(sealCommand())
  .version(ownVersion(), '--version', 'print the version')
  .addHelpText('after', `\n${EXIT_CODES}\n\nExample:\n  $ hookline init`)

for (const command of withSubcommands(program)) {
  command.exitOverride().configureHelp({
    styleTitle: (title) => styled(process.stdout, 'bold', title),
    styleCommandText: (name) => styled(process.stdout, 'cyan', name),
  })
}

/** `keys` has commands of its own, which know wrong usage too. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

endQuietlyOnClosedPipe()
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}
