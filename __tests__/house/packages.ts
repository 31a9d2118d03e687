import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import type { Module } from './imports.ts'

export interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

export function manifestOf(folder: string): PackageManifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
}

/** The packages that modules import, and those that these import, types included. */
export function packagesBehind(
  entries: readonly string[],
  known: ReadonlyMap<string, Module>,
): string[] {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const walk = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const name of known.get(path)?.imports ?? []) {
      if (known.has(name)) walk(name)
      else if (!isNodes(name) && !name.startsWith('.')) packages.add(packageOf(name))
    }
  }
  for (const entry of entries) walk(entry)
  return [...packages].sort()
}

/** `node:sqlite` is a module of Node that not every version which runs this knows. */
function isNodes(name: string): boolean {
  return name.startsWith('node:') || isBuiltin(name)
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}

/**
 * What bundles may hold of packages: those of the names given, and all that they depend on.
 *
 * @returns their folders, from the root: `node_modules/a/node_modules/b`
 */
export function withDependencies(root: string, names: readonly string[]): string[] {
  const folders = new Set<string>()
  const walk = (from: string, name: string): void => {
    const folder = installed(root, from, name)
    if (folders.has(folder)) return
    folders.add(folder)
    const { dependencies = {} } = manifestOf(root + folder)
    for (const dependency of Object.keys(dependencies)) walk(`${folder}/`, dependency)
  }
  for (const name of names) walk('', name)
  return [...folders].sort()
}

/** Where a package is found from another one: in its own node_modules, or in one further up. */
function installed(root: string, from: string, name: string): string {
  const folder = `${from}node_modules/${name}`
  if (existsSync(`${root}${folder}/package.json`)) return folder
  if (from === '') throw new Error(`${name} is not installed`)
  return installed(root, from.slice(0, from.lastIndexOf('node_modules/')), name)
}
