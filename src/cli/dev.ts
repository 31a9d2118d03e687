import { existsSync, readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { FSWatcher } from 'chokidar'
import { Command } from 'commander'
import { DEFAULT_GLOB, expressionContexts } from '../action/inputs.ts'
import { withRule } from '../check/check.ts'
import { originOf } from '../compiler/compiled-files.ts'
import { mayUseAction, readNativeWorkflow } from '../compiler/native.ts'
import { foundTriggers, polledTriggers, readAllWorkflows } from '../engine/all-workflows.ts'
import type { WorkflowSource } from '../engine/engine-ports.ts'
import type { OutputReader, ShownRequest } from '../inspector/api.ts'
import type { DevServer, SignableRequest } from '../inspector/dev-server.ts'
import { eventJson, formatEvent, listLine } from '../inspector/event-text.ts'
import { type ConcernedFile, explainEvent } from '../inspector/jobs.ts'
import { exampleLine } from '../triggers/example-line.ts'
import type { RequiredSignature } from '../triggers/trigger.ts'
import { isLoopback } from '../wire/address.ts'
import {
  type Finding,
  readOrUndefined,
  type Source,
  UsageError,
  UserError,
} from '../wire/errors.ts'
import { type Json, type JsonObject, record } from '../wire/json.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { parsePort, rawSetting, readSetting, settingDefault } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { fileError, NATIVE_FOLDER, nativeFiles, readSource, watchGlobs } from './files.ts'
import { SIGNATURE_NAMES, signedNow } from './send/signatures.ts'
import { print, reportBug, shellHere, stopOnSignal, warn } from './terminal.ts'
import { devFindings, devWorkflowSource } from './workflows-here.ts'

interface DevOptions {
  readonly host?: string
  readonly port: string
  readonly workflow: string[]
  readonly poll?: boolean
  readonly run?: boolean
  readonly json?: boolean
}

const HELP = `
${environmentHelp('PORT', 'HOOKLINE_TELEGRAM_API_URL', 'HOOKLINE_DEV_KEY', 'HOOKLINE_ACT')}

Examples:
  $ hookline dev --port 4000
  $ hookline dev --poll`

export function devCommand(): Command {
  return new Command('dev')
    .description('evaluate events on this machine as the action does on GitHub')
    .option(
      '--port <port>',
      'port to listen on; 0 selects a free port',
      process.env.PORT || settingDefault('PORT'),
    )
    .option('--host <host>', 'listen for other machines; needs HOOKLINE_DEV_KEY')
    .option('--workflow <glob...>', 'workflow files to read', [DEFAULT_GLOB])
    .option('--poll', 'poll the Bot API too; shown messages are acknowledged')
    .option('--run', 'run the jobs of fired events on this machine with act')
    .option('--json', 'print one JSON line per event')
    .addHelpText('after', HELP)
    .action(serve)
}

async function serve(options: DevOptions): Promise<void> {
  const { host, port, workflow: globs, poll, json } = options
  if (options.run && host !== undefined) throw new UsageError(RUN_AND_HOST)
  const { serveDev } = await import('../inspector/dev-server.ts')
  // An unreadable file ends the command before it listens.
  readEnvFile()
  // Files are read for every request.
  const workflows = (event: Json) => workflowsHere(event, globs)
  const found = findingsNews(globs, () => workflows({}))
  const runs = options.run ? await localRuns() : undefined
  const server = await serveDev({
    runs,
    host,
    port: parsePort(port),
    env: process.env,
    workflows,
    problems: found.newest,
    signer: SIGNER,
    explain: (event) => {
      const files = concernedFiles(process.cwd(), event.workflow, () => workflows({}))
      return { readers: readersIn(files), jobs: explainEvent(event, files) }
    },
    tell: (event, { readers, jobs }) =>
      print(
        json ? printableJson(eventJson(event, jobs)) : printable(formatEvent(event, readers, jobs)),
      ),
    report: reportBug,
  })
  stopOnSignal({
    close() {
      runs?.close()
      return server.close()
    },
  })
  const address = `hookline dev listening on ${server.url}`
  if (json) {
    // Standard output is for the program that reads the events.
    process.stderr.write(`${address}\n`)
    if (process.stderr.isTTY) process.stderr.write(`${inspectorLine(server)}\n`)
  } else {
    print(address)
    print(printable(welcomeText(server, workflows, { isOpen: host !== undefined, poll })))
  }
  if (runs) process.stderr.write(runHint(runs.key))
  if (poll && hasNoBot(() => workflows({}))) warn([NO_BOT])
  if (runs?.missing) warn([{ message: `--run cannot run jobs: ${runs.missing}` }])
  if (poll) server.poll()
  const look = async () => {
    const news = await found.look()
    server.workflowsChanged()
    if (news && !json) print(`${news}\n`)
  }
  await look()
  const more = [NATIVE_FOLDER, ENV_FILE]
  const watcher = await watchGlobs({ root: process.cwd(), globs, more })
  onceSettled(watcher, () => {
    server.workflowsChanged()
    look().catch(reportBug)
  })
}

/** Signs a request with the present time. */
async function sign(
  { method, url, headers, body }: SignableRequest,
  { scheme, secret, header }: RequiredSignature,
): Promise<SignableRequest> {
  const place = header === undefined ? {} : { header }
  const outgoing = { request: { method, headers, body }, url: new URL(url) }
  const { request, url: called } = signedNow(outgoing, scheme, secret, place)
  return { ...request, url: called.href }
}

const SIGNER = { schemes: [...SIGNATURE_NAMES, 'token'], sign }

/** The findings of the workflow files, reported when they change. */
function findingsNews(globs: readonly string[], open: () => WorkflowSource) {
  let findings: readonly Finding[] | undefined
  let before = ''
  let last: Promise<unknown> = Promise.resolve()
  const look = async (): Promise<string | undefined> => {
    findings = await devFindings({ root: process.cwd(), globs }, open)
    const now = findings.map((one) => renderProblem(withRule(one), one.level)).join('\n')
    if (now === before) return undefined
    before = now
    return now || 'the workflow files have no errors'
  }
  return {
    /** `undefined` before the first look. */
    newest: () => findings,
    /** The report, if it changed since the last look. Looks run one after the other. */
    look(): Promise<string | undefined> {
      const next = last.then(look)
      last = next.catch(() => {})
      return next
    },
  }
}

/** The triggers, with a curl line to paste. */
function welcomeText(
  server: DevServer,
  workflows: (event: Json) => WorkflowSource,
  { isOpen, poll }: { readonly isOpen: boolean; readonly poll: boolean | undefined },
): string {
  const { found } = readAllWorkflows(() => workflows({}))
  const triggers = foundTriggers(server.url, found)
  const lines = triggers.flatMap(({ url, example }) =>
    example ? [exampleLine(url, example, undefined, shellHere().request)] : [],
  )
  const [first] = lines
  return [
    ...triggers.map((trigger) => `  ${listLine(trigger)}`),
    ...polledTriggers(found).map((name) => `  polled  ${name}${poll ? '' : ', with --poll'}`),
    ...(first ? ['', 'Try:', `  ${first}`] : []),
    '',
    ...(isOpen ? [KEY_NEEDED] : []),
    inspectorLine(server),
    '',
  ].join('\n')
}

/** The address of the inspector with its key; a terminal is read only by the user who started `dev`. */
function inspectorLine({ url, inspectorPath }: DevServer): string {
  // The inspector accepts only host names of this machine, whatever address the server listens on.
  const { hostname, port } = new URL(url)
  const isEveryAddress = hostname === '0.0.0.0' || hostname === '[::]'
  const base = isLoopback(hostname) ? url : isEveryAddress && `http://localhost:${port}`
  return base
    ? `Inspector (requests, decisions, outputs): ${base}${inspectorPath}`
    : 'The inspector is for this machine only. To open it at localhost, use --host 0.0.0.0.'
}

const KEY_NEEDED =
  'A request needs the key of HOOKLINE_DEV_KEY: add -H "X-Platform-Authorization: $KEY" to the curl line.'

/** False if a workflow has a mistake, such as an empty token, because its trigger is then unknown. */
function hasNoBot(open: () => WorkflowSource): boolean {
  const { found, problems } = readAllWorkflows(open)
  return problems.length === 0 && polledTriggers(found).length === 0
}

const NO_BOT = {
  message: '--poll has no bot to poll: no workflow has the trigger messaging_bot',
  hint: 'Write one: hookline init --kind bot',
}

const RUN_AND_HOST = {
  message: '--run cannot be combined with --host',
  hint: 'Omit --host: only requests of this machine may run real jobs.',
}

/** Runs real jobs for requests with the key of `HOOKLINE_DEV_KEY`, or with a new random key. */
async function localRuns() {
  const { actRuns } = await import('./act.ts')
  const envFile = existsSync(ENV_FILE) ? ENV_FILE : undefined
  const printLine = (line: string) => void process.stderr.write(`${printable(line)}\n`)
  const key = readSetting(process.env, 'HOOKLINE_DEV_KEY')?.reveal() ?? crypto.randomUUID()
  return { key, ...actRuns({ root: process.cwd(), envFile, print: printLine }) }
}

function runHint(key: string): string {
  const isOwn = rawSetting(process.env, 'HOOKLINE_DEV_KEY') === key
  const shown = isOwn ? '$HOOKLINE_DEV_KEY' : key
  const exported = isOwn ? '' : `  export HOOKLINE_DEV_KEY=${key}\n`
  return `Real jobs run for requests from the inspector, and for requests with the key:
${exported}  hookline send … , or curl -H "X-Hookline-Dev-Key: ${shown}"\n`
}

/** The file with secrets and variables. */
const ENV_FILE = '.env'

/** Editors on Windows write a byte order mark, which would become part of the first name. */
const BYTE_ORDER_MARK = /^\ufeff/

/** Names and values of `.env`; none if the file is missing. @throws UserError if it cannot be read */
function readEnvFile(): JsonObject {
  const stat = statSync(ENV_FILE, { throwIfNoEntry: false })
  if (!stat) return {}
  // To read a pipe would wait for its writer.
  if (!stat.isFile() && !stat.isDirectory()) throw new UserError(NO_FILE)
  const values = parseEnv(envText().replace(BYTE_ORDER_MARK, ''))
  return record(Object.entries(values).map(([name, value]) => [name, value ?? ''] as const))
}

const NO_FILE = {
  message: `${ENV_FILE} is not a regular file`,
  hint: 'Replace it by a file with lines of the form NAME=value.',
}

function envText(): string {
  try {
    return readFileSync(ENV_FILE, 'utf8')
  } catch (error) {
    // The error for a directory has no path.
    throw fileError(error, ENV_FILE)
  }
}

/** The positions in the files of this folder that can read the outputs of a workflow's triggers. */
export function readersHere(workflow: string): readonly OutputReader[] {
  return readersIn(concernedFiles(process.cwd(), workflow, () => workflowsHere({})))
}

/** A request with a signature of now, if a trigger of this folder verifies it with a secret of `.env`. */
export async function signedHere(request: ShownRequest): Promise<ShownRequest> {
  const { resignedRequest } = await import('../inspector/dev-server.ts')
  try {
    return await resignedRequest(request, (event) => workflowsHere(event), SIGNER)
  } catch (error) {
    // `dev` says what is wrong with the secret.
    if (error instanceof UserError) return request
    throw error
  }
}

/** The workflows of this folder, with the secrets and variables of `.env`. */
function workflowsHere(event: Json, globs: readonly string[] = [DEFAULT_GLOB]): WorkflowSource {
  const values = readEnvFile()
  const contexts = expressionContexts(process.env, event, { secrets: values, vars: values })
  return devWorkflowSource({ root: process.cwd(), globs, contexts })
}

/**
 * The files whose jobs an event for a workflow concerns: the source itself and the native files that
 * have the action read it, or the native file that gives the action its triggers.
 */
function concernedFiles(root: string, name: string, open: () => WorkflowSource): ConcernedFile[] {
  // The file that declares the triggers; the findings report its mistakes.
  const file = readOrUndefined(() => open().find(name)?.triggers[0]?.positionOf([]).source.file)
  if (file === undefined) return []
  const source = readOrUndefined(() => readSource(root, file))
  if (file.startsWith(`${NATIVE_FOLDER}/`)) return source ? [{ source, kind: 'native' }] : []
  const natives = nativeFiles(root).flatMap((native): ConcernedFile[] => {
    const found = readOrUndefined(() => readSource(root, native.file))
    return found && readsFiles(found) ? [{ source: found, kind: 'native' }] : []
  })
  // A source of triggers alone has no jobs of its own.
  return [...(source ? [{ source, kind: 'source' } as const] : []), ...natives]
}

/** True for a native file that is not compiled, and whose action reads workflow files. */
function readsFiles(source: Source): boolean {
  if (!mayUseAction(source.text) || originOf(source.text) !== undefined) return false
  return nativeReaders(source, 'files').length > 0
}

/** The positions in concerned files that can read the outputs of the workflow's triggers. */
function readersIn(files: readonly ConcernedFile[]): OutputReader[] {
  const reads = files.some(({ kind }) => kind === 'source') ? 'files' : 'inline'
  return files.flatMap(({ source, kind }): OutputReader[] =>
    kind === 'source' ? [{ kind, file: source.file }] : nativeReaders(source, reads),
  )
}

/**
 * The places of a native workflow file that can read the outputs of the action: later steps of its job,
 * later jobs that receive the job's outputs, and a matrix over the items.
 *
 * @param reads only steps that declare triggers `inline`, or only steps that read `files`
 * @returns none for a file with errors, which the findings report
 */
export function nativeReaders(source: Source, reads: 'inline' | 'files'): OutputReader[] {
  const { uses = [] } = readOrUndefined(() => readNativeWorkflow(source.name, source)) ?? {}
  return uses.flatMap(({ job, step: id = null, on = '', outputs, neededBy, matrices }) => {
    if ((on.trim() !== '') !== (reads === 'inline')) return []
    const step = { id }
    const later = neededBy.map((reader): OutputReader => {
      // A job with a matrix over the items reads one item at a time.
      const matrix = matrices.find((one) => one.job === reader)
      return matrix
        ? { kind: 'matrix', file: source.name, reader, name: matrix.key }
        : { kind: 'needs', file: source.name, job, step, reader, outputs }
    })
    return [{ kind: 'steps', file: source.name, job, step } as const, ...later]
  })
}

/** Milliseconds. Editors write a file in several steps. */
const SETTLED = 100

/** Calls `changed` once after a series of changes. */
function onceSettled(watcher: FSWatcher, changed: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const changedSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED)
  }
  watcher.on('all', changedSoon)
  // A change before the watcher was ready is not reported.
  watcher.on('ready', changedSoon)
  // Without a watcher, every request still reads the files.
  watcher.on('error', () => {})
}
