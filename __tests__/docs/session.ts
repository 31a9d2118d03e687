import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findNode24 } from '../../scripts/node24.js'
import { startRelay } from '../../src/relay/node/start.ts'
import { CLI_BUNDLE } from '../support/cli.ts'
import { type Answering, type GitHub, startGitHub } from '../support/github.ts'
import { PKCS1 } from '../support/github-app.ts'
import { publishedWorkflows } from '../support/published-workflows.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'
import { programPath } from './programs.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const STAND_INS = fileURLToPath(new URL('stand-ins/', import.meta.url))

/** The files of a clone that a reader's commands use. */
const CLONED = [
  'action.yml',
  'dist',
  'examples',
  'package.json',
  'package-lock.json',
  'wrangler.toml',
]

/** The reader's own tokens and secrets. */
const READER = {
  TOKEN: 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1',
  BOT_TOKEN,
  BOT_SECRET: 'correct-horse_battery-staple',
  SCRIPT_SECRET: 'example',
  TRELLO_KEY: 'key',
  TRELLO_TOKEN: 'trello-token',
  TRELLO_CALLBACK_URL: 'https://relay.example.com/-/octo/V1StGXR8Z5jdHi6BmyT7Aw',
  WEBHOOK_URL: 'https://relay.example.com/-/octo/V1StGXR8Z5jdHi6BmyT7Aw',
  TYPEFORM_TOKEN: 'tfp_1',
  FIGMA_TOKEN: 'figd_1',
  PASTED: 'a-secret-that-the-reader-pastes',
}

export interface ShellRun {
  readonly code: number | null
  /** Without the addresses of this machine, as a reader would see it. */
  readonly stdout: string
  readonly stderr: string
}

/** One reader at one terminal: the blocks of a page run unchanged, one after the other. */
export interface Session {
  readonly folder: string
  readonly github: GitHub
  readonly telegram: TelegramStandIn
  /** The stand-in for all other public addresses. */
  readonly elsewhere: Elsewhere
  /** The environment of the programs of a reader, or of GitHub's runner. */
  readonly env: Readonly<Record<string, string>>
  run(script: string): Promise<ShellRun>
  write(file: string, text: string): void
  close(): Promise<void>
}

export interface SessionSetup {
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** The workflows on the default branch of every repository, by their file names. */
  readonly published?: Readonly<Record<string, string>>
  /** The path that the URL of an endpoint on the page stands for: `octo/repo/<workflow>/<trigger>`. */
  readonly endpoint?: string
  /** Whether the folder is a clone of `octo/repo`. */
  readonly isClone?: boolean
  /** Whether the public repository of Hookline can be cloned. */
  readonly clones?: boolean
  /** Whether the reader's Node has `node:sqlite`, which the relay's database needs. */
  readonly hasSqlite?: boolean
  /** A script that runs before the first block, such as the start of the reader's relay. */
  readonly before?: string
}

/** Makes the folder a clone whose pushes go to a repository of this machine. */
export const CLONE = `rm -rf .git .github .session/published.git
git init -q -b main && git init -q --bare .session/published.git
git remote add origin https://github.com/octo/repo.git
git config url.file://$PWD/.session/published.git.pushInsteadOf https://github.com/octo/repo.git
git config user.name a && git config user.email a@example.com
git commit -q --allow-empty -m first && git push -q -u origin HEAD`

export async function startSession(setup: SessionSetup = {}): Promise<Session> {
  const { files = {}, env = {}, endpoint = '', clones = false } = setup
  // `connect` needs SQLite on the pages of senders.
  const { hasSqlite = endpoint !== '' } = setup
  const folder = await mkdtemp(join(tmpdir(), 'hookline-docs-'))
  const [github, telegram] = await Promise.all([
    startGitHub({ listsRunsByRule: true }),
    new TelegramStandIn().start(),
  ])
  if (setup.published) github.always(publishedEverywhere(setup.published))
  const elsewhere = await startElsewhere(telegram)
  const home = join(folder, 'home')
  mkdirSync(join(folder, '.session'))
  mkdirSync(home)
  for (const name of CLONED) symlinkSync(join(ROOT, name), join(folder, name))
  const write = (file: string, content: string) => {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  for (const [file, content] of Object.entries(files)) write(file, content)
  const relay = await startRelay({
    host: '127.0.0.1',
    port: 0,
    env: { HOOKLINE_API_URL: github.url },
    write: () => {},
  })
  const session = join(folder, '.session')
  const all = {
    ...READER,
    ...(clones && programPath('git') && publishedRepository(join(session, 'published'))),
    ...env,
    PATH: `${STAND_INS}:${process.env.PATH ?? ''}`,
    HOME: home,
    NO_COLOR: '1',
    PORT: '0',
    ROOT,
    NODE: (hasSqlite && findNode24()) || process.execPath,
    CLI: CLI_BUNDLE,
    CURL: programPath('curl') ?? 'curl',
    SESSION: session,
    ENDPOINT: endpoint,
    RELAY: relay.url,
    GITHUB: github.url,
    ELSEWHERE: elsewhere.url,
    HOOKLINE_API_URL: github.url,
    HOOKLINE_TELEGRAM_API_URL: telegram.url,
    APP_PEM: PKCS1,
  }
  const run = async (script: string) => {
    const ran = await bash(script, { cwd: folder, env: all, session })
    return { ...ran, stdout: asSeen(ran.stdout, session, relay.url) }
  }
  if (setup.before !== undefined) await run(setup.before)
  if (setup.isClone) await bash(CLONE, { cwd: folder, env: all, session })
  return {
    folder,
    github,
    telegram,
    elsewhere,
    env: all,
    write,
    run,
    close: async () => {
      stopLeftRunning(join(session, 'pids'))
      await Promise.all([relay.close(), github.close(), telegram.stop(), elsewhere.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Every repository of GitHub has the same workflows. */
function publishedEverywhere(files: Readonly<Record<string, string>>): Answering {
  return (call, response) => {
    const [, repository] = /^\/repos\/([^/]+\/[^/?]+)/.exec(call.url) ?? []
    return publishedWorkflows(files, repository)(call, response)
  }
}

/** Exported variables of a block remain set in the next one. */
async function bash(
  script: string,
  { cwd, env, session }: { cwd: string; env: Record<string, string>; session: string },
): Promise<ShellRun> {
  const exported = join(session, 'exported')
  const before = existsSync(exported) ? `. '${exported}'\n` : ''
  const child = spawn(
    'bash',
    // With a socket as its input, Debian's bash reads its files for interactive shells.
    ['--norc', '-euo', 'pipefail', '-c', `${before}${script}\nexport -p > '${exported}'`],
    {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 120_000,
    },
  )
  // A script may end without reading its input.
  child.stdin.on('error', () => {})
  // A command that waits for a token gets one.
  child.stdin.end(script.includes('read -rs') ? `github_pat_${'a'.repeat(40)}\n` : '')
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

function asSeen(stdout: string, session: string, relay: string): string {
  const local = join(session, 'local')
  const address = existsSync(local) ? readFileSync(local, 'utf8') : ''
  const seen = stdout.replaceAll(relay, 'https://relay.example.com')
  if (address === '') return seen
  const port = address.split(':')[2] ?? ''
  return seen
    .replaceAll(`localhost:${port}`, 'localhost:3000')
    .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:3000')
}

function stopLeftRunning(file: string): void {
  if (!existsSync(file)) return
  for (const pid of readFileSync(file, 'utf8').trim().split('\n')) {
    try {
      process.kill(Number(pid), 'SIGTERM')
    } catch {} // it has ended already
  }
}

/** Replaces the public repository by one with one release, through git's own redirection. */
function publishedRepository(folder: string): Record<string, string> {
  mkdirSync(folder)
  for (const name of ['package.json', 'package-lock.json', 'examples', 'dist/cli']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-m', 'Release 1.2.3')
  for (const tag of ['v1.2.3', 'v1']) git('tag', tag)
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${folder}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/hookline/hookline',
  }
}

export interface Elsewhere {
  readonly url: string
  /** The requests, as `POST api.example.com/path`. */
  readonly calls: readonly Call[]
  /** Requests to a host or path that no page should call, and wrong requests. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

export interface Call {
  readonly what: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Public calls of the pages, and the required fields of each, by their references. */
const PUBLIC_CALLS: readonly (readonly [what: RegExp, fields: readonly string[]])[] = [
  [/^POST api\.telegram\.org\/bot\d+:[\w-]+\/sendMessage$/, ['chat_id', 'text']],
  [/^POST api\.telegram\.org\/bot\d+:[\w-]+\/answerCallbackQuery$/, ['callback_query_id']],
  [/^GET api\.telegram\.org\/bot\d+:[\w-]+\/deleteWebhook$/, []],
  [/^POST api\.trello\.com\/1\/webhooks$/, ['key', 'token', 'idModel', 'callbackURL']],
  [/^PUT api\.typeform\.com\/forms\/\w+\/webhooks\/\w+$/, ['url', 'secret', 'enabled']],
  [
    /^POST api\.figma\.com\/v2\/webhooks$/,
    ['event_type', 'context', 'context_id', 'endpoint', 'passcode'],
  ],
  [/^POST hub\.example\.com\/$/, ['hub.mode', 'hub.topic', 'hub.callback', 'hub.secret']],
  [/^POST hooks\.slack\.com\/commands\/\S+$/, ['text']],
]

async function startElsewhere(telegram: TelegramStandIn): Promise<Elsewhere> {
  const calls: Call[] = []
  const faults: string[] = []
  const server = createServer(async (request, response) => {
    const call = {
      what: `${request.method} ${hostOf(request)}${request.url}`,
      fields: fieldsOf(request, await text(request)),
    }
    calls.push(call)
    if (call.what.endsWith('/deleteWebhook')) telegram.webhook = undefined
    const [, wanted] = PUBLIC_CALLS.find(([what]) => what.test(call.what)) ?? []
    const missing = wanted?.filter((name) => !(name in call.fields))
    if (!missing || missing.length > 0) faults.push(`${call.what}: ${missing ?? 'nobody answers'}`)
    const status = missing?.length === 0 ? 200 : 404
    response.writeHead(status).end('{"ok":true,"result":{"message_id":1}}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    faults,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The host of a request; `reply` gets the stand-in's address instead of the Bot API's. */
function hostOf({ headers: { host = '' }, url = '' }: IncomingMessage): string {
  return host.startsWith('127.0.0.1:') && /^\/bot\d/.test(url) ? 'api.telegram.org' : host
}

function fieldsOf(request: IncomingMessage, body: string): Record<string, unknown> {
  if (body === '') return {}
  const isJson = request.headers['content-type']?.startsWith('application/json')
  return isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
}
