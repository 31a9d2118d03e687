import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs that blocks use and that a machine may lack; GitHub's runners have all of them. */
const PROGRAMS = ['curl', 'git', 'jq', 'openssl']

/** Where a program lies; `undefined` when it is not installed. */
export function programPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

const MISSING = PROGRAMS.filter((name) => !programPath(name))

/** The programs that a block would need, and that are not there. */
export function missingFor(text: string): string[] {
  return MISSING.filter((name) => new RegExp(`(^|[|$(]|\\s)${name} `, 'm').test(text))
}
