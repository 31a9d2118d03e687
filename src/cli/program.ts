import { Command, type Option } from 'commander'
import { closestMatch } from 'leven'
import type { Problem } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { type Environment, SETTINGS } from '../wire/settings.ts'
import { HELP_WIDTH } from '../wire/settings-help.ts'
import { VERSION } from '../wire/version.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import {
  EXIT_CODES,
  endOnClosedOutput,
  printFailure,
  reportError,
  reportUncaughtErrors,
  styled,
  warn,
} from './terminal.ts'

/** Every command, in the order of the help. A command is loaded only when it runs. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./init.ts')).initCommand()],
  ['connect', async () => (await import('./connect.ts')).connectCommand()],
  ['dev', async () => (await import('./dev.ts')).devCommand()],
  ['check', async () => (await import('./check.ts')).checkCommand()],
  ['build', async () => (await import('./build.ts')).buildCommand()],
  ['send', async () => (await import('./send.ts')).sendCommand()],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
  ['relay', async () => (await import('./relay.ts')).relayCommand()],
  ['endpoint', async () => (await import('./endpoint.ts')).endpointCommand()],
  ['deliveries', async () => (await import('./deliveries.ts')).deliveriesCommand()],
  ['app', async () => (await import('./app.ts')).appCommand()],
])

export function startProgram(): void {
  endOnClosedOutput()
  reportUncaughtErrors()
  const given = process.argv.slice(2)
  const rest = given.includes('--') ? given.indexOf('--') : given.length
  const hasFlag = (flag: string) => given.indexOf(flag) >= 0 && given.indexOf(flag) < rest
  // Every command accepts --no-color, at any position.
  if (hasFlag('--no-color')) process.env.NO_COLOR = '1'
  run(given.filter((word, at) => at > rest || word !== '--no-color')).catch((error) => {
    process.exitCode = reportError(error)
    if (hasFlag('--json')) printFailure(error)
  })
}

async function run(words: readonly string[]): Promise<void> {
  const program = await programFor(words)
  let unknownCommand: string | undefined
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureOutput({
        // Commander suggests similar options only; `--repo` is the beginning of `--repository`.
        outputError(text, write) {
          const [unknown = '', prefix = ''] =
            /^error: unknown option '(--[\w-]+)'\n/.exec(text) ?? []
          const whole = command.options.find(({ long }) => prefix && long?.startsWith(prefix))?.long
          const excess = text.startsWith('error: too many arguments') ? command.args[0] : undefined
          // A default subcommand that is not named gets a word that its parent does not know.
          const isUnknown = excess !== undefined && command.parent?.args[0] !== command.name()
          const owner = (isUnknown && command.parent) || command
          if (isUnknown) unknownCommand = `error: unknown command '${excess}'`
          const names = owner.commands.map((each) => each.name())
          const meant = excess === undefined ? undefined : didYouMean(excess, names)
          const fault = unknownCommand === undefined ? text : `${unknownCommand}\n`
          write(printable(whole ? `${unknown}(Did you mean ${whole}?)\n` : fault))
          if (meant) write(`(${meant})\n`)
          else if (/^error: (?:unknown|missing|too many|required).*\n$/.test(text) && !whole) {
            write(`(Print the usage: ${pathOf(owner)} --help)\n`)
          }
        },
      })
      .configureHelp({
        helpWidth: Math.min(HELP_WIDTH, process.stdout.columns || HELP_WIDTH),
        showGlobalOptions: true,
        visibleGlobalOptions: sharedOptions,
        styleTitle: (title) => styled(process.stdout, 'bold', title),
        styleCommandText: (name) => styled(process.stdout, 'cyan', name),
      })
  }
  await program.parseAsync(words, { from: 'user' }).catch((error) => {
    if (unknownCommand !== undefined) error.message = unknownCommand
    throw error
  })
}

/** `hookline endpoint create` */
function pathOf(command: Command): string {
  return `${command.parent ? `${pathOf(command.parent)} ` : ''}${command.name()}`
}

/** The flags of its parent that a subcommand accepts, too; `relay` itself is a command, whose subcommands share one. */
function sharedOptions({ parent }: Command): Option[] {
  if (!parent?.parent) return []
  return parent.options.filter(({ long }) => parent.name() !== 'relay' || long === '--data')
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** The variables that options such as `--secret-env` name. */
function variablesNamedIn(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const [option, value] = /^(--[\w-]+-env)(?:=(.*))?$/s.exec(word)?.slice(1) ?? []
    return option === undefined ? [] : [value ?? words[at + 1] ?? '']
  })
}

async function programFor(words: readonly string[]): Promise<Command> {
  const program = new Command('hookline')
    .description('trigger GitHub Actions workflows by webhooks and by messages to bots')
    .version(VERSION, '-v, --version', 'print the version')
    .option('--no-color', 'print no colors, like NO_COLOR; every command accepts it')
    .addHelpText('after', `\n${EXIT_CODES}\n\nExample:\n  $ hookline init`)
  program.hook('preAction', () => {
    warn(unknownVariables(process.env, variablesNamedIn(words)))
  })
  const [word = ''] = words
  const load = COMMANDS.get(word)
  // The help and the suggestion for an unknown command need every command.
  const wanted = load ? [load] : COMMANDS.values()
  for (const loadOne of wanted) program.addCommand(await loadOne())
  return program
}

const TEST_VARIABLES = /^HOOKLINE_(?:TEST_\w+|NODE22|NODE24|WRANGLER|FORBID_SKIPS)$/

/** Letters that may differ in a typo. */
const MAX_DISTANCE = 4

/**
 * A warning for each `HOOKLINE_*` variable that is set and that Hookline does not read.
 *
 * @param named variables that options such as `--secret-env` name
 */
export function unknownVariables(
  env: Environment,
  named: readonly string[] = [],
): readonly Problem[] {
  const known = Object.keys(SETTINGS)
  const unknown = Object.keys(env).filter(
    (name) =>
      /^HOOKLINE_/.test(name) && ![...known, ...named].includes(name) && !TEST_VARIABLES.test(name),
  )
  return unknown.toSorted().map((name) => {
    const nearest = closestMatch(name, known, { maxDistance: MAX_DISTANCE })
    return {
      message: `unknown environment variable ${name}`,
      hint: nearest === undefined ? `Unset it: unset ${name}` : `did you mean "${nearest}"?`,
    }
  })
}
