import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { code, table } from './table.js'

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

/** A row for each command: what it is for, and its options, which `--help` describes. */
export function commandTable() {
  const rows = commandNames().map((name) => {
    const help = helpOf(name)
    const [, description = ''] = /^Usage:[\s\S]*?\n\n([\s\S]*?)\n\n/.exec(help) ?? []
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag)
    const own = [...new Set(flags)].filter((flag) => !COMMON.includes(flag))
    return [code(name), description.replaceAll(/\s+/g, ' '), own.map(code).join(' ')]
  })
  return table(['command', 'what it does', 'options'], rows)
}

const COMMON = ['--help', '--json']
