import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { ACT, runAct } from '../support/act.ts'

/**
 * The release workflow on act, with stand-ins for gh, docker, `npm publish` and the actions of others. The
 * long checks are replaced, because other tests run them.
 */
const ROOT = new URL('../../', import.meta.url)
const GENEROUS = 300_000
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

const SHORT = `on: {workflow_call: }
jobs: {short: {runs-on: ubuntu-latest, steps: [{run: "true"}]}}
`
/** An action that runs a script. */
const action = (script: string) => `name: stand-in
description: stand-in
runs: {using: composite, steps: [{run: ${JSON.stringify(script)}, shell: sh}]}
`

let folder: string
let registry: string
let close: () => void
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-release-on-act-'))
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ repository: { url: 'git+https://github.com/octo/repo.git' } }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  registry = `http://127.0.0.1:${port}`
  close = () => server.close()
})
afterEach(() => {
  close()
  rmSync(folder, { recursive: true, force: true })
})

function files(): Record<string, string> {
  const workflow = read('.github/workflows/release.yml').replace(
    'ubuntu-24.04-arm',
    'ubuntu-latest',
  )
  const changelog = '# Changelog\n\n## [0.1.0] - 2026-11-27\n\n### Added\n\n- A first thing.\n'
  const same = ['package.json', 'package-lock.json', 'deploy/Dockerfile', 'action.yml']
  const scripts = ['release-notes', 'npm-name', 'npm-owner'].map((name) => `scripts/${name}.js`)
  return {
    '.github/workflows/release.yml': workflow,
    '.github/workflows/soak.yml': SHORT,
    '.github/workflows/self-test.yml': SHORT,
    '.ci/run': 'true\n',
    'CHANGELOG.md': changelog,
    'dist/cli/index.js': '',
    ...Object.fromEntries([...same, ...scripts].map((path) => [path, read(path)])),
  }
}

/** Programs that write their arguments to the file \`calls\`; of npm, only \`publish\`. */
function programs(): Record<string, string> {
  const calls = join(folder, 'calls')
  const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
  const records = (name: string) => `#!/bin/sh\necho "${name} $*" >> '${calls}'\n`
  const notes = `for word; do case "$word" in */notes.md) cp "$word" '${folder}/notes.md' ;; esac; done\n`
  return {
    gh: records('gh') + notes,
    // Prints the digest of an index that it inspects.
    docker: `${records('docker')}case "$*" in login*) cat > /dev/null ;; *inspect*) echo sha256:abc ;; esac\n`,
    npm: `#!/bin/sh\nif [ "$1" = publish ]; then echo "npm $*" >> '${calls}'; else exec '${npm}' "$@"; fi\n`,
  }
}

function actions(): Record<string, string> {
  const used = read('.github/workflows/release.yml').matchAll(/uses: (\S+@\S+)/g)
  const origin = join(folder, 'origin')
  const fetched = `git init -q . && git fetch -q '${origin}' main && git reset -q --hard FETCH_HEAD`
  return Object.fromEntries(
    [...used].map(([, reference = '']) => [
      reference,
      action(reference.startsWith('actions/checkout@') ? fetched : 'true'),
    ]),
  )
}

;(ACT ? test : test.skip)(
  'on act, the release tags, publishes, pushes both images, announces, and moves v1 last',
  async () => {
    writeFileSync(join(folder, 'calls'), '')
    const run = await runAct(
      files(),
      {
        ...{
          name: 'workflow_dispatch',
          payload: {},
          secrets: { GITHUB_TOKEN: 'token-of-this-test' },
        },
        env: { npm_config_registry: registry },
      },
      { actions: actions(), programs: programs(), origin: join(folder, 'origin') },
    )
    expect(run.exitCode === 0 ? '' : run.log).toBe('')
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
    const at = (part: string) => calls.findIndex((call) => call.includes(part))
    const image = 'ghcr.io/octo/relay:v0.1.0'
    const order = [
      'gh api repos/octo/repo/git/refs -f ref=refs/tags/v0.1.0 -f sha=',
      'npm publish ./hookline-0.1.0.tgz --provenance',
      'gh release create v0.1.0 hookline.spdx.json --repo octo/repo',
      'gh api --method PATCH repos/octo/repo/git/refs/tags/v1 -f sha=',
    ].map(at)
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((one, other) => one - other))
    expect(order.at(-1)).toBe(calls.length - 1)
    for (const architecture of ['amd64', 'arm64'])
      expect(at(`docker push ${image}-${architecture}`)).not.toBe(-1)
    expect(calls).toContain(
      `docker buildx imagetools create --tag ${image} ${image}-amd64 ${image}-arm64`,
    )
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('### Added\n\n- A first thing.\n')
  },
  GENEROUS,
)
