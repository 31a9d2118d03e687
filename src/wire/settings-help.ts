import { SETTINGS, type SettingName, settingDefault } from './settings.ts'

/** A variable of the table, or any variable with its meaning. */
type HelpVariable = SettingName | readonly [name: string, meaning: string]

/** Columns of a help text. */
export const HELP_WIDTH = 80

/** The section of `--help` that lists the variables of a command, with their defaults. */
export function environmentHelp(...variables: readonly HelpVariable[]): string {
  const rows = variables.map((each) => (typeof each === 'string' ? variableHelp(each) : each))
  const width = Math.max(...rows.map(([name]) => name.length))
  const indent = ' '.repeat(width + 4)
  const lines = rows.map(([name, meaning]) => {
    const wrapped = wrap(meaning, HELP_WIDTH - indent.length).join(`\n${indent}`)
    return `  ${name.padEnd(width)}  ${wrapped}`
  })
  return ['Environment:', ...lines].join('\n')
}

/** The words of a text in lines of at most `width` characters; a longer word has its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function variableHelp(name: SettingName): readonly [string, string] {
  const preset = settingDefault(name)
  const meaning = SETTINGS[name].help
  return [name, preset ? `${meaning} (default: ${preset})` : meaning]
}
