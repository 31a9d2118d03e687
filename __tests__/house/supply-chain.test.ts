import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { readModules } from './imports.ts'
import { manifestOf, packagesBehind, withDependencies } from './packages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = new Map(readModules(`${root}src`).map((module) => [module.path, module]))

describe('R50: the relay stands on at most three packages', () => {
  test.each([
    ['on Node', 'relay/node.ts', ['jose', 'lossless-json', 'undici']],
    ['on workers', 'relay/worker.ts', ['jose', 'lossless-json']],
  ])('%s', (_, entry, packages) => {
    expect(modules.has(entry)).toBe(true)
    expect(packagesBehind([entry], modules)).toEqual(packages)
  })

  test('and each of them on none', () => {
    for (const name of ['jose', 'lossless-json', 'undici']) {
      const { dependencies = {} } = manifestOf(`${root}node_modules/${name}`)
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

/** What npm runs of a package that it takes from a registry. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

/** What a package runs when it is installed, a line each; npm builds what has a binding.gyp unasked. */
function runsAtInstall(
  { scripts = {} }: { readonly scripts?: Readonly<Record<string, string>> },
  files: readonly string[],
): string[] {
  const named = INSTALL_SCRIPTS.filter((name) => scripts[name] !== undefined)
  return files.includes('binding.gyp') ? [...named, 'binding.gyp'] : named
}

describe('R50: nothing that is bundled runs anything when it is installed', () => {
  const bundled = withDependencies(root, packagesBehind([...modules.keys()], modules))
  const lock: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync(`${root}package-lock.json`, 'utf8'),
  )

  test('by the lock file', () => {
    expect(bundled.length).toBeGreaterThan(30)
    expect(bundled.filter((path) => !lock.packages[path])).toEqual([])
    expect(bundled.filter((path) => lock.packages[path]?.hasInstallScript)).toEqual([])
  })

  test('by what is installed', () => {
    const running = bundled.flatMap((path) =>
      runsAtInstall(manifestOf(root + path), readdirSync(root + path)).map(
        (name) => `${path} ${name}`,
      ),
    )
    expect(running).toEqual([])
  })

  test('and who installs Hookline gets no other package', () => {
    const { dependencies = {} } = manifestOf(root)
    expect(dependencies).toEqual({})
    const production = Object.entries(lock.packages).filter(
      ([path, entry]) => path !== '' && !('dev' in entry),
    )
    expect(production.map(([path]) => path)).toEqual([])
  })

  test('and neither does Hookline itself', () => {
    expect(runsAtInstall(manifestOf(root), readdirSync(root))).toEqual([])
  })

  test.each([
    [{ scripts: { postinstall: 'node x.js' } }, [], ['postinstall']],
    [{ scripts: { prepare: 'husky' } }, ['index.js'], []],
    [{}, ['binding.gyp'], ['binding.gyp']],
  ])('as the guard sees it: %j with %j', (manifest, files, expected) => {
    expect(runsAtInstall(manifest, files)).toEqual(expected)
  })
})
