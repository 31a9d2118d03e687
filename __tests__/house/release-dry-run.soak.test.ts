import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findNode24 } from '../../scripts/node24.js'
import { freePort } from '../support/free-port.ts'

/**
 * The steps of the release workflow that need no GitHub, in a fresh clone: the notes, the package, the list
 * of packages, and a publication to a registry on this machine (https://www.verdaccio.org), from which a
 * user installs. Needs npm's registry for verdaccio itself.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** verdaccio names node-fetch by a tag, which a mirror of the registry may lack. */
const TOOL = { dependencies: { verdaccio: '6.10.4' }, overrides: { 'node-fetch': '2.7.0' } }
const VERSION = '9.9.9'

let folder: string
let clone: string
let registry: string
let server: ChildProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-release-'))
  clone = join(folder, 'clone')
  execFileSync('git', ['clone', '-q', '--no-hardlinks', ROOT, clone])
  mkdirSync(join(folder, 'tool'))
  writeFileSync(join(folder, 'tool/package.json'), JSON.stringify(TOOL))
  npm(join(folder, 'tool'), 'install', '--no-audit', '--no-fund')
  registry = `http://127.0.0.1:${await freePort()}`
  writeFileSync(
    join(folder, 'verdaccio.yaml'),
    `storage: ./storage
auth: { htpasswd: { file: ./users } }
packages: { '**': { access: $all, publish: $all } }
log: { type: stdout, format: json, level: warn }
`,
  )
  const program = join(folder, 'tool/node_modules/verdaccio/bin/verdaccio')
  const words = [program, '--config', join(folder, 'verdaccio.yaml'), '--listen', registry]
  // verdaccio needs Node 22.
  server = spawn(findNode24() ?? process.execPath, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await answers(`${registry}/-/ping`)
}, 600_000)

afterAll(async () => {
  server?.kill()
  if (server?.exitCode === null) await once(server, 'exit')
  rmSync(folder, { recursive: true, force: true })
})

async function answers(url: string): Promise<void> {
  for (let n = 0; n < 600; n++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} does not answer`)
}

function run(cwd: string, program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8' })
}

function npm(cwd: string, ...args: readonly string[]): string {
  return run(cwd, 'npm', ...args)
}

test('a version is noted, packed, listed, published and installed', () => {
  // 1. The commit of the release, as docs/maintain.md describes it.
  const changelog = join(clone, 'CHANGELOG.md')
  const notes = readFileSync(changelog, 'utf8')
  const section = `## [${VERSION}] - 2026-11-26\n\n### Added\n\n- A thing.\n\n`
  writeFileSync(changelog, notes.replace(/^## /m, `${section}## `))
  npm(clone, 'version', VERSION, '--no-git-tag-version')

  // 2. The notes and the tags.
  expect(run(clone, process.execPath, 'scripts/release-notes.js', 'notes')).toContain('### Added')
  expect(run(clone, process.execPath, 'scripts/release-notes.js')).toContain(`tag=v${VERSION}\n`)

  // 3. The package, which names its commit, and the list of all packages in the bundles.
  const commit = run(clone, 'git', 'rev-parse', 'HEAD').trim()
  npm(clone, 'pkg', 'set', `gitHead=${commit}`)
  const tarball = npm(clone, 'pack', '--ignore-scripts').trim()
  const sbom = JSON.parse(npm(clone, 'sbom', '--package-lock-only', '--sbom-format', 'spdx'))
  expect(sbom.packages.map(({ name }: { name: string }) => name)).toContain('commander')

  // 4. Published, and installed by a user. The registry wants a token, and accepts any.
  const token = `--${registry.slice('http:'.length)}/:_authToken=none`
  npm(clone, 'publish', `./${tarball}`, '--ignore-scripts', `--registry=${registry}`, token)
  const user = join(folder, 'user')
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), '{}')
  npm(user, 'install', '--no-audit', '--no-fund', `--registry=${registry}`, `hookline@${VERSION}`)
  const installed = join(user, 'node_modules/hookline/package.json')
  expect(JSON.parse(readFileSync(installed, 'utf8'))).toMatchObject({ gitHead: commit })
  expect(npm(user, 'exec', '--no', 'hookline', '--', '--help')).toContain('Usage: hookline')
}, 600_000)
