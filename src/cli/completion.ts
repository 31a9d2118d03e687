import { Command } from 'commander'
import { printable } from '../wire/printable.ts'
import { type Completion, completionOf, type Names } from './completion/candidates.ts'
import { FILES_LINE, SCRIPTS } from './completion/scripts.ts'
import { print } from './terminal.ts'

const HELP = `
It completes the command of that name, which npm i -g hookline installs. The line that turns it on, and
where it belongs:
${SCRIPTS.map(({ line, startFile }) => `  ${line.padEnd(64)}${startFile}`).join('\n')}

Example:
  $ hookline completion bash`

/**
 * Prints what a shell needs to complete command lines; the shell then asks at each Tab what fits.
 *
 * @param programFor the tree of commands that these words need
 */
export function completionCommand(
  programFor: (words: readonly string[]) => Promise<Command>,
): Command {
  const command = new Command('completion').description(
    'complete commands, options and names of workflows and senders in your shell',
  )
  for (const { shell, script, startFile } of SCRIPTS) {
    const about = `print it for ${shell}; its line belongs into ${startFile}`
    command.addCommand(new Command(shell).description(about).action(() => print(script)))
  }
  const words = new Command('words')
    .description('print what fits at the end of a command line, for the shells above')
    .argument('[words...]')
    .helpOption(false)
    .action(async (given: readonly string[]) => {
      // PowerShell passes no empty word on.
      const typed = given.map((word) => (word === ' ' ? '' : word))
      const program = await programFor(typed)
      const text = answerText(await completionOf(program, typed.length > 0 ? typed : [''], NAMES))
      if (text !== '') print(text)
    })
  return command.addCommand(words, { hidden: true }).addHelpText('after', HELP)
}

/** A file in this folder may have any name: what a shell would not take as one word is left out. */
function answerText({ candidates, files }: Completion): string {
  const safe = candidates.filter(({ value }) => /^[\w.=@/-]+$/.test(value))
  const lines = safe.map(({ value, about }) => `${value}\t${printable(about)}`)
  return [...lines, ...(files ? [FILES_LINE] : [])].join('\n')
}

const NAMES: Names = async (place) => {
  const names = await KNOWN.get(place)?.()
  return [...new Set(names ?? [])]
}

/** What each place takes, loaded where it is asked for. */
const KNOWN: ReadonlyMap<string, () => Promise<readonly string[]>> = new Map([
  ['workflow', async () => (await triggers()).map(({ workflow }) => workflow)],
  ['trigger', async () => (await triggers()).map(({ trigger }) => trigger)],
  ['path', async () => (await triggers()).map((each) => `${each.workflow}/${each.trigger}`)],
  ['sender', senders],
  ['example', async () => [...(await import('./send/examples.ts')).EXAMPLES.keys()]],
  ['scheme', async () => (await import('./send/signatures.ts')).SIGNATURE_NAMES],
  ['repository', originHere],
  ['owner/name', originHere],
  ['kind', async () => (await import('../triggers/messaging-bot/updates.ts')).UPDATE_KINDS],
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
