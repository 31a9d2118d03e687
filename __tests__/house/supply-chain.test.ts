import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { type Module, readModules } from './imports.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = new Map(readModules(`${root}src`).map((module) => [module.path, module]))
/** Folders of all that a bundle may hold, nested ones too. */
const bundled = withDependencies(root, packagesBehind([...modules.keys()], modules))

/** Of which Node loads it at the first batch, and workers with the outbox. */
const BATCHES = 'relay/outbox/batches.ts'

/** Without what is loaded only where it is asked for, as bundles of their own. */
const withoutDoor = new Map(
  [...modules].map(([path, module]) => [
    path,
    ['relay/door.ts', 'relay/clock.ts', 'relay/durable-outbox.ts', BATCHES].includes(path)
      ? { ...module, imports: [] }
      : module,
  ]),
)

describe('the relay stands on at most three packages', () => {
  test.each([
    ['on Node', 'relay/node.ts', ['jose', 'lossless-json', 'undici']],
    ['on workers', 'relay/worker.ts', ['jose', 'lossless-json']],
  ])('%s', (_, entry, packages) => {
    expect(modules.has(entry)).toBe(true)
    // Of valibot it takes types alone, by way of the senders' handshakes.
    const behind = packagesBehind([entry], withoutDoor).filter((name) => name !== 'valibot')
    expect(behind).toEqual(packages)
  })

  test('and on two more where a grant asks for something at the door', () => {
    const more = ['@actions/expressions', 'valibot']
    expect(packagesBehind(['relay/door.ts'], modules)).toEqual(expect.arrayContaining(more))
    for (const name of more) {
      const { dependencies = {} } = manifestOf(`${root}node_modules/${name}`)
      expect([name, dependencies]).toEqual([name, {}])
    }
  })

  test('and on one more where it keeps time', () => {
    expect(packagesBehind(['relay/clock.ts'], modules)).toContain('croner')
  })

  test('and on one more where it collects batches', () => {
    expect(packagesBehind([BATCHES], modules)).toContain('fflate')
    expect(manifestOf(`${root}node_modules/fflate`).dependencies).toBeUndefined()
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

describe('nothing that is bundled runs anything when it is installed', () => {
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

/** What stands between two quotes, and is long enough to be somebody's own words. */
const QUOTED = /(?<=['"`])[^'"`\\\n]{12,}(?=['"`])/g

/** Of what a package says, so much must stand in a bundle; by chance it is a twentieth at most. */
const SHARE = 1 / 8

/** The same by name and version. */
const packages = new Map(
  bundled.map((folder) => {
    const { name, version } = manifestOf(root + folder)
    return [`${name} ${version}`, folder]
  }),
)
const ownTexts = textsOfOne(packages)

/** The texts of each package that no other package has, and our own sources neither. */
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

/** Program files of a package, without the packages that lie within it. */
function scripts(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'package.json') return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return scripts(path)
    return /\.([cm]?js|json)$/.test(entry.name) ? [path] : []
  })
}

/** Names of the packages whose own words are among some texts. */
function saidBy(texts: ReadonlySet<string>): string[] {
  return [...ownTexts].flatMap(([name, own]) => {
    const said = own.filter((text) => texts.has(text)).length
    return said > 0 && said >= own.length * SHARE ? [name] : []
  })
}

/** What every licence text says in its own words, and a mere name of a licence does not. */
const GRANT =
  /Permission is hereby granted|Permission to use|Redistribution and use|TERMS AND|Blue Oak Model/
const LICENCE_FILE = /^(licen[cs]e|copying)/i

/**
 * Which packages are in a bundle is found here by what they say, not by what the bundler lists: a
 * text in quotes that one installed package alone has is in the bundle only with that package.
 */
describe.each(['action', 'cli', 'relay'])('the notices of dist/%s', (bundle) => {
  // A bundle that is loaded beside another one has notices of its own.
  const parts = readdirSync(`${root}dist/${bundle}`)
    .filter((name) => name.endsWith('licenses.txt'))
    .flatMap((name) =>
      readFileSync(`${root}dist/${bundle}/${name}`, 'utf8')
        .split(/\n-{72}\n\n/)
        .slice(1),
    )
  const noticeOf = (name: string) => parts.find((part) => part.startsWith(`${name} (`))
  const found = saidBy(textsIn(scripts(`${root}dist/${bundle}`)))

  test('name every package whose own words the bundle holds', () => {
    expect(found.length).toBeGreaterThanOrEqual(bundle === 'relay' ? 1 : 20)
    expect(found.filter((name) => noticeOf(name) === undefined)).toEqual([])
  })

  test('hold the licence file of each, to the word', () => {
    const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
    const lacking = found.filter((name) => {
      const folder = `${root}${packages.get(name)}`
      const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file))
      const notice = words(noticeOf(name) ?? '')
      return !files.every((file) =>
        notice.includes(words(readFileSync(join(folder, file), 'utf8'))),
      )
    })
    expect(lacking).toEqual([])
  })

  test('hold a licence text, and no mere name of one, for everything that they name', () => {
    const bare = parts.filter((part) => !GRANT.test(part))
    expect(bare.map((part) => part.split('\n')[0])).toEqual([])
  })
})

test('the words of a package give it away', () => {
  const texts = [...ownTexts].find(([name]) => name.startsWith('croner '))?.[1] ?? []
  expect(saidBy(new Set())).toEqual([])
  expect(saidBy(new Set(texts))).toEqual([expect.stringMatching(/^croner /)])
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

/** The packages that modules import, and those that these import, types included. */
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

/** Where a package is found from another one: in its own node_modules, or in one further up. */
function installed(root: string, from: string, name: string): string {
  const folder = `${from}node_modules/${name}`
  if (existsSync(`${root}${folder}/package.json`)) return folder
  if (from === '') throw new Error(`${name} is not installed`)
  return installed(root, from.slice(0, from.lastIndexOf('node_modules/')), name)
}
