import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import ts from 'typescript'
import { killedWithAnEvent } from '../support/built-relay.ts'
import { startGitHub } from '../support/github.ts'
import { testOnNode24 } from '../support/node24.ts'

/**
 * The package of `npm i hookline`, packed here and installed into an empty folder without a
 * registry.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))
const MEGABYTE = 1e6

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

let folder: string
let packed: Packed
let installed: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-tarball-'))
  packed = JSON.parse(npm(['pack', root, '--json', '--ignore-scripts']))[0]
  await mkdir(join(folder, 'user'))
  writeFileSync(join(folder, 'user/package.json'), '{"type":"module"}')
  const tarball = join(folder, packed.filename)
  installed = npm(['install', '--offline', '--no-audit', '--no-fund', tarball], 'user')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The output of npm, including warnings, with its own configuration and cache. */
function npm(args: readonly string[], within = '.'): string {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_cache: join(folder, 'cache'),
    npm_config_engine_strict: 'true',
    npm_config_update_notifier: 'false',
  }
  const options = { cwd: join(folder, within), env, encoding: 'utf8' } as const
  return execFileSync('sh', ['-c', 'exec npm "$@" 2>&1', 'npm', ...args], options)
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd: join(folder, 'user'), encoding: 'utf8' })
}

test('it is one package, and npm has nothing to warn of', () => {
  expect(installed).toMatch(/^added 1 package in /m)
  expect(installed).not.toMatch(/warn|EBADENGINE/)
})

test('it weighs less than 3 MB', () => {
  expect(packed.size).toBeLessThan(3 * MEGABYTE)
})

test('it weighs less than 8 MB unpacked', () => {
  expect(packed.unpackedSize).toBeLessThan(8 * MEGABYTE)
})

test('it holds what a user reads and runs, and nothing of the workshop', () => {
  const paths = packed.files.map(({ path }) => path)
  const tops = [...new Set(paths.map((path) => path.split('/')[0]))].sort()
  const expected = ['CHANGELOG.md', 'LICENSE', 'README.md', 'action.yml', 'dist', 'examples']
  const reply = existsSync(`${root}reply`) ? ['reply'] : []
  expect(tops).toEqual([...expected, 'package.json', ...reply, 'schema'])
  expect(paths).toContain('schema/hookline-workflow.json')
})

test('it runs, and nothing else can be imported from it', () => {
  expect(run('node_modules/.bin/hookline', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  const script = `import manifest from 'hookline/package.json' with { type: 'json' }
    import worker from 'hookline/worker'
    const home = await worker.fetch(new Request('https://relay.test/healthz'), {})
    const { code } = await import('hookline/dist/cli/index.js').catch((error) => error)
    console.log(manifest.name, home.status, code)`
  // The relay logs a line before.
  expect(run('node', '--input-type=module', '-e', script)).toMatch(
    /^hookline 200 ERR_PACKAGE_PATH_NOT_EXPORTED\n$/m,
  )
})

test('its worker has types', () => {
  const use = `import worker, { type Environment } from 'hookline/worker'
    const answer: Promise<Response> = worker.fetch(new Request('https://relay.test'), {} as Environment)
    // @ts-expect-error: it is an object with a method, and nothing that is called itself
    worker()
    export default { fetch: worker.fetch, answer }`
  const user = join(folder, 'user')
  writeFileSync(join(user, 'use.ts'), use)
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipDefaultLibCheck: true,
    module: 'nodenext',
    lib: ['es2023', 'webworker'],
    types: [],
  }
  const config = { compilerOptions, files: ['use.ts'] }
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, user)
  const mistakes = ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options))
  expect(mistakes.map(({ messageText }) => messageText)).toEqual([])
})

test('the archive contains every built file unchanged', () => {
  const paths = packed.files.flatMap(({ path }) => (path.startsWith('dist/') ? path : []))
  const built = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((name) => `dist/${name}`)
    .filter((path) => statSync(join(root, path)).isFile())
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.sort()).toEqual(built.sort())
  const extracted = join(folder, 'user/node_modules/hookline')
  for (const path of paths) {
    expect([path, statSync(join(extracted, path)).size]).toEqual([
      path,
      statSync(join(root, path)).size,
    ])
  }
})

testOnNode24('its relay hands over after a kill what it kept before', async () => {
  const github = await startGitHub()
  const cli = join(folder, 'user/node_modules/hookline/dist/cli/index.js')
  const { told, bodies } = await killedWithAnEvent({ folder, cli, github })
  await github.close()
  expect(told).toEqual([200, 202])
  expect(bodies).toEqual(['while GitHub was down'])
})
