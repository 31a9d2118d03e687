#!/usr/bin/env node
import { Command } from 'commander'
import { printable } from '../wire/printable.ts'
import { EXIT_CODES, endQuietlyOnClosedPipe, reportError, styled } from './terminal.ts'
import { ownVersion } from './version.ts'

/** Every command, in the order of the help; each is loaded when it is asked for. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['dev', async () => (await import('./dev.ts')).devCommand()],
  ['check', async () => (await import('./check.ts')).checkCommand()],
  ['build', async () => (await import('./build.ts')).buildCommand()],
  ['send', async () => (await import('./send.ts')).sendCommand()],
  ['runs', async () => (await import('./runs.ts')).runsCommand()],
  ['url', async () => (await import('./url.ts')).urlCommand()],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
  ['relay', async () => (await import('./relay.ts')).relayCommand()],
  ['outbox', async () => (await import('./outbox.ts')).outboxCommand()],
  ['keys', async () => (await import('./keys.ts')).keysCommand()],
  ['grant', async () => (await import('./grant.ts')).grantCommand()],
  ['app', async () => (await import('./app.ts')).appCommand()],
  ['seal', async () => (await import('./seal.ts')).sealCommand()],
])

endQuietlyOnClosedPipe()
run().catch((error) => {
  process.exitCode = reportError(error)
})

async function run(): Promise<void> {
  const program = new Command('hookline')
    .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
    .version(ownVersion(), '--version', 'print the version')
    .addHelpText('after', `\n${EXIT_CODES}\n\nExample:\n  $ npx hookline init`)
  for (const load of asked(process.argv[2])) program.addCommand(await load())
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureOutput(suggesting(command))
      .configureHelp({
        styleTitle: (title) => styled(process.stdout, 'bold', title),
        styleCommandText: (name) => styled(process.stdout, 'cyan', name),
      })
  }
  await program.parseAsync()
}

/** The one command that the first word names; all of them where help or a suggestion may be wanted. */
function asked(word: string | undefined) {
  if (word === '--version') return []
  const command = COMMANDS.get(word ?? '')
  return command ? [command] : COMMANDS.values()
}

/** An option that is cut short, `--repo`, is too far from the whole one for the library's suggestion. */
function suggesting(command: Command) {
  return {
    outputError(text: string, write: (text: string) => void) {
      const [unknown = '', begun = ''] = /^error: unknown option '(--[\w-]+)'\n/.exec(text) ?? []
      const whole = command.options.find(({ long }) => begun && long?.startsWith(begun))?.long
      write(printable(whole ? `${unknown}(Did you mean ${whole}?)\n` : text))
    },
  }
}

/** `keys` has commands of its own, which know wrong usage too. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}
