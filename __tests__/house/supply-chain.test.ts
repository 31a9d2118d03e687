import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { type Module, readModules } from './imports.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = new Map(readModules(`${root}src`).map((module) => [module.path, module]))
/** Folders of all packages that a bundle may contain, including nested ones. */
const bundled = withDependencies(root, packagesBehind([...modules.keys()], modules))

const VERIFICATION = 'relay/webhook/verification.ts'

/** The modules without imports of those that are loaded on demand, as bundles of their own. */
const withoutOnDemand = new Map(
  [...modules].map(([path, module]) => [
    path,
    [VERIFICATION, 'relay/workers/relay-object.ts'].includes(path)
      ? { ...module, imports: [] }
      : module,
  ]),
)

describe('the relay uses at most two packages', () => {
  test.each([
    ['on Node', 'relay/node/start.ts', ['jose', 'undici']],
    ['on workers', 'relay/workers/worker.ts', ['jose']],
  ])('%s', (_, entry, packages) => {
    expect(modules.has(entry)).toBe(true)
    // The relay imports only types of valibot, through the handshakes of senders.
    const behind = packagesBehind([entry], withoutOnDemand).filter((name) => name !== 'valibot')
    expect(behind).toEqual(packages)
  })

  test('and two more if an endpoint verifies or filters at the relay', () => {
    const more = ['@actions/expressions', 'valibot']
    expect(packagesBehind([VERIFICATION], modules)).toEqual(expect.arrayContaining(more))
    for (const name of more) {
      const { dependencies = {} } = manifestOf(`${root}node_modules/${name}`)
      expect([name, dependencies]).toEqual([name, {}])
    }
  })

  test('and none of these has a dependency', () => {
    for (const name of ['jose', 'undici']) {
      const { dependencies = {} } = manifestOf(`${root}node_modules/${name}`)
      expect([name, dependencies]).toEqual([name, {}])
    }
  })

  test('and the bundle for workers names one of them', () => {
    const notices = readFileSync(`${root}dist/relay/licenses.txt`, 'utf8')
    expect(notices.match(/^\S+(?= \d+\.\d+\.\d+ \()/gm)).toEqual(['jose'])
  })

  test('found through imports of imports', () => {
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

/** Scripts that npm runs when it installs a package from a registry. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

/** The scripts that run at installation; npm also builds a package that has a `binding.gyp`. */
function runsAtInstall(
  { scripts = {} }: { readonly scripts?: Readonly<Record<string, string>> },
  files: readonly string[],
): string[] {
  const named = INSTALL_SCRIPTS.filter((name) => scripts[name] !== undefined)
  return files.includes('binding.gyp') ? [...named, 'binding.gyp'] : named
}

describe('no bundled package runs a script at installation', () => {
  const lock: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync(`${root}package-lock.json`, 'utf8'),
  )

  test('according to the lock file', () => {
    expect(bundled.length).toBeGreaterThan(30)
    expect(bundled.filter((path) => !lock.packages[path])).toEqual([])
    expect(bundled.filter((path) => lock.packages[path]?.hasInstallScript)).toEqual([])
  })

  test('according to the installed packages', () => {
    const running = bundled.flatMap((path) =>
      runsAtInstall(manifestOf(root + path), readdirSync(root + path)).map(
        (name) => `${path} ${name}`,
      ),
    )
    expect(running).toEqual([])
  })

  test('and Hookline has no dependency', () => {
    const { dependencies = {} } = manifestOf(root)
    expect(dependencies).toEqual({})
    const production = Object.entries(lock.packages).filter(
      ([path, entry]) => path !== '' && !('dev' in entry),
    )
    expect(production.map(([path]) => path)).toEqual([])
  })

  test('and Hookline itself runs none', () => {
    expect(runsAtInstall(manifestOf(root), readdirSync(root))).toEqual([])
  })

  test.each([
    [{ scripts: { postinstall: 'node x.js' } }, [], ['postinstall']],
    [{ scripts: { prepare: 'husky' } }, ['index.js'], []],
    [{}, ['binding.gyp'], ['binding.gyp']],
  ])('runsAtInstall finds the scripts of %j with %j', (manifest, files, expected) => {
    expect(runsAtInstall(manifest, files)).toEqual(expected)
  })
})

/** Strings that are long enough to identify the package that they come from. */
const QUOTED = /(?<=['"`])[^'"`\\\n]{12,}(?=['"`])/g

/** A bundle contains a package if it has this share of its strings; by chance it has 1/20 at most. */
const SHARE = 1 / 8

/** Folders of bundled packages, by name and version. */
const packages = new Map(
  bundled.map((folder) => {
    const { name, version } = manifestOf(root + folder)
    return [`${name} ${version}`, folder]
  }),
)
const ownTexts = textsOfOne(packages)

/** The strings that only one package has, and our sources do not. */
function textsOfOne(folders: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const all = [...folders].map(([name, folder]) => [name, textsIn(scripts(root + folder))] as const)
  const sources = [...modules.keys()].map((path) => `${root}src/${path}`)
  const counts = new Map([...textsIn(sources)].map((text) => [text, 1]))
  for (const [, texts] of all) {
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return new Map(
    all.map(([name, texts]) => [name, [...texts].filter((text) => counts.get(text) === 1)]),
  )
}

function textsIn(paths: readonly string[]): Set<string> {
  const texts = paths.map((path) => readFileSync(path, 'utf8'))
  return new Set(texts.flatMap((text) => text.match(QUOTED) ?? []))
}

/** Program files of a package, without those of nested packages. */
function scripts(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'package.json') return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return scripts(path)
    return /\.([cm]?js|json)$/.test(entry.name) ? [path] : []
  })
}

/** Names of the packages whose own strings are among these. */
function packagesIn(texts: ReadonlySet<string>): string[] {
  return [...ownTexts].flatMap(([name, own]) => {
    const said = own.filter((text) => texts.has(text)).length
    return said > 0 && said >= own.length * SHARE ? [name] : []
  })
}

/** Words that every license text contains; the mere name of a license does not. */
const GRANT =
  /Permission is hereby granted|Permission to use|Redistribution and use|TERMS AND|Blue Oak Model/
const LICENSE_FILE = /^(licen[cs]e|copying)/i

/**
 * The strings of a bundle show which packages it contains, whatever the bundler lists: a string that only
 * one installed package has is in the bundle only together with that package.
 */
describe.each(['action', 'cli', 'relay'])('the notices of dist/%s', (bundle) => {
  // A bundle that is loaded on demand has its own notices.
  const parts = readdirSync(`${root}dist/${bundle}`)
    .filter((name) => name.endsWith('licenses.txt'))
    .flatMap((name) =>
      readFileSync(`${root}dist/${bundle}/${name}`, 'utf8')
        .split(/\n-{72}\n\n/)
        .slice(1),
    )
  const noticeOf = (name: string) => parts.find((part) => part.startsWith(`${name} (`))
  const found = packagesIn(textsIn(scripts(`${root}dist/${bundle}`)))

  test('name every package that the bundle contains', () => {
    expect(found.length).toBeGreaterThanOrEqual(bundle === 'relay' ? 1 : 20)
    expect(found.filter((name) => noticeOf(name) === undefined)).toEqual([])
  })

  test('contain the whole license file of each', () => {
    const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
    const lacking = found.filter((name) => {
      const folder = `${root}${packages.get(name)}`
      const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
      const notice = words(noticeOf(name) ?? '')
      return !files.every((file) =>
        notice.includes(words(readFileSync(join(folder, file), 'utf8'))),
      )
    })
    expect(lacking).toEqual([])
  })

  test('contain a license text for every name', () => {
    const bare = parts.filter((part) => !GRANT.test(part))
    expect(bare.map((part) => part.split('\n')[0])).toEqual([])
  })
})

test('a package is found by its strings', () => {
  const texts = [...ownTexts].find(([name]) => name.startsWith('croner '))?.[1] ?? []
  expect(packagesIn(new Set())).toEqual([])
  expect(packagesIn(new Set(texts))).toEqual([expect.stringMatching(/^croner /)])
})

interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): PackageManifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
}

/** Packages that modules import directly or through other modules, types included. */
function packagesBehind(entries: readonly string[], known: ReadonlyMap<string, Module>): string[] {
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

/** Some versions of Node that run this test do not know `node:sqlite`. */
function isNodes(name: string): boolean {
  return name.startsWith('node:') || isBuiltin(name)
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}

/**
 * The packages of these names and all their dependencies.
 *
 * @returns folders, from the root: `node_modules/a/node_modules/b`
 */
function withDependencies(root: string, names: readonly string[]): string[] {
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

/** The folder of a package that another one imports: in its own node_modules, or further up. */
function installed(root: string, from: string, name: string): string {
  const folder = `${from}node_modules/${name}`
  if (existsSync(`${root}${folder}/package.json`)) return folder
  if (from === '') throw new Error(`${name} is not installed`)
  return installed(root, from.slice(0, from.lastIndexOf('node_modules/')), name)
}
