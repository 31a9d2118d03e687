import { code, table } from './table.js'

/** @typedef {import('../../src/wire/settings.ts').SettingName} Name */

const { settingDefault, SETTINGS } = await compiled('settings')
const { RELAY_SETTINGS, SETTING_HELP } = await compiled('settings-help')

/** What is compiled in build/ has no types. @param {string} name */
function compiled(name) {
  return import(new URL(`../../build/wire/${name}.js`, import.meta.url).href)
}

/** What a flag says too. @type {Partial<Record<Name, string>>} */
const FLAGS = { HOST: '--host', PORT: '--port', HOOKLINE_REPOSITORY: '--repository' }

/** All variables that a relay reads, with their defaults. */
export function settingsTable() {
  /** @type {readonly Name[]} */
  const names = ['HOST', 'PORT', ...RELAY_SETTINGS]
  const rows = names.map((name) => [
    [name, FLAGS[name]].flatMap((each) => (each ? code(each) : [])).join(', '),
    defaultOf(name),
    SETTING_HELP[name],
  ])
  return table(['variable', 'default', 'meaning'], rows)
}

/** @param {Name} name */
function defaultOf(name) {
  /** @type {{ or?: string }} */
  const { or } = SETTINGS[name]
  const places = [or, settingDefault(name)].flatMap((place) => (place ? code(place) : []))
  return places.join(', else ')
}
