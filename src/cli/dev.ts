import { readdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { parseEnv } from 'node:util'
import { Command, Option } from 'commander'
import { expressionContexts } from '../action/context.ts'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { workflowFileSource } from '../action/workflow-files.ts'
import type { WorkflowSource } from '../engine/event.ts'
import type { DevServer } from '../inspector/dev-server.ts'
import {
  curlLine,
  eventJson,
  formatEvent,
  foundTriggers,
  listLine,
  readAllWorkflows,
} from '../inspector/local-engine.ts'
import { UserError } from '../wire/errors.ts'
import { type Json, type JsonObject, record } from '../wire/json.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readInlineOn, type Workflow } from '../workflow/workflow.ts'
import { isLoopback, parsePort } from './http.ts'
import { devKeys, NO_KEYS } from './keyboard.ts'
import { reportBug, stopOnSignal, styled } from './terminal.ts'

interface DevOptions {
  readonly host?: string
  readonly port: string
  readonly workflow: string[]
  readonly env?: string
  readonly envFile?: string
  readonly poll?: boolean
  readonly json?: boolean
}

const HELP = `
On a terminal, r replays the last request and q quits.

Examples:
  $ hookline dev --port 4000
  $ hookline dev --poll`

export function devCommand(): Command {
  return (
    new Command('dev')
      .description('evaluate webhooks on this machine, as the action would on GitHub')
      .option('--port <port>', 'port to listen on, 0 for a free one', process.env.PORT || '3000')
      .option('--host <host>', 'listen for other machines too; needs HOOKLINE_KEYS')
      .option('--workflow <glob...>', 'workflow files to read', [DEFAULT_GLOB])
      .option('--env <file>', 'secrets and variables, by default .env')
      // Its old name; Node takes it for itself where there is no such file.
      .addOption(new Option('--env-file <file>').hideHelp())
      .option('--poll', 'poll for messages to bots too; what was shown is acknowledged')
      .option('--json', 'print a JSON line per event')
      .addHelpText('after', HELP)
      .action(run)
  )
}

async function run(options: DevOptions): Promise<void> {
  const { host, port, workflow: globs, env: envFile = options.envFile, poll, json } = options
  const { serveDev } = await import('../inspector/dev-server.ts')
  const values = readEnvFile(envFile)
  const workflows = (event: Json): WorkflowSource => devWorkflows(globs, values, event)
  const server = await serveDev({
    host,
    port: parsePort(port),
    env: process.env,
    workflows,
    tell: (event) => print(json ? printableJson(eventJson(event)) : printable(formatEvent(event))),
    report: reportBug,
  })
  const hint = listenToPerson(server, json)
  print(`hookline dev listening on ${server.url}`)
  if (!json) print(printable(welcome(server.url, workflows, host !== undefined)))
  if (hint) print(`${styled(process.stdout, 'dim', hint)}\n`)
  if (poll) server.poll()
}

/**
 * Stops the server when it is told to, by a signal or a key, and then gives the terminal back.
 *
 * @returns which keys there are; empty when there are none
 */
function listenToPerson(server: DevServer, json: boolean | undefined): string {
  let keys = NO_KEYS
  const quit = stopOnSignal({
    close() {
      keys.stop()
      return server.close()
    },
  })
  if (!json) keys = devKeys({ server, quit, report: reportBug })
  return keys.hint
}

/** Files and values as they are now; secrets and variables come from the same file. */
function devWorkflows(globs: readonly string[], values: JsonObject, event: Json): WorkflowSource {
  const contexts = expressionContexts(process.env, event, { secrets: values, vars: values })
  return devWorkflowSource({ root: process.cwd(), globs, contexts })
}

/** The triggers that were found, with a line to paste, and the mistakes of the other files. */
function welcome(url: string, workflows: (event: Json) => WorkflowSource, isOpen: boolean): string {
  const { found, problems } = readAllWorkflows(() => workflows({}))
  const triggers = foundTriggers(url, found)
  const lines = triggers.flatMap(({ url, example }) => (example ? [curlLine(url, example)] : []))
  const [first] = lines
  return [
    ...problems.map((problem) => renderProblem(problem)),
    ...triggers.map((trigger) => `  ${listLine(trigger)}`),
    ...(first ? ['', 'Try:', `  ${first}`] : []),
    '',
    ...(isOpen ? [KEY_NEEDED] : []),
    inspectorLine(url),
    '',
  ].join('\n')
}

const KEY_NEEDED =
  'A request needs one of HOOKLINE_KEYS: add -H "X-Platform-Authorization: $KEY" to a curl line.'

/** The inspector answers under the names of this machine alone, wherever the server listens. */
function inspectorLine(url: string): string {
  const { hostname, port } = new URL(url)
  if (!isLoopback(hostname) && !isEveryAddress(hostname)) {
    return 'The inspector is for this machine: give --host 0.0.0.0 to open it as localhost too.'
  }
  const page = isLoopback(hostname) ? url : `http://localhost:${port}`
  return `Every request, decision and output: ${page}`
}

function isEveryAddress(hostname: string): boolean {
  return hostname === '0.0.0.0' || hostname === '[::]'
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

const NATIVE_FOLDER = '.github/workflows'

const ADVICE = ['make one with: hookline init']

interface DevWorkflowOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly contexts: Contexts
}

/**
 * What can be tried on this machine: workflow files, and the triggers that native workflow files
 * give the action inline. Of one name, the workflow file counts: the native one is compiled from it.
 */
export function devWorkflowSource({ root, globs, contexts }: DevWorkflowOptions): WorkflowSource {
  const files = workflowFileSource({ root, globs, calling: '', contexts, advice: ADVICE })
  const native = () => nativeFiles(root).filter(({ name, file }) => has(root, name, file, contexts))
  return {
    calling: '',
    names() {
      const inline = native().map(({ name }) => name)
      // A file that was asked for by name, and is not there, is told.
      const asked = globs.length !== 1 || globs[0] !== DEFAULT_GLOB
      return [...new Set([...namesOf(files, inline.length > 0 && !asked), ...inline])]
    },
    find(name) {
      const own = files.find(name)
      const file = own ? undefined : nativeFiles(root).find((native) => native.name === name)?.file
      return file === undefined ? own : readInline(root, name, file, contexts)
    },
  }
}

/** No workflow file at all is a mistake only where nothing stands inline either. */
function namesOf(files: WorkflowSource, isInline: boolean): readonly string[] {
  try {
    return files.names()
  } catch (error) {
    if (isInline && error instanceof UserError) return []
    throw error
  }
}

function nativeFiles(root: string): { readonly name: string; readonly file: string }[] {
  const found = listed(join(root, NATIVE_FOLDER)).filter((file) => /\.ya?ml$/.test(file))
  return found.sort().map((file) => ({ name: parse(file).name, file: `${NATIVE_FOLDER}/${file}` }))
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** One with mistakes counts, so that they are shown. */
function has(root: string, name: string, file: string, contexts: Contexts): boolean {
  try {
    return readInline(root, name, file, contexts) !== undefined
  } catch (error) {
    if (error instanceof UserError) return true
    throw error
  }
}

function readInline(
  root: string,
  name: string,
  file: string,
  contexts: Contexts,
): Workflow | undefined {
  const text = readFileSync(join(root, file), 'utf8')
  return readInlineOn(name, { name: file, file, text }, contexts)
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
