import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { CLI_BUNDLE, RunningCommand } from '../support/cli.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { NODE24 } from '../support/node24.ts'
import { until } from '../support/until.ts'
import { LISTENING, withRun } from './doctor/stand-in.ts'

/** `connect` is stopped at each of its waits, by a signal or by a key of a terminal. */

const PUBLIC = 'https://quiet-river-example.trycloudflare.com'
const TOKEN = `github_pat_${'J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1abcd'}`

let folder: string
let home: string
let github: GitHub
let command: RunningCommand | undefined

beforeAll(async () => {
  github = await startGitHub({ listsRunsByRule: true })
})
afterAll(() => github.close())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-stop-'))
  home = join(folder, 'clone')
  mkdirSync(join(home, '.github/workflows'), { recursive: true })
  writeFileSync(join(home, '.github/workflows/hook.yml'), LISTENING)
  for (const args of [
    ['init', '-q'],
    ['remote', 'add', 'origin', 'https://github.com/octo/repo.git'],
  ]) {
    execFileSync('git', args, { cwd: home, stdio: 'ignore' })
  }
  cloudflared(`echo "INF | ${PUBLIC} |" >&2; exec sleep 600`)
  program('gh', `[ "$1 $2" = 'auth token' ] && echo ${TOKEN}`)
  github.reset()
  github.always(withRun({ workflows: { 'hook.yml': LISTENING } }))
})
afterEach(async () => {
  await command?.stop()
  command = undefined
  for (const pid of tunnels()) if (isAlive(pid)) process.kill(pid)
  rmSync(folder, { recursive: true })
})

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** @param script what it does after it wrote down its process id */
function cloudflared(script: string): void {
  program('cloudflared', `echo $$ >> '${folder}/pids'; ${script}`)
}

/** The process ids of every started cloudflared. */
function tunnels(): number[] {
  const file = join(folder, 'pids')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function surroundings(env: Record<string, string> = { HOOKLINE_GITHUB_TOKEN: TOKEN }) {
  const path = `${folder}:${process.env.PATH}`
  return { cwd: home, env: { PATH: path, HOME: folder, HOOKLINE_API_URL: github.url, ...env } }
}

function connect(env?: Record<string, string>): RunningCommand {
  const as = (words: readonly string[]) => [NODE24 ?? '', CLI_BUNDLE, ...words]
  command = new RunningCommand(['connect', '--yes'], { ...surroundings(env), as })
  command.process.stdin?.end()
  return command
}

const allGone = () => tunnels().every((pid) => !isAlive(pid))

describe('a signal stops connect', () => {
  test('while a tunnel that ended is opened again: no cloudflared is left', async () => {
    cloudflared(
      `[ -e '${folder}/first' ] && exec sleep 600
touch '${folder}/first'; echo "INF | ${PUBLIC} |" >&2; exec sleep 1`,
    )
    const running = connect()
    await until(() => tunnels().length === 2)
    expect(await running.stop()).toBe(0)
    await until(allGone)
  })

  test('while cloudflared has no address: no URL is printed', async () => {
    cloudflared('sleep 30; echo "INF | https://late-river-example.trycloudflare.com |" >&2')
    const running = connect()
    await until(() => tunnels().length === 1)
    expect(await running.stop()).toBe(0)
    expect(running.stdout + running.stderr).not.toMatch(/Webhook URL|late-river|error/)
    await until(allGone)
  })

  test('that cloudflared received first: its end is no error', async () => {
    cloudflared('exec sleep 600')
    const running = connect()
    await until(() => tunnels().length === 1)
    const [tunnel = 0] = tunnels()
    process.kill(tunnel, 'SIGINT')
    // Without pauses, because connect waits half a second for its own signal.
    while (!allGone()) await new Promise(setImmediate)
    running.process.kill('SIGINT')
    expect(await running.ended()).toBe(0)
    expect(running.stderr).toBe('')
  })

  test('that ended gh too, while connect waited for its token', async () => {
    program('gh', 'kill -INT $PPID; kill -INT $$')
    const running = connect({})
    expect(await running.ended()).toBe(0)
    expect(running.stderr).toBe('')
  })

  test('while GitHub does not respond: the process does not wait for it', async () => {
    github.always(() => undefined)
    const running = connect()
    await until(() => github.calls.length > 0)
    expect(await running.stop()).toBe(0)
    // After its timeout, the call would be made again.
    expect(github.calls).toHaveLength(1)
    expect(running.stderr).toBe('')
  })
})

/** util-linux, with whose `script` a command gets a terminal. */
const SCRIPT = '/usr/bin/script'
const describeOnTerminal =
  process.platform === 'linux' && existsSync(SCRIPT) ? describe : describe.skip

describeOnTerminal('on a terminal', () => {
  /** @param line of the shell that starts connect */
  function onTerminal(line = '"$NODE" "$CLI" connect'): RunningCommand {
    const { cwd, env } = surroundings({ NODE: NODE24 ?? '', CLI: CLI_BUNDLE, TERM: 'dumb' })
    const as = () => [SCRIPT, '-qec', line, '/dev/null']
    command = new RunningCommand([], { cwd, env, as })
    return command
  }

  test.each([
    ['Ctrl-C', '\u0003', 0, /\[Y\/n\] \s*$/],
    ['Ctrl-D', '\u0004', 1, /error: .*did not allow the token of gh/],
    ['n', 'n\r', 1, /error: .*did not allow the token of gh/],
  ])('%s at the question for the token of gh is no bug', async (_, keys, code, end) => {
    const running = onTerminal()
    await running.printed(/Use the token of gh.*\[Y\/n\] /)
    running.type(keys)
    expect(await running.ended()).toBe(code)
    expect(running.stdout).toMatch(end)
    expect(running.stdout).not.toContain('internal error')
    expect(tunnels()).toEqual([])
  })

  test.each([
    ['Ctrl-C', '\u0003', 0, /\[Y\/n\] \s*$/],
    ['Ctrl-D', '\u0004', 1, /error: [\s\S]*hookline init/],
  ])('%s at the question for a workflow writes no workflow', async (_, keys, code, end) => {
    rmSync(join(home, '.github'), { recursive: true })
    const running = onTerminal()
    await running.printed(/Write one\? \[Y\/n\] /)
    running.type(keys)
    expect(await running.ended()).toBe(code)
    expect(running.stdout).toMatch(end)
    expect(running.stdout).not.toContain('internal error')
    expect(existsSync(join(home, '.github'))).toBe(false)
  })

  test('a signal at the question stops it', async () => {
    // `exec`, so that the shell gives its process id to connect.
    const running = onTerminal(`echo "pid $$ ."; exec "$NODE" "$CLI" connect`)
    const [, pid] = await running.printed(/pid (\d+) \./)
    await running.printed(/Use the token of gh/)
    process.kill(Number(pid), 'SIGTERM')
    expect(await running.ended()).toBe(0)
    expect(running.stdout).not.toContain('error')
  })

  test('q while a tunnel that ended is opened again leaves no cloudflared', async () => {
    cloudflared(
      `[ -e '${folder}/first' ] && exec sleep 600
touch '${folder}/first'; echo "INF | ${PUBLIC} |" >&2; exec sleep 1`,
    )
    // The shell keeps the terminal open, because its end would end cloudflared.
    const running = onTerminal('"$NODE" "$CLI" connect --yes; echo "exit code $?."; read -r line')
    await until(() => tunnels().length === 2)
    running.type('q')
    await running.printed(/exit code 0\./)
    await until(allGone)
    running.type('\r')
    await running.ended()
  })

  test('with --json, the text of init is not among the JSON lines', async () => {
    rmSync(join(home, '.github'), { recursive: true })
    const running = onTerminal(`"$NODE" "$CLI" connect --json > '${folder}/lines'`)
    await running.printed(/Write one\? \[Y\/n\] /)
    running.type('\r')
    await running.printed(/Use the token of gh.*\[Y\/n\] /)
    running.type('\u0003')
    expect(await running.ended()).toBe(0)
    expect(running.stdout).toContain('.github/workflows/hook.yml')
    const lines = readFileSync(join(folder, 'lines'), 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['bye'])
  })
})
