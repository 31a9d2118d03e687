import { Command } from 'commander'
import { printable } from '../wire/printable.ts'
import { type Completion, completionOf, type PlaceNames } from './completion/candidates.ts'
import { FILES_LINE, SCRIPTS } from './completion/shell-scripts.ts'
import { print } from './terminal.ts'

const HELP = `
To enable completion, add the line of your shell to its start file:
${SCRIPTS.map(({ line, startFile }) => `  ${startFile}\n    ${line}`).join('\n')}

Example:
  $ hookline completion bash`

/**
 * Prints a completion script. At each Tab the script runs `hookline completion words`.
 *
 * @param programFor the commands that the words need
 */
export function completionCommand(
  programFor: (words: readonly string[]) => Promise<Command>,
): Command {
  const command = new Command('completion').description('print a completion script for your shell')
  for (const { shell, script } of SCRIPTS) {
    const about = `print the script for ${shell}`
    command.addCommand(new Command(shell).description(about).action(() => print(script)))
  }
  const words = new Command('words')
    .description('print the candidates for the end of a command line')
    .argument('[words...]')
    .helpOption(false)
    .action(async (given: readonly string[]) => {
      // PowerShell passes an empty word as a space.
      const typed = given.map((word) => (word === ' ' ? '' : word))
      const program = await programFor(typed)
      const text = candidatesText(
        await completionOf(program, typed.length > 0 ? typed : [''], PLACE_NAMES),
      )
      if (text !== '') print(text)
    })
  return command.addCommand(words, { hidden: true }).addHelpText('after', HELP)
}

/** The candidates as text, without names that a shell would split into several words. */
function candidatesText({ candidates, files }: Completion): string {
  const safe = candidates.filter(({ value }) => /^[\w.=@/-]+$/.test(value))
  const lines = safe.map(({ value, about }) => `${value}\t${printable(about)}`)
  return [...lines, ...(files ? [FILES_LINE] : [])].join('\n')
}

const PLACE_NAMES: PlaceNames = async (kind) => {
  const names = await KNOWN.get(kind)?.()
  return [...new Set(names ?? [])]
}

/** The known values of each kind of argument, loaded when the shell asks. */
const KNOWN: ReadonlyMap<string, () => Promise<readonly string[]>> = new Map([
  ['workflow', async () => (await triggers()).map(({ workflow }) => workflow)],
  ['trigger', async () => (await triggers()).map(({ trigger }) => trigger)],
  ['path', async () => (await triggers()).map((each) => `${each.workflow}/${each.trigger}`)],
  ['sender', senders],
  ['example', async () => [...(await import('./send/example-events.ts')).EXAMPLES.keys()]],
  ['scheme', async () => (await import('./send/signatures.ts')).SIGNATURE_NAMES],
  ['repository', originHere],
  ['owner/name', originHere],
  ['kind', async () => (await import('../triggers/messaging-bot/places.ts')).UPDATE_KINDS],
  ['secret-env', async () => Object.keys(process.env)],
])

async function triggers() {
  const { triggersHere } = await import('./workflows-here.ts')
  return triggersHere()
}

async function senders(): Promise<readonly string[]> {
  const { SENDERS } = await import('../triggers/senders.ts')
  return SENDERS.map(({ name }) => name)
}

async function originHere(): Promise<readonly string[]> {
  const { originRepository } = await import('./files.ts')
  const repository = originRepository()
  return repository === '' ? [] : [repository]
}
