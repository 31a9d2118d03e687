import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../dev/inspector/page', import.meta.url)

/**
 * The files of the inspector's page, by name. Read from beside the source; in the bundle a module
 * with the texts themselves stands in this one's place (scripts/build/inspector-page.js).
 */
export const INSPECTOR_FILES: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .filter((name) => name !== 'tsconfig.json')
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const),
)
