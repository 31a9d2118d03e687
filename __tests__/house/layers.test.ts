import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { braceExpand, minimatch } from 'minimatch'
import { WIRING } from '../../scripts/wiring.js'
import { findCircle, type Module, parseModule, readModules } from './imports.ts'

const LAYERS: Readonly<Record<string, number>> = {
  wire: 0,
  workflow: 1,
  model: 1,
  triggers: 1,
  state: 1,
  engine: 2,
  relay: 2,
  compiler: 2,
  check: 2,
  action: 3,
  inspector: 3,
  cli: 3,
}

/** The rooms of `relay/`, and its files that stand beside them; types count too. */
const ROOMS: Readonly<Record<string, number>> = {
  'errors.ts': 0,
  'figures.ts': 0,
  'metrics.ts': 0,
  'bounded-cache.ts': 0,
  'runtime.ts': 0,
  store: 1,
  github: 2,
  delivery: 3,
  webhook: 4,
  admin: 5,
  'readiness.ts': 6,
  'pages.ts': 6,
  'relay.ts': 6,
  'config.ts': 7,
  'stored-relay.ts': 7,
  node: 8,
  workers: 8,
}

/**
 * Node's modules that other files may use, too, because they do not reach outside of the process.
 */
const ALLOWED_BUILTINS: Readonly<Record<string, readonly string[]>> = {
  triggers: ['node:crypto'], // reads certificates, which WebCrypto does not
}

/** Packages that only the wiring files may import; every other file gets them as parameters. */
const OUTSIDE_PACKAGES = ['@actions/core', '@actions/github', 'undici', 'node-fetch']
const OUTSIDE_GLOBALS = [
  'process',
  'globalThis',
  'console',
  'fetch',
  'setTimeout',
  'setInterval',
  'Date.now',
  'new Date()',
  'performance',
  'Math.random',
]

const modules = readModules(fileURLToPath(new URL('../../src', import.meta.url)))

function folderOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** The level of a file of the relay; `undefined` for any other file. */
function roomOf(path: string): number | undefined {
  const [folder, room] = path.split('/')
  return folder === 'relay' ? ROOMS[room ?? ''] : undefined
}

function isOurs(name: string): boolean {
  return /\.tsx?$/.test(name)
}

function isWiring(path: string): boolean {
  return WIRING.some((pattern) => minimatch(path, pattern))
}

/** The imports of a module that its layer forbids, one line each. */
function offences(module: Module): string[] {
  const { path, imports } = module
  const layer = LAYERS[folderOf(path)]
  if (layer === undefined) return [`${path} is in no folder that has a layer`]
  const up = imports.filter((name) => isOurs(name) && (LAYERS[folderOf(name)] ?? Infinity) > layer)
  if (isWiring(path)) return up.map((name) => `${path} imports ${name}`)
  const allowed = ALLOWED_BUILTINS[folderOf(path)] ?? []
  const outside = [
    ...imports.filter((name) => isBuiltin(name) && !allowed.includes(name)),
    ...imports.filter((name) => OUTSIDE_PACKAGES.includes(name)),
  ]
  // Most files contain none of the names, and need not be parsed.
  const used = OUTSIDE_GLOBALS.filter(
    (name) => module.text?.includes(name) && module.globals.has(name),
  )
  return [
    ...[...up, ...outside].map((name) => `${path} imports ${name}`),
    ...used.map((name) => `${path} uses ${name}`),
  ]
}

/** Each part as one module, with its files' imports from other parts. @param partOf a path below `src` */
function parts(files: readonly Module[], partOf: (path: string) => string): Module[] {
  const names = [...new Set(files.map(({ path }) => partOf(path)))]
  return names.map((name) => {
    const own = files.filter(({ path }) => partOf(path) === name)
    const imports = own.flatMap((file) => file.imports.filter(isOurs).map(partOf))
    const others = [...new Set(imports)].filter((other) => other !== name)
    return { path: name, imports: others, globals: new Set<string>() }
  })
}

const folders = (files: readonly Module[]) => parts(files, folderOf)

/** A folder of `cli/` is one part; each file beside these folders is another one. */
const commands = (files: readonly Module[]) =>
  parts(files, (path) => /^cli\/[^/]+\//.exec(path)?.[0] ?? path)

test('src has modules to look at', () => {
  expect(modules.length).toBeGreaterThan(5)
})

test('imports point down, and only wiring files reach outside', () => {
  expect(modules.flatMap(offences)).toEqual([])
})

test('imports point down inside of the relay, too', () => {
  const arrows = modules.flatMap(({ path, imports }) => {
    const room = roomOf(path)
    return imports
      .filter((name) => room !== undefined && (roomOf(name) ?? 0) > room)
      .map((name) => `${path} imports ${name}`)
  })
  expect(arrows).toEqual([])
})

test('no module imports itself by way of others', () => {
  expect(findCircle(modules)).toBeUndefined()
})

test('neither does a folder', () => {
  expect(findCircle(folders(modules))).toBeUndefined()
})

test('neither does a folder of cli', () => {
  const ofCli = modules.filter(({ path }) => folderOf(path) === 'cli')
  expect(findCircle(commands(ofCli))).toBeUndefined()
})

test('every file of the relay is in a room', () => {
  const paths = modules.map(({ path }) => path).filter((path) => folderOf(path) === 'relay')
  expect(paths.filter((path) => roomOf(path) === undefined)).toEqual([])
})

test('commands that show no inspector import nothing from it', () => {
  const ours = modules.filter(({ path }) => /^cli\/(?:url|relay|init|connect)\b/.test(path))
  expect(ours.length).toBeGreaterThan(4)
  const importing = ours.filter(({ imports }) =>
    imports.some((name) => folderOf(name) === 'inspector'),
  )
  expect(importing.map(({ path }) => path)).toEqual([])
})

test('every pattern of the wiring files matches one', () => {
  const paths = modules.map(({ path }) => path)
  const idle = WIRING.flatMap((pattern) => braceExpand(pattern)).filter(
    (pattern) => !paths.some((path) => minimatch(path, pattern)),
  )
  expect(idle).toEqual([])
})

describe('the check detects', () => {
  test.each([
    [
      'an import upwards',
      'triggers/a.ts',
      `import { a } from '../relay/relay.ts'`,
      'relay/relay.ts',
    ],
    ['a type from above', 'wire/a.ts', `import type { A } from '../engine/a.ts'`, 'engine/a.ts'],
    ['a re-export', 'wire/a.ts', `export * from '../engine/a.ts'`, 'engine/a.ts'],
    ['a dynamic import', 'relay/a.ts', `await import('../cli/a.ts')`, 'cli/a.ts'],
    ['a Node module', 'relay/a.ts', `import fs from 'node:fs'`, 'node:fs'],
    ['a Node module by its old name', 'relay/a.ts', `import fs from 'fs'`, 'fs'],
    ['a package of the runner', 'action/a.ts', `import '@actions/core'`, '@actions/core'],
    ['an import upwards of a wiring file', 'relay/node.ts', `import '../cli/a.ts'`, 'cli/a.ts'],
  ])('%s', (_, path, text, name) => {
    expect(offences(parseModule(path, text))).toEqual([`${path} imports ${name}`])
  })

  test.each([
    ['const port = process.env.PORT', 'process'],
    ['await fetch(url)', 'fetch'],
    ['interface Ports { fetch: typeof fetch }\nawait fetch(url)', 'fetch'],
    ['send({ fetch })', 'fetch'],
    ['const now = Date.now()', 'Date.now'],
    ['const now = new Date()', 'new Date()'],
    ['export const wait = Math.random() * 2', 'Math.random'],
  ])('%s', (text, name) => {
    expect(offences(parseModule('relay/a.ts', text))).toEqual([`relay/a.ts uses ${name}`])
  })

  test.each([
    ['a module of the same layer', `import { a } from '../engine/a.ts'`],
    ['a package', `import { parse } from 'yaml'`],
    ['a port of that name', 'export function f(fetch: () => void) { fetch() }'],
    ['a member of that name', 'ports.fetch(url); ports.process'],
    ['its type', 'interface Ports { fetch: typeof fetch; process: string }'],
    ['a time it was given', 'const at = new Date(now)'],
  ])('no offence in %s', (_, text) => {
    expect(offences(parseModule('relay/a.ts', text))).toEqual([])
  })

  test.each(['relay/node/start.ts', 'cli/app/create-page.ts'])(
    'no offence in what wires up: %s',
    (path) => {
      const text = `import fs from 'node:fs'\nfs.readFileSync(process.argv[2], Date.now())`
      expect(offences(parseModule(path, text))).toEqual([])
    },
  )

  test('a folder without a layer', () => {
    expect(offences(parseModule('utils/a.ts', ''))).toEqual([
      'utils/a.ts is in no folder that has a layer',
    ])
  })

  test('a circle of folders where no file is in one', () => {
    const files = [
      parseModule('engine/a.ts', `import '../relay/a.ts'`),
      parseModule('relay/a.ts', ''),
      parseModule('relay/b.ts', `import type { A } from '../engine/b.ts'`),
      parseModule('engine/b.ts', `import './a.ts'`),
    ]
    expect(findCircle(files)).toBeUndefined()
    expect(findCircle(folders(files))).toEqual(['engine', 'relay', 'engine'])
    expect(findCircle(folders(files.slice(0, 2)))).toBeUndefined()
  })

  test('a circle of a folder and a command where no file is in one', () => {
    const files = [
      parseModule('cli/connect/a.ts', `import '../doctor.ts'`),
      parseModule('cli/connect/b.ts', ''),
      parseModule('cli/doctor.ts', `import './connect/b.ts'`),
    ]
    expect(findCircle(files)).toBeUndefined()
    expect(findCircle(commands(files))).toEqual(['cli/connect/', 'cli/doctor.ts', 'cli/connect/'])
  })

  test('a circle', () => {
    const circle = [
      parseModule('engine/a.ts', `import '../triggers/b.ts'`),
      parseModule('triggers/b.ts', `import type { C } from './c.ts'`),
      parseModule('triggers/c.ts', `import '../engine/a.ts'`),
    ]
    expect(findCircle(circle)).toEqual([
      'engine/a.ts',
      'triggers/b.ts',
      'triggers/c.ts',
      'engine/a.ts',
    ])
    expect(findCircle(circle.slice(0, 2))).toBeUndefined()
  })
})
