import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { FSWatcher } from 'chokidar'
import { Command, Option } from 'commander'
import { DEFAULT_GLOB, expressionContexts } from '../action/inputs.ts'
import { readNativeWorkflow } from '../compiler/native.ts'
import { foundTriggers, polledTriggers, readAllWorkflows } from '../engine/all-workflows.ts'
import type { WorkflowSource } from '../engine/ports.ts'
import type { Reader } from '../inspector/api.ts'
import type { SignableRequest } from '../inspector/dev-server.ts'
import { eventJson, formatEvent, listLine } from '../inspector/event-text.ts'
import { explainEvent } from '../inspector/jobs.ts'
import { withRule } from '../lint/lint.ts'
import { exampleLine } from '../triggers/example-line.ts'
import type { Proof } from '../triggers/trigger.ts'
import { isLoopback } from '../wire/address.ts'
import { type Finding, type Source, UsageError, UserError } from '../wire/errors.ts'
import { type Json, type JsonObject, record } from '../wire/json.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { parsePort, plainSetting, presetOf, readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { concernedFiles, isActionStep } from './concerned-files.ts'
import { NATIVE_FOLDER, nativeFiles, watchGlobs } from './files.ts'
import { devKeys, NO_KEYS } from './keyboard.ts'
import { FIXTURES } from './send/fixtures.ts'
import { SIGNATURE_NAMES, signed } from './send/signatures.ts'
import { print, reportBug, shellHere, stopOnSignal, styled } from './terminal.ts'
import { devFindings, devWorkflowSource } from './workflows-here.ts'

interface DevOptions {
  readonly host?: string
  readonly port: string
  readonly workflow: string[]
  readonly env?: string
  readonly envFile?: string
  readonly poll?: boolean
  readonly run?: boolean
  readonly json?: boolean
}

const HELP = `
On a terminal, r replays the last request and q quits.

${environmentHelp('PORT', 'HOOKLINE_ACCESS_KEYS', 'HOOKLINE_TELEGRAM_API_URL', 'HOOKLINE_DEV_KEY', 'HOOKLINE_ACT')}

Examples:
  $ hookline dev --port 4000
  $ hookline dev --poll`

export function devCommand(): Command {
  return (
    new Command('dev')
      .description('evaluate webhooks on this machine, as the action would on GitHub')
      .option(
        '--port <port>',
        'port to listen on, 0 for a free one',
        process.env.PORT || presetOf('PORT'),
      )
      .option('--host <host>', 'listen for other machines too; needs HOOKLINE_ACCESS_KEYS')
      .option('--workflow <glob...>', 'workflow files to read', [DEFAULT_GLOB])
      .option('--env <file>', 'secrets and variables, by default .env')
      // Its old name; Node takes it for itself where there is no such file.
      .addOption(new Option('--env-file <file>').hideHelp())
      .option('--poll', 'poll for messages to bots too; what was shown is acknowledged')
      .option('--run', 'hand what fires to act: the real jobs, on this machine')
      .option('--json', 'print a JSON line per event')
      .addHelpText('after', HELP)
      .action(serve)
  )
}

async function serve(options: DevOptions): Promise<void> {
  const { host, port, workflow: globs, env: envFile = options.envFile, poll, json } = options
  if (options.run && host !== undefined) throw new UsageError(RUN_AND_HOST)
  const { serveDev } = await import('../inspector/dev-server.ts')
  const { threadScripts } = await import('../inspector/script-thread.ts')
  readEnvFile(envFile)
  // Files and values as they are now; secrets and variables come from the same file.
  const workflows = (event: Json) => {
    const values = readEnvFile(envFile)
    const contexts = expressionContexts(process.env, event, { secrets: values, vars: values })
    return devWorkflowSource({ root: process.cwd(), globs, contexts })
  }
  const found = findingsNews(globs, () => workflows({}))
  const runs = options.run ? await localRuns(envFile) : undefined
  const server = await serveDev({
    runs,
    host,
    port: parsePort(port),
    env: process.env,
    workflows,
    problems: found.newest,
    readers: (workflow) => workflowReaders(process.cwd(), workflow, () => workflows({})),
    fixtures: FIXTURES,
    // The command itself, in a thread: see index.ts.
    scripts: threadScripts(process.argv[1] ?? ''),
    signer: { schemes: [...SIGNATURE_NAMES, 'token'], sign },
    explain: (event) => {
      const files = concernedFiles(process.cwd(), event.workflow, () => workflows({}))
      return explainEvent(event, files, isActionStep)
    },
    tell: (event, readers, jobs) =>
      print(
        json ? printableJson(eventJson(event, jobs)) : printable(formatEvent(event, readers, jobs)),
      ),
    report: reportBug,
  })
  // By a signal or a key; then the terminal is given back.
  let keys = NO_KEYS
  const quit = stopOnSignal({
    close() {
      keys.stop()
      runs?.close()
      return server.close()
    },
  })
  if (!json) keys = devKeys({ server, quit, report: reportBug })
  print(`hookline dev listening on ${server.url}`)
  if (!json) print(printable(welcome(server.url, workflows, { isOpen: host !== undefined, poll })))
  if (runs) process.stderr.write(runHint(runs.key))
  if (keys.hint) print(`${styled(process.stdout, 'dim', keys.hint)}\n`)
  if (poll) server.poll()
  const look = async () => {
    const news = await found.look()
    server.workflowsChanged()
    if (news && !json) print(`${news}\n`)
  }
  await look()
  const more = [NATIVE_FOLDER, envFile ?? DEFAULT_FILE]
  const watcher = await watchGlobs({ root: process.cwd(), globs, more, persistent: false })
  onceSettled(watcher, () => {
    server.workflowsChanged()
    look().catch(reportBug)
  })
}

/** The request as a sender signs it now. */
async function sign(
  { method, url, headers, body }: SignableRequest,
  { scheme, secret, header }: Proof,
): Promise<SignableRequest> {
  const moment = {
    timestamp: Math.floor(Date.now() / 1000),
    id: `msg_${crypto.randomUUID()}`,
    ...(header !== undefined && { place: { header } }),
  }
  const outgoing = { request: { method, headers, body }, url: new URL(url) }
  const { request, url: called } = signed(outgoing, scheme, secret, moment)
  return { ...request, url: called.href }
}

/** What is wrong with the workflow files, as it changes while they are written. */
function findingsNews(globs: readonly string[], open: () => WorkflowSource) {
  let findings: readonly Finding[] | undefined
  let before = ''
  let last: Promise<unknown> = Promise.resolve()
  const look = async (): Promise<string | undefined> => {
    findings = await devFindings({ root: process.cwd(), globs }, open)
    const now = findings.map((one) => renderProblem(withRule(one), one.level)).join('\n')
    if (now === before) return undefined
    before = now
    return now || 'no mistake is left in a workflow file'
  }
  return {
    /** `undefined` until somebody looked. */
    newest: () => findings,
    /** What is to be said, where that has changed since the last look; one look at a time. */
    look(): Promise<string | undefined> {
      const next = last.then(look)
      last = next.catch(() => {})
      return next
    },
  }
}

/** The triggers that were found, with a line to paste. */
function welcome(
  url: string,
  workflows: (event: Json) => WorkflowSource,
  { isOpen, poll }: { readonly isOpen: boolean; readonly poll: boolean | undefined },
): string {
  const { found } = readAllWorkflows(() => workflows({}))
  const triggers = foundTriggers(url, found)
  const lines = triggers.flatMap(({ url, example }) =>
    example ? [exampleLine(url, example, undefined, shellHere().request)] : [],
  )
  const [first] = lines
  // The inspector answers under the names of this machine alone, wherever the server listens.
  const { hostname, port } = new URL(url)
  const isEveryAddress = hostname === '0.0.0.0' || hostname === '[::]'
  const ownPage = isLoopback(hostname) ? url : isEveryAddress && `http://localhost:${port}`
  return [
    ...triggers.map((trigger) => `  ${listLine(trigger)}`),
    ...polledTriggers(found).map((name) => `  polled  ${name}${poll ? '' : ', with --poll'}`),
    ...(first ? ['', 'Try:', `  ${first}`] : []),
    '',
    ...(isOpen ? [KEY_NEEDED] : []),
    ownPage
      ? `Every request, decision and output: ${ownPage}`
      : 'The inspector is for this machine: give --host 0.0.0.0 to open it as localhost too.',
    '',
  ].join('\n')
}

const KEY_NEEDED =
  'A request needs one of HOOKLINE_ACCESS_KEYS: add -H "X-Platform-Authorization: $KEY" to a curl line.'

const RUN_AND_HOST = {
  message: '--run and --host: real jobs run for this machine alone',
  hint: 'leave out one of the two',
}

/** Real jobs, behind a key: that of `HOOKLINE_DEV_KEY`, or one for this call alone. */
async function localRuns(envFile: string | undefined) {
  const { actRuns } = await import('./act.ts')
  const file = envFile ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined)
  const tell = (line: string) => void process.stderr.write(`${printable(line)}\n`)
  const key = readSetting(process.env, 'HOOKLINE_DEV_KEY')?.reveal() ?? crypto.randomUUID()
  return { key, ...actRuns({ root: process.cwd(), envFile: file, tell }) }
}

function runHint(key: string): string {
  const isOwn = plainSetting(process.env, 'HOOKLINE_DEV_KEY') === key
  const shown = isOwn ? '$HOOKLINE_DEV_KEY' : key
  const exported = isOwn ? '' : `  export HOOKLINE_DEV_KEY=${key}\n`
  return `Real jobs run for what the page sends, and what brings the key:
${exported}  hookline send … , or curl -H "X-Hookline-Dev-Key: ${shown}"\n`
}

const DEFAULT_FILE = '.env'

/** Editors on Windows write one; it would become part of the first name. */
const BYTE_ORDER_MARK = /^\ufeff/

/**
 * Names and values of a file in the form of `.env`; none when the default file is not there.
 *
 * @throws UserError when a file that was asked for cannot be read
 */
function readEnvFile(file: string | undefined): JsonObject {
  try {
    const text = readFileSync(file ?? DEFAULT_FILE, 'utf8').replace(BYTE_ORDER_MARK, '')
    const values = parseEnv(text)
    return record(Object.entries(values).map(([name, value]) => [name, value ?? ''] as const))
  } catch (cause) {
    if (file === undefined) return {}
    throw new UserError({ message: `--env: ${file} cannot be read` }, { cause })
  }
}

/**
 * Who can read the outputs of a workflow's triggers: the source itself, once it is compiled, and the
 * native workflow files that have the action read it; or the native file that declares them inline.
 */
function workflowReaders(root: string, name: string, open: () => WorkflowSource): Reader[] {
  let file: string | undefined
  try {
    file = open().find(name)?.triggers[0]?.positionOf([]).source.file
  } catch {
    // A file with mistakes, of which others tell.
  }
  if (file === undefined) return []
  if (file.startsWith(`${NATIVE_FOLDER}/`)) return readersIn(root, file, 'inline')
  const others = nativeFiles(root).flatMap((native) => readersIn(root, native.file, 'files'))
  return [{ kind: 'source', file }, ...others]
}

function readersIn(root: string, file: string, reads: 'inline' | 'files'): Reader[] {
  try {
    const text = readFileSync(join(root, file), 'utf8')
    return nativeReaders({ name: file, file, text }, reads)
  } catch {
    return []
  }
}

/**
 * Where a native workflow file can read what the action hands on: later steps of its job, later jobs
 * as far as the job hands it on, and a matrix over the items.
 *
 * @param reads only steps that give the action its triggers `inline`, or that have it read `files`
 * @returns none for a file with mistakes, which are told elsewhere
 */
export function nativeReaders(source: Source, reads: 'inline' | 'files'): Reader[] {
  try {
    const uses = readNativeWorkflow(source.name, source)?.uses ?? []
    return uses.flatMap(({ job, step: id = null, on = '', outputs, neededBy, matrices }) => {
      if ((on.trim() !== '') !== (reads === 'inline')) return []
      const step = { id }
      const later = neededBy.map((reader): Reader => {
        // Each item by itself where the matrix of the job goes over them.
        const matrix = matrices.find((one) => one.job === reader)
        return matrix
          ? { kind: 'matrix', file: source.name, reader, name: matrix.key }
          : { kind: 'needs', file: source.name, job, step, reader, outputs }
      })
      return [{ kind: 'steps', file: source.name, job, step } as const, ...later]
    })
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}

/** Milliseconds: editors write a file in several steps. */
const SETTLED = 100

/** Calls `changed` after every change, once nothing more follows it. */
function onceSettled(watcher: FSWatcher, changed: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const changedSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED)
  }
  watcher.on('all', changedSoon)
  // What was saved before it watched, it did not see.
  watcher.on('ready', changedSoon)
  // Where nothing can be watched, files are still read at every request.
  watcher.on('error', () => {})
}
