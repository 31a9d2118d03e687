import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs in blocks that a machine may lack; GitHub's runners have all of them. */
const PROGRAMS = ['curl', 'git', 'jq', 'openssl']

/** The path of a program; `undefined` if it is not installed. */
export function programPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

const MISSING = PROGRAMS.filter((name) => !programPath(name))

/** The missing programs of a block. */
export function missingFor(text: string): string[] {
  return MISSING.filter((name) => new RegExp(`(^|[|$(]|\\s)${name} `, 'm').test(text))
}
