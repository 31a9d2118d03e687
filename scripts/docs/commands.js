import { execFileSync } from 'node:child_process'
import { CLI } from './cli.js'
import { OUTPUTS_FILE, recordedOutputs } from './outputs.js'
import { code, table } from './table.js'

const OUTPUTS = await recordedOutputs()

/**
 * The `--help` of a command of the present sources, followed by the help of its subcommands.
 *
 * @param {string} [name] of a command; the whole command line without it
 * @returns {string}
 */
export function helpOf(name) {
  if (name === undefined) return printed()
  const help = printed(name)
  return [help, ...partsOf(help).map((part) => printed(name, part))].join('\n')
}

/** The subcommands. @param {string} help of the command */
export function partsOf(help) {
  const [, listed = ''] = help.split(/^Commands:\n/m)
  const [block = ''] = listed.split('\n\n')
  return [...block.matchAll(/^ {2}(?!help\b)([\w-]+)/gm)].map(([, part = '']) => part)
}

/** @param {string[]} names */
function printed(...names) {
  const env = { PATH: process.env.PATH }
  return execFileSync(process.execPath, [CLI, ...names, '--help'], { encoding: 'utf8', env })
}

/** Every command, in the order of the help. */
export function commandNames() {
  const [, listed = ''] = helpOf().split(/^Commands:\n/m)
  const names = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name)
  return names.slice(0, names.indexOf('help'))
}

/** The commands by purpose. */
const PURPOSES = {
  'Start and try': ['init', 'connect', 'dev', 'send'],
  'Check and compile workflows': ['check', 'build'],
  'Create a webhook URL': ['endpoint'],
  'See the effect': ['deliveries', 'doctor'],
  'Run a relay': ['relay', 'app'],
}

/** Every command by purpose, with a link to its options. */
export function commandList() {
  const known = Object.values(PURPOSES).flat().toSorted().join()
  if (known !== commandNames().toSorted().join()) throw new Error(`PURPOSES has ${known}`)
  return Object.entries(PURPOSES)
    .map(([purpose, names]) => [`**${purpose}**`, names.map(line).join('\n')].join('\n\n'))
    .join('\n\n')
}

/** @param {string} name */
function line(name) {
  return `- [${code(name)}](#${name}): ${descriptionOf(helpOf(name))}`
}

/** @param {string} help */
function descriptionOf(help) {
  const [, description = ''] = /^Usage:[\s\S]*?\n\n([\s\S]*?)\n\n/.exec(help) ?? []
  return description.replaceAll(/\s+/g, ' ')
}

/** The options of every command, one section a command, one anchor an option. */
export function optionsReference() {
  const sections = commandNames().flatMap((name) => {
    const parts = partsOf(printed(name)).map((part) => `${name} ${part}`)
    return [
      section(name, '##'),
      ...parts.map((part, at) => section(part, '###', parts.slice(0, at))),
    ]
  })
  return sections.join('\n\n')
}

/**
 * @param {string} name of a command, or of a command and its subcommand
 * @param {string} mark of its heading
 * @param {string[]} earlier subcommands, whose options are not described again
 */
function section(name, mark, earlier = []) {
  const help = printed(...name.split(' '))
  const [, usage = ''] = /^Usage: ([\s\S]*?)\n\n/.exec(help) ?? []
  const own = optionsOf(help)
  const sharing = earlier.find((one) => sharedWith(one, own).length > 1)
  const shared = sharing === undefined ? [] : sharedWith(sharing, own)
  const rows = own
    .filter(({ flags }) => !shared.includes(flags))
    .map(({ flags, meaning }) => [`<a id="${anchorOf(name, flags)}"></a>${code(flags)}`, meaning])
  const longs = shared.map((flags) => code(/--[\w-]+/.exec(flags)?.[0] ?? flags)).join(', ')
  return [
    `${mark} ${name}`,
    `${descriptionOf(help)}: ${code(usage.replaceAll(/\s+/g, ' '))}`,
    ...(sharing === undefined
      ? []
      : [`Options as in [${code(sharing)}](#${sharing.replaceAll(' ', '-')}): ${longs}.`]),
    ...(rows.length > 0 ? [table(['option', 'meaning'], rows)] : []),
    ...examples(help),
    ...outputsOf(name, help),
  ].join('\n\n')
}

/**
 * The options that a subcommand describes as another one does.
 *
 * @param {string} name of the other one
 * @param {ReturnType<typeof optionsOf>} own
 */
function sharedWith(name, own) {
  const others = optionsOf(printed(...name.split(' ')))
  return own
    .filter((one) =>
      others.some((other) => other.flags === one.flags && other.meaning === one.meaning),
    )
    .map(({ flags }) => flags)
}

/** The examples of a command with their outputs. @param {string} name @param {string} help */
function outputsOf(name, help) {
  if (partsOf(help).length > 0) return []
  const shown = Object.entries(OUTPUTS).filter(([example]) =>
    `${example} `.startsWith(`hookline ${name} `),
  )
  if (shown.length === 0) throw new Error(`${OUTPUTS_FILE} has no output of hookline ${name}`)
  return shown.map(([example, output]) => `\`\`\`console\n$ ${example}\n${output}\n\`\`\``)
}

/** The examples of a help text as one list; a line may continue on the next one. @param {string} help */
function examples(help) {
  const [, listed = ''] = help.split(/^Examples:\n/m)
  const lines = listed
    .replaceAll(/ \\\n\s+/g, ' ')
    .split('\n')
    .flatMap((text) => /^ {2}\$ (.*)$/.exec(text)?.[1] ?? [])
  if (lines.length === 0) return []
  return [`Examples:\n\n${lines.map((text) => `- ${code(text)}`).join('\n')}`]
}

/** The anchor of an option: `send--count`. @param {string} name @param {string} flags */
export function anchorOf(name, flags) {
  const [long = ''] = /--[\w-]+/.exec(flags) ?? []
  return name.replaceAll(' ', '-') + long
}

/** The options of a help text, without `--help`. @param {string} help */
export function optionsOf(help) {
  const [, listed = ''] = help.split(/^Options:\n/m)
  const [block = ''] = listed.split('\n\n')
  // The meaning of an option can continue on further, deeper indented lines.
  const entries = block.split(/\n(?= {2}-)/).map((entry) => entry.trim().replaceAll(/\n\s+/g, ' '))
  return entries
    .map((entry) => {
      const [, flags = '', meaning = ''] = /^(.*?) {2,}([\s\S]*)$/.exec(entry) ?? []
      return { flags, meaning }
    })
    .filter(({ flags }) => flags !== '' && !flags.startsWith('-h'))
}
