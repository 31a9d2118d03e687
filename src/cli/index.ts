import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { isObject } from '../wire/json.ts'
import { buildCommand } from './build.ts'
import { checkCommand } from './check.ts'
import { devCommand } from './dev.ts'
import { doctorCommand } from './doctor.ts'
import { initCommand } from './init.ts'
import { keysCommand } from './keys.ts'
import { outboxCommand } from './outbox.ts'
import { relayCommand } from './relay.ts'
import { sealCommand } from './seal.ts'
import { sendCommand } from './send.ts'
import { EXIT_CODES, endQuietlyOnClosedPipe, reportError, styled } from './terminal.ts'
import { urlCommand } from './url.ts'

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
  .addCommand(outboxCommand())
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
  process.exitCode = reportError(error)
}

/**
 * The version in package.json, which stands two folders above the script that was started;
 * `unknown` for a script that was copied out of its package.
 */
function ownVersion(): string {
  const manifest = readManifest(realpathSync(process.argv[1] ?? ''))
  return isObject(manifest) && manifest.name === 'hookline' ? String(manifest.version) : 'unknown'
}

function readManifest(script: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(script, '../../../package.json'), 'utf8'))
  } catch {
    return undefined
  }
}
