import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { type Module, readModules } from './imports.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = new Map(readModules(`${root}src`).map((module) => [module.path, module]))

/** The packages that modules import, and those that they import, types included. */
function packagesBehind(entries: readonly string[], known: ReadonlyMap<string, Module>): string[] {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const walk = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const name of known.get(path)?.imports ?? []) {
      if (known.has(name)) walk(name)
      else if (!isBuiltin(name)) packages.add(packageOf(name))
    }
  }
  for (const entry of entries) walk(entry)
  return [...packages].sort()
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}

describe('R50: the relay stands on at most three packages', () => {
  test.each([
    ['on Node', 'entries/relay-node.ts', ['jose', 'lossless-json', 'undici']],
    ['on workers', 'entries/relay-worker.ts', ['jose', 'lossless-json']],
  ])('%s', (_, entry, packages) => {
    expect(modules.has(entry)).toBe(true)
    expect(packagesBehind([entry], modules)).toEqual(packages)
  })

  test('and each of them on none', () => {
    for (const name of ['jose', 'lossless-json', 'undici']) {
      const { dependencies = {} } = manifestOf(`node_modules/${name}`)
      expect([name, dependencies]).toEqual([name, {}])
    }
  })

  test('of which the bundle for workers names two', () => {
    const notices = readFileSync(`${root}dist/relay/licenses.txt`, 'utf8')
    expect(notices.match(/^\S+(?= \d+\.\d+\.\d+ \()/gm)).toEqual(['jose', 'lossless-json'])
  })

  test('as the walk sees them, through modules of ours', () => {
    const known = new Map([
      [
        'a.ts',
        { path: 'a.ts', imports: ['b.ts', 'node:fs', '@x/y/z'], globals: new Set<string>() },
      ],
      ['b.ts', { path: 'b.ts', imports: ['a.ts', 'p/q'], globals: new Set<string>() }],
    ])
    expect(packagesBehind(['a.ts'], known)).toEqual(['@x/y', 'p'])
  })
})

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'))
}

/** What npm runs of a package that it takes from a registry. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

/** What a package runs when it is installed, a line each; npm builds what has a binding.gyp unasked. */
function runsAtInstall({ scripts = {} }: Manifest, files: readonly string[]): string[] {
  const named = INSTALL_SCRIPTS.filter((name) => scripts[name] !== undefined)
  return files.includes('binding.gyp') ? [...named, 'binding.gyp'] : named
}

describe('R50: no production dependency runs anything when it is installed', () => {
  const lock: { packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> } =
    JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))
  const production = Object.entries(lock.packages).filter(([path, { dev }]) => path && !dev)

  test('by the lock file', () => {
    expect(production.length).toBeGreaterThan(30)
    const marked = production.filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(marked.map(([path]) => path)).toEqual([])
  })

  test('by what is installed', () => {
    const installed = production.filter(([path]) => existsSync(root + path))
    expect(installed.length).toBeGreaterThan(30)
    const running = installed.flatMap(([path]) =>
      runsAtInstall(manifestOf(path), readdirSync(root + path)).map((name) => `${path} ${name}`),
    )
    expect(running).toEqual([])
  })

  test('and neither does Hookline itself', () => {
    expect(runsAtInstall(manifestOf('.'), readdirSync(root))).toEqual([])
  })

  test.each([
    [{ scripts: { postinstall: 'node x.js' } }, [], ['postinstall']],
    [{ scripts: { prepare: 'husky' } }, ['index.js'], []],
    [{}, ['binding.gyp'], ['binding.gyp']],
  ])('as the guard sees it: %j with %j', (manifest, files, expected) => {
    expect(runsAtInstall(manifest, files)).toEqual(expected)
  })
})
