import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { code } from './table.js'

const cli = join(process.env.HOOKLINE_TEST_BUNDLES ?? (await bundles()), 'dist/cli/index.js')

/** Within a run of jest they are made already, and the bundler is no module for its virtual machine. */
async function bundles() {
  const { bundlesForTests } = await import('../build/for-tests.js')
  return bundlesForTests()
}

/**
 * What `--help` prints, of the command line as the sources stand; and under it that of the command's own commands
 * that have options.
 *
 * @param {string} [name] none for the command line as a whole
 * @returns {string}
 */
export function helpOf(name) {
  if (name === undefined) return printed()
  const help = printed(name)
  return [help, ...partsOf(help).map((part) => printed(name, part))].join('\n')
}

/** The commands of a command's own, by its help. @param {string} help */
export function partsOf(help) {
  const [, listed = ''] = help.split(/^Commands:\n/m)
  return [...listed.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, part = '']) => part)
}

/** @param {string[]} names */
function printed(...names) {
  const env = { PATH: process.env.PATH }
  return execFileSync(process.execPath, [cli, ...names, '--help'], { encoding: 'utf8', env })
}

/** Every command, in the order of the help. */
export function commandNames() {
  const [, listed = ''] = helpOf().split(/^Commands:\n/m)
  const names = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name)
  return names.slice(0, names.indexOf('help'))
}

/** What one wants, and the commands for it. */
const PURPOSES = {
  'Begin, and try': ['init', 'connect', 'dev', 'send'],
  'Get the workflow right': ['check', 'build'],
  'Give a sender its URL': ['url', 'grant', 'seal', 'keys'],
  'See what happens on GitHub': ['doctor', 'runs'],
  'Run a relay': ['relay', 'outbox', 'app'],
  'In your shell': ['completion'],
}

/** Every command by what it is for; its options are what `--help` describes. */
export function commandList() {
  const known = Object.values(PURPOSES).flat().toSorted().join()
  if (known !== commandNames().toSorted().join()) throw new Error(`PURPOSES has ${known}`)
  return Object.entries(PURPOSES)
    .map(([purpose, names]) => [`**${purpose}**`, names.map(line).join('\n')].join('\n\n'))
    .join('\n\n')
}

/** @param {string} name */
function line(name) {
  const [, description = ''] = /^Usage:[\s\S]*?\n\n([\s\S]*?)\n\n/.exec(helpOf(name)) ?? []
  return `- ${code(name)}: ${description.replaceAll(/\s+/g, ' ')}`
}
