import { code, table } from './table.js'

const { COMPILER_SETTINGS } = await import(
  new URL('../../build/compiler/compiler-settings.js', import.meta.url).href
)

/** The settings of the compiler: each is a key of the settings file and a flag of `build`. */
export function compilerSettings() {
  /** @type {readonly import('../../src/compiler/compiler-settings.ts').CompilerSetting[]} */
  const settings = COMPILER_SETTINGS
  const rows = settings.map(({ key, argument, help, default: value }) => [
    code(`${key}: ${argument}`),
    `${help.charAt(0).toUpperCase()}${help.slice(1)}. Default: ${value}`,
  ])
  return table(['setting', 'meaning'], rows)
}
