import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { findCircle, type Module, parseModule, readModules } from './imports.ts'

const FLOOR: Readonly<Record<string, number>> = {
  protocol: 0,
  workflow: 1,
  triggers: 1,
  items: 1,
  state: 1,
  relay: 2,
  engine: 2,
  compiler: 2,
  action: 3,
  dev: 3,
  entries: 4,
}

/** Node's modules that a room below `entries` may use: none that reaches outside the process. */
const ALLOWED_BUILTINS: Readonly<Record<string, readonly string[]>> = {
  triggers: ['node:crypto'], // reads certificates, which WebCrypto does not
}

/** What only `entries` may use; every other room takes it as an argument. */
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

function room(path: string): string {
  return path.split('/')[0] ?? ''
}

function isOurs(name: string): boolean {
  return name.endsWith('.ts')
}

/** What a module does that its floor forbids, a line each. */
function offences({ path, imports, globals }: Module): string[] {
  const floor = FLOOR[room(path)]
  if (floor === undefined) return [`${path} is in no room that has a floor`]
  const up = imports.filter((name) => isOurs(name) && (FLOOR[room(name)] ?? Infinity) > floor)
  if (room(path) === 'entries') return up.map((name) => `${path} imports ${name}`)
  const outside = [
    ...imports.filter((name) => isBuiltin(name) && !ALLOWED_BUILTINS[room(path)]?.includes(name)),
    ...imports.filter((name) => OUTSIDE_PACKAGES.includes(name)),
  ]
  const used = OUTSIDE_GLOBALS.filter((name) => globals.has(name))
  return [
    ...[...up, ...outside].map((name) => `${path} imports ${name}`),
    ...used.map((name) => `${path} uses ${name}`),
  ]
}

test('src has modules to look at', () => {
  expect(modules.length).toBeGreaterThan(5)
})

test('imports point down, and only entries reach outside', () => {
  expect(modules.flatMap(offences)).toEqual([])
})

test('no module imports itself by way of others', () => {
  expect(findCircle(modules)).toBeUndefined()
})

describe('the guard sees', () => {
  test.each([
    ['an import upwards', 'items/a.ts', `import { a } from '../relay/relay.ts'`, 'relay/relay.ts'],
    ['a type from above', 'protocol/a.ts', `import type { A } from '../items/a.ts'`, 'items/a.ts'],
    ['a re-export', 'protocol/a.ts', `export * from '../items/a.ts'`, 'items/a.ts'],
    ['a dynamic import', 'relay/a.ts', `await import('../dev/a.ts')`, 'dev/a.ts'],
    ['a Node module', 'relay/a.ts', `import fs from 'node:fs'`, 'node:fs'],
    ['a Node module by its old name', 'relay/a.ts', `import fs from 'fs'`, 'fs'],
    ['a package of the runner', 'action/a.ts', `import '@actions/core'`, '@actions/core'],
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
    ['a module of the same floor', `import { a } from '../engine/a.ts'`],
    ['a package', `import { parse } from 'yaml'`],
    ['a port of that name', 'export function f(fetch: () => void) { fetch() }'],
    ['a member of that name', 'ports.fetch(url); ports.process'],
    ['its type', 'interface Ports { fetch: typeof fetch; process: string }'],
    ['a time it was given', 'const at = new Date(now)'],
  ])('no offence in %s', (_, text) => {
    expect(offences(parseModule('relay/a.ts', text))).toEqual([])
  })

  test('a room without a floor', () => {
    expect(offences(parseModule('utils/a.ts', ''))).toEqual([
      'utils/a.ts is in no room that has a floor',
    ])
  })

  test('a circle', () => {
    const circle = [
      parseModule('items/a.ts', `import '../triggers/b.ts'`),
      parseModule('triggers/b.ts', `import type { C } from './c.ts'`),
      parseModule('triggers/c.ts', `import '../items/a.ts'`),
    ]
    expect(findCircle(circle)).toEqual([
      'items/a.ts',
      'triggers/b.ts',
      'triggers/c.ts',
      'items/a.ts',
    ])
    expect(findCircle(circle.slice(0, 2))).toBeUndefined()
  })
})
