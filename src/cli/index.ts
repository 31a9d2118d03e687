#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads'
import { Command } from 'commander'
import { printable } from '../wire/printable.ts'
import { readSetting } from '../wire/settings.ts'
import {
  EXIT_CODES,
  endQuietlyOnClosedPipe,
  printFailure,
  reportError,
  styled,
} from './terminal.ts'
import { ownVersion } from './version.ts'

/** Every command, in the order of the help; each is loaded when it is asked for. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['connect', async () => (await import('./connect.ts')).connectCommand()],
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
  ['completion', async () => (await import('./completion.ts')).completionCommand(programFor)],
])

// As a thread of its own, the command runs the scripts of `dev`.
if (isMainThread) start()
else void import('../inspector/script-thread.ts').then(({ answerScripts }) => answerScripts())

function start(): void {
  endQuietlyOnClosedPipe()
  const given = process.argv.slice(2)
  const rest = given.includes('--') ? given.indexOf('--') : given.length
  const isSaid = (flag: string) => given.indexOf(flag) >= 0 && given.indexOf(flag) < rest
  // For every command, wherever it stands.
  if (isSaid('--no-color')) process.env.NO_COLOR = '1'
  run(given.filter((word, at) => at > rest || word !== '--no-color')).catch((error) => {
    process.exitCode = reportError(error)
    if (isSaid('--json')) printFailure(error)
  })
}

async function run(words: readonly string[]): Promise<void> {
  const program = await programFor(words)
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureOutput({
        // An option that is cut short, `--repo`, is too far from the whole one for the library's suggestion.
        outputError(text, write) {
          const [unknown = '', begun = ''] =
            /^error: unknown option '(--[\w-]+)'\n/.exec(text) ?? []
          const whole = command.options.find(({ long }) => begun && long?.startsWith(begun))?.long
          write(printable(whole ? `${unknown}(Did you mean ${whole}?)\n` : text))
        },
      })
      .configureHelp({
        styleTitle: (title) => styled(process.stdout, 'bold', title),
        styleCommandText: (name) => styled(process.stdout, 'cyan', name),
      })
  }
  await program.parseAsync(words, { from: 'user' })
}

/** `keys` has commands of its own, which know wrong usage too. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** The command line as far as these words need it. */
async function programFor(words: readonly string[]): Promise<Command> {
  const program = new Command('hookline')
    .description('A webhook, or a message to a bot, as a trigger of a GitHub Actions workflow.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .option('--no-color', 'print no colours, as with NO_COLOR set; of every command')
    .addHelpText('after', `\n${EXIT_CODES}\n\nExample:\n  $ hookline init`)
  // With a slip in it a relay, and whatever speaks to it, would each take another event.
  program.hook('preAction', () => void readSetting(process.env, 'HOOKLINE_DISPATCH'))
  const [word = ''] = words
  const load = COMMANDS.get(word)
  // All of them where help, or a suggestion for a mistyped one, may be wanted.
  const wanted = word === '--version' || word === '-v' ? [] : load ? [load] : COMMANDS.values()
  for (const loadOne of wanted) program.addCommand(await loadOne())
  return program
}
