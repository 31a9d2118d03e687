import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { bundledPackage } from '../support/build.ts'
import { RunningCommand, runShared } from '../support/cli.ts'
import { freePort } from '../support/free-port.ts'
import { type Answering, type GitHub, startGitHub } from '../support/github.ts'
import { ACTION_NODE } from '../support/node24.ts'
import { RUN, withRun } from './doctor/stand-in.ts'

/** The steps of a new user from the installation to a run on GitHub that a request started. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

let folder: string
let home: string
let platform: GitHub
const running: RunningCommand[] = []

/**
 * Installs the package as `npm i hookline` does, but without a registry: npm packs it and installs
 * the archive into an empty folder.
 */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-walk-'))
  home = join(folder, 'repository')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{}')
  const flags = ['--install-links', '--ignore-scripts', '--offline', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...flags, bundledPackage()], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: folder, npm_config_cache: join(folder, 'cache') },
    stdio: 'ignore',
  })
  platform = await startGitHub({ listsRunsByRule: true })
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((command) => command.stop()))
})
afterAll(async () => {
  await platform.close()
  rmSync(folder, { recursive: true })
})

/** Starts a command of the installed package. */
function start(args: readonly string[], env: Record<string, string> = {}): RunningCommand {
  const command = new RunningCommand(args, {
    cwd: home,
    env: { HOOKLINE_API_URL: platform.url, ...env },
    as: (rest) => [ACTION_NODE, join(home, 'node_modules/.bin/hookline'), ...rest],
  })
  command.process.stdin?.end()
  return command
}

async function hookline(args: readonly string[], env: Record<string, string> = {}) {
  const { exitCode: code, ...printed } = await runShared(args, {
    cwd: home,
    env: { HOOKLINE_API_URL: platform.url, ...env },
    bundle: join(home, 'node_modules/hookline/dist/cli/index.js'),
  })
  return { code, ...printed }
}

/** Starts a server of the package, which ends with the test. */
async function serve(args: readonly string[], env: Record<string, string> = {}) {
  const command = start([...args, '--port', '0'], env)
  running.push(command)
  return { command, url: (await command.printed(/listening on (\S+)/))[1] ?? '' }
}

/** GitHub with the workflow of a clone on its default branch. */
function withRuns(file: string, event: string, clone = home): Answering {
  const workflows = { [file]: readFileSync(join(clone, '.github/workflows', file), 'utf8') }
  return withRun({ workflows }, { name: file.replace('.yml', ''), event })
}

test('from the package in an empty folder, init, check, dev, the relay, send and doctor work', async () => {
  // The relay needs the credential to start the run; GitHub needs the token to find the run.
  const token = { HOOKLINE_GITHUB_TOKEN: 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1' }
  const first = await hookline(['init', '--name', 'hook'])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('/docs/host/relay.md\n')
  expect(first.stdout).toMatch(/\n {2}hookline connect\n/)
  expect(await hookline(['check', '--strict'])).toMatchObject({ code: 0 })
  const dev = await serve(['dev'])
  const tried = await hookline(['send', `${dev.url}/webhook/hook/webhook`, '--data', '{"a":1}'])
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 /m) })
  await dev.command.printed(/steps\.hookline\.outputs\.body = \{"a":1\}/)
  platform.always(withRuns('hook.yml', 'repository_dispatch'))
  const { url } = await serve(['relay', '--stateless'])
  const hook = ['send', 'octo/repo/hook/webhook', '--relay', url]
  const sent = await hookline([...hook, '--data', '{"a":1}', '--wait'], token)
  expect(sent).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/success\s+https:.*runs\/7/),
  })
  expect(sent.stdout).toMatch(/^200 .*delivery [\w-]{36}\n/m)
  expect(sent.stdout).not.toContain(RUN)
  const flags = ['--workflow', 'hook', '--relay', url]
  const found = await hookline(['doctor', '--repository', 'octo/repo', ...flags, '--json'], token)
  expect(JSON.parse(found.stdout)).toMatchObject({ ok: true })
  expect(found.code).toBe(0)
})

const BASH = ['bash', 'git', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0)

/**
 * The tests of the docs run the commands of each sender; these are the lines that `init` prints,
 * with dev and the relay.
 */
;(BASH ? test : test.skip).each([
  [[], 'hook.yml', 'repository_dispatch'],
  [['--kind', 'compiled'], 'hook.yml', 'repository_dispatch'],
])(
  'each line that init %j prints works in one bash, one after the other',
  async (flags, file, event) => {
    const place = mkdtempSync(join(folder, 'pasted-'))
    const published = join(place, 'octo/repo.git')
    const clone = join(place, 'clone')
    execFileSync('git', ['init', '-q', '--bare', published])
    execFileSync('git', ['clone', '-q', published, clone], { stdio: 'ignore' })
    symlinkSync(join(home, 'node_modules'), join(clone, 'node_modules'))
    const bin = join(place, 'bin')
    mkdirSync(bin)
    const programs = {
      hookline: `exec '${ACTION_NODE}' node_modules/.bin/hookline "$@"`,
      gh: '[ "$1" = auth ] || [ "$1 $2" = "secret set" ]',
      cloudflared: 'echo https://quiet-river-example.trycloudflare.com >&2; exec sleep 600',
    }
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    }
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      ...{ HOME: place, PORT: String(await freePort()), HOOKLINE_API_URL: platform.url },
      ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' },
      ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `url.file://${published}.insteadOf` },
      GIT_CONFIG_VALUE_0: 'https://github.com/hookline/hookline',
    }
    const init = await runShared(['init', ...flags], {
      cwd: clone,
      env,
      bundle: join(home, 'node_modules/hookline/dist/cli/index.js'),
    })
    const [, told = ''] = init.stdout.split(/^Wrote .*$/m)
    const lines = [...told.matchAll(/^ {2}(?!https?:)(\S.*)$/gm)].map(([, line = '']) => line)
    // Set after the lines have created the file.
    let answering: Answering | undefined
    platform.always((call, response) => {
      answering ??= withRuns(file, event, clone)
      return answering(call, response)
    })
    const script = ['set -em', ...lines.map(pastedLine), 'kill -- -$served'].join('\n')
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: clone, env })
    expect(readFileSync(join(clone, 'dev.log'), 'utf8')).toMatch(/fired, 1 item/)
    expect(stdout).toContain('{"success":true}')
    expect(stdout).toMatch(/http:\/\/.*\/-\/octo\/[\w-]{22}$/m)
  },
)

/**
 * Types a line, and the input of its prompt; a server runs in another terminal, and ends the
 * previous one.
 */
function pastedLine(line: string): string {
  const [, serves] = /hookline (dev|relay|connect)\b/.exec(line) ?? []
  const needsToken = /hookline (?:connect|endpoint)\b/.test(line)
  const token = needsToken ? `HOOKLINE_GITHUB_TOKEN=github_pat_${'a'.repeat(40)} ` : ''
  if (serves === undefined) return token + line
  const ready = serves === 'connect' ? 'Webhook URL' : 'listening on'
  return `
if [ -n "\${served-}" ]; then kill -- -$served; wait $served || true; fi
${token}${line} > ${serves}.log 2>&1 < /dev/null &
served=$!
until grep -q '${ready}' ${serves}.log; do kill -0 $served; sleep 0.05; done`
}

test('the demo runs in a fresh clone without an installation, and fits on one screen', () => {
  const clone = join(folder, 'clone')
  for (const part of ['dist', 'examples', 'package.json']) {
    cpSync(join(ROOT, part), join(clone, part), { recursive: true })
  }
  const shown = execFileSync(process.execPath, [join(clone, 'examples/demo.js')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  expect(shown).toContain('on.webhook.outputs.body = {"title":"Hello, Hookline"}')
  expect(shown).toContain('on.webhook.outputs.params = {"userId":"42"}')
  const lines = shown.split('\n')
  expect(lines.length).toBeLessThan(50)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})
