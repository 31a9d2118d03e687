import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isObject } from '../../src/wire/json.ts'
import { VERSION } from '../../src/wire/version.ts'
import { type CommandEnd, type CommandRun, RunningCommand, runShared } from './cli.ts'
import { ADMIN_BEARER, RELAY_KEY } from './relay-keys.ts'
import { TOKEN } from './scene.ts'

/** A response of a server: `{status, headers, body}`, a JSON value, or a text. */
type CaseAnswer = unknown

/** The files, variables and responses that a command finds. */
interface CaseSurroundings {
  readonly env?: Readonly<Record<string, string>>
  /** URL of the git remote `origin`; without it, the folder is no repository. */
  readonly origin?: string
  /** The files of the folder, by path. In a case, `null` leaves out a file that all cases have. */
  readonly files?: Readonly<Record<string, string | null>>
  /** Lines for a shell that prepare the folder. */
  readonly before?: string
  /**
   * Responses by `METHOD /path?query`; a key without a query is for every query that has no own key. The same
   * server is GitHub, the relay, a bot server and the target.
   */
  readonly answers?: Readonly<Record<string, CaseAnswer>>
}

/** A command, and everything that it prints, requests and writes. */
export interface CommandCase extends CaseSurroundings, Partial<CaseOutcome> {
  readonly name: string
  /** The words of the command, as a shell reads them. */
  readonly run: string
  /** The folder in which it runs. */
  readonly in?: string
  /** Its standard input. */
  readonly input?: string
  /** The last words of a command that keeps running, in a process of its own; it is then stopped by a signal. */
  readonly until?: string
}

/** A file of cases, and what surrounds all of them. */
export interface CommandCaseFile extends CaseSurroundings {
  readonly cases: readonly CommandCase[]
}

export interface CaseOutcome {
  readonly code: number
  readonly output: string
  readonly errors: string
  /** Method, path, bearer and body of each request. */
  readonly calls: readonly string[]
  /** The content of new and changed files; `null` for a removed one. */
  readonly written: Readonly<Record<string, string | null>>
}

export const NOTHING: CaseOutcome = { code: 0, output: '', errors: '', calls: [], written: {} }

export type Run = (args: readonly string[], run: CommandRun) => Promise<CommandEnd>

/** The server of all cases. */
export interface CaseServer {
  outcomeOf(file: CaseSurroundings, wanted: CommandCase, run?: Run): Promise<CaseOutcome>
  close(): Promise<void>
}

const EXAMPLES = fileURLToPath(new URL('../../examples/workflows/', import.meta.url))

export async function startCaseServer(): Promise<CaseServer> {
  // Commands find git and nothing else, so that their output is the same on every machine.
  const programs = mkdtempSync(join(tmpdir(), 'programs-'))
  const git = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'git'))
  symlinkSync(git.find((path) => existsSync(path)) ?? 'git', join(programs, 'git'))
  let answers: Record<string, CaseAnswer> = {}
  let calls: string[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = await textOf(request).catch(() => '')
    const name = `${method} ${url}`
    calls.push(
      named(`${name}${bearerOf(headers.authorization)}${headersOf(headers)}${body && ` ${body}`}`),
    )
    const found = answers[name] ?? answers[`${method} ${url.split('?')[0]}`]
    const answer = asAnswer(found ?? missing(url))
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const host = `127.0.0.1:${port}`
  /** The address of the server has another port in each run. */
  const named = (text: string) => text.replaceAll(host, '<host>')
  const placed = (text: string) =>
    text
      .replaceAll('<host>', host)
      .replace(/<(\d+) s ago>/g, (_, age) => new Date(Date.now() - age * 1000).toISOString())
      .replace(/<in (\d+) s>/g, (_, age) => new Date(Date.now() + age * 1000).toISOString())

  const outcomeOf = async (file: CaseSurroundings, wanted: CommandCase, run: Run = runShared) => {
    answers = JSON.parse(placed(JSON.stringify({ ...file.answers, ...wanted.answers })))
    calls = []
    const cwd = mkdtempSync(join(tmpdir(), 'case-'))
    try {
      writeFiles(cwd, JSON.parse(placed(JSON.stringify({ ...file.files, ...wanted.files }))))
      const origin = wanted.origin ?? file.origin
      if (origin) writeFiles(cwd, repositoryWith(placed(origin)))
      const before = wanted.before ?? file.before
      if (before !== undefined) prepare(cwd, before)
      const present = filesOf(cwd)
      const path = [join(cwd, 'bin'), programs].join(delimiter)
      const own = {
        PATH: path,
        HOME: cwd,
        HOOKLINE_API_URL: `http://${host}`,
        HOOKLINE_RELAY_KEY: RELAY_KEY,
      }
      const given = { ...own, HOOKLINE_GITHUB_TOKEN: TOKEN, ...file.env, ...wanted.env }
      const env = Object.fromEntries(
        Object.entries(given).flatMap(([name, value]) =>
          value === '' ? [] : [[name, placed(value)]],
        ),
      )
      const { input, until } = wanted
      const place = { cwd: join(cwd, wanted.in ?? ''), env }
      const started =
        until === undefined
          ? run(words(placed(wanted.run)), {
              ...place,
              ...(input !== undefined && { input: placed(input) }),
            })
          : stopped(new RunningCommand(words(placed(wanted.run)), place), until)
      const { exitCode, stdout, stderr } = await started
      const known = JSON.stringify([file, wanted])
      const listens = until !== undefined
      const shown = (text: string) => {
        const line = printed(named(text), cwd, known)
        return listens ? withoutPorts(line) : line
      }
      return {
        ...{ code: exitCode, output: shown(stdout), errors: shown(stderr) },
        calls: inOrder(calls.map(shown)),
        written: difference(present, filesOf(cwd), shown),
      }
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  }
  return {
    outcomeOf,
    close: () =>
      new Promise((resolve) => {
        rmSync(programs, { recursive: true })
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Stops a command after its last words, on either stream. */
async function stopped(command: RunningCommand, last: string): Promise<CommandEnd> {
  command.process.stdin?.end()
  const pattern = new RegExp(last)
  try {
    await Promise.any([command.printed(pattern), command.told(pattern)])
  } finally {
    await command.stop()
  }
  const { process: child, stdout, stderr } = command
  return { exitCode: child.exitCode ?? 0, stdout, stderr }
}

/** Requests that change nothing may be concurrent, so that those in a row are sorted. */
function inOrder(calls: readonly string[]): string[] {
  const groups: string[][] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (last?.[0]?.startsWith('GET ') && call.startsWith('GET ')) last.push(call)
    else groups.push([call])
  }
  return groups.flatMap((group) => group.toSorted())
}

/** GitHub and the relay have errors of their own forms. */
function missing(url: string): WholeAnswer {
  const error = { code: 'not_found', message: 'no such thing', hint: 'List them.' }
  const isRelay = url.startsWith('/-admin/')
  return { status: 404, body: isRelay ? { error } : { message: 'Not Found' } }
}

function asAnswer(answer: CaseAnswer) {
  const json = { 'content-type': 'application/json' }
  if (typeof answer === 'string') return { status: 200, headers: {}, body: answer }
  if (!isWhole(answer)) return { status: 200, headers: json, body: JSON.stringify(answer) }
  const { status, headers = {}, body = '' } = answer
  return typeof body === 'string'
    ? { status, headers, body }
    : { status, headers: { ...json, ...headers }, body: JSON.stringify(body) }
}

interface WholeAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

function isWhole(answer: unknown): answer is WholeAnswer {
  return isObject(answer) && typeof answer.status === 'number'
}

const BEARERS: Readonly<Record<string, string>> = {
  [`Bearer ${ADMIN_BEARER}`]: ' (relay key)',
  [`Bearer ${TOKEN}`]: ' (token)',
}

function bearerOf(authorization: string | undefined): string {
  return authorization === undefined ? '' : (BEARERS[authorization] ?? ` (${authorization})`)
}

/** Headers that every request has, or that differ between two runs. */
const USUAL =
  /^(?:host|connection|user-agent|accept-encoding|content-length|transfer-encoding|authorization|x-github-api-version|accept: (?:\*\/\*|application\/vnd\.github\+json)|content-type: application\/json)/

function headersOf(headers: IncomingHttpHeaders): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return lines
    .filter((line) => !USUAL.test(line))
    .map((line) => ` [${line}]`)
    .join('')
}

/** `'a b' "c d" e` has three words. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  )
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

const VERSIONS = new RegExp(`(?<![\\d.])${VERSION.replaceAll('.', '\\.')}(?![\\d.])`, 'g')

/** Lists of all senders, schemes or triggers, which each new one changes. */
const LISTS = /\b(known|triggers|schemes(?: with a key pair)?): [^"\n]*/g

const TIMES = /\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d\.\d{3}Z/g

function isNow(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 600_000
}

/** A line that a call of more than a second prints. */
const PROGRESS = /^(?:asking|calling|waiting for|registering|removing) .* …\n/gm

/** Output with `<folder>`, `<uuid>`, `<version>`, `<now>` and `<ms>` for what differs between two runs. */
function printed(text: string, cwd: string, known: string): string {
  return text
    .replace(PROGRESS, '')
    .replaceAll(cwd, '<folder>')
    .replace(UUID, (id) => (known.includes(id) ? id : '<uuid>'))
    .replaceAll(VERSIONS, '<version>')
    .replace(LISTS, '$1: …')
    .replace(TIMES, (time) => (isNow(decodeURIComponent(time)) ? '<now>' : time))
    .replace(/\b\d+ ms\b/g, '<ms>')
    .replace(/(?<="milliseconds":)\d+/g, '0')
}

/** The output of a server, without the free port and the key of its inspector. */
function withoutPorts(text: string): string {
  return text
    .replace(/(?<=localhost:|127\.0\.0\.1:|0\.0\.0\.0:)\d{4,5}/g, '<port>')
    .replace(/(?<=\?key=)[\w-]+/g, '<key>')
}

function repositoryWith(origin: string) {
  return {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': `[remote "origin"]\n\turl = ${origin}\n`,
    '.git/objects/.keep': '',
    '.git/refs/.keep': '',
  }
}

function prepare(cwd: string, lines: string): void {
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' }
  const { PATH = '' } = process.env
  const env = { PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', ...identity, ...committer }
  execFileSync('sh', ['-ec', lines], { cwd, env, stdio: 'pipe' })
}

/** The files in `bin/` are programs. `=hook.yml` is the content of an example workflow. */
function writeFiles(folder: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) continue
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    const content = text.startsWith('=') ? readFileSync(join(EXAMPLES, text.slice(1))) : text
    writeFileSync(file, content, { mode: path.startsWith('bin/') ? 0o755 : 0o644 })
  }
}

function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const found = files.map(
    (file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')] as const,
  )
  return new Map(found.filter(([path]) => !path.startsWith('.git/')))
}

function difference(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  shown: (text: string) => string,
): Record<string, string | null> {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = after.get(name)
      if (text === before.get(name)) return []
      return [[name, text === undefined ? null : shown(text)]]
    }),
  )
}
