import { commandNames, helpOf } from './commands.js'
import { code } from './table.js'

/** @typedef {import('../../src/wire/settings.ts').SettingName} Name */

const { settingDefault, SETTINGS } = await compiled('settings')
const { MEANINGS } = await compiled('settings-help')

/** Loads a module of build/, which has no types. @param {string} name */
function compiled(name) {
  return import(new URL(`../../build/wire/${name}.js`, import.meta.url).href)
}

/** The flags with the same meaning. @type {Partial<Record<Name, string>>} */
const FLAGS = {
  HOST: '--host',
  PORT: '--port',
  HOOKLINE_REPOSITORY: '--repository',
  HOOKLINE_DATA: '--data',
  HOOKLINE_ALLOW_TOKENS: '--allow-tokens',
}

/**
 * Every variable of Hookline with its default, its meaning, and the commands whose help names it. A list,
 * because the long names make a table wider than a phone.
 */
export function variablesList() {
  const help = new Map(commandNames().map((name) => [name, environmentOf(helpOf(name))]))
  const names = /** @type {Name[]} */ (Object.keys(SETTINGS))
  const lines = names.map((name) => {
    const spellings = [name, FLAGS[name]].flatMap((each) => (each ? code(each) : []))
    const commands = [...help].flatMap(([command, text]) =>
      text.includes(name) ? code(command) : [],
    )
    const readers = commands.length === 0 ? '' : ` (${commands.join(', ')})`
    const value = defaultOf(name)
    const shown = value === '' ? '' : ` Default: ${value}.`
    return `- <a id="${name}"></a>${spellings.join(', ')}${readers}: ${inCode(MEANINGS[name])}.${shown}`
  })
  return lines.join('\n')
}

/** A help text with its variables and flags as code. @param {string} help */
function inCode(help) {
  return help.replaceAll(/HOOKLINE_[A-Z_]+|--[a-z-]+/g, code)
}

/** The names of the variables in a help text. @param {string} help */
function environmentOf(help) {
  const sections = help.split(/^Environment:\n/m).slice(1)
  return sections.flatMap((section) =>
    [...(section.split('\n\n')[0] ?? '').matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name = '']) => name),
  )
}

/** @param {Name} name */
function defaultOf(name) {
  /** @type {{ or?: string }} */
  const { or } = SETTINGS[name]
  const places = [or, settingDefault(name)].flatMap((place) => (place ? code(place) : []))
  return places.join(', else ')
}
