import { Command } from 'commander'
import { expressionContexts } from '../../action/contexts.ts'
import { DEFAULT_GLOB } from '../../action/inputs.ts'
import { account } from '../../dev/account.ts'
import { curlLine, foundTriggers, listLine } from '../../dev/found-triggers.ts'
import { eventJson } from '../../dev/local-platform.ts'
import { survey } from '../../dev/survey.ts'
import type { WorkflowSource } from '../../engine/events.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import { readEnvFile } from '../cli/env-file.ts'
import { explainBug } from '../cli/exit.ts'
import { isLoopback } from '../cli/loopback.ts'
import { parsePort } from '../cli/port.ts'
import { stopOnSignal } from '../cli/stop-on-signal.ts'
import { styled } from '../cli/terminal.ts'
import { devKeys } from '../dev/dev-keys.ts'
import type { DevServer } from '../dev/dev-server.ts'
import { devWorkflowSource } from '../dev/dev-workflows.ts'
import { NO_KEYS } from '../dev/keys-while-running.ts'
import { watchWorkflows } from '../dev/watch-workflows.ts'
import { workflowReaders } from '../dev/workflow-readers.ts'

interface DevOptions {
  readonly host?: string
  readonly port: string
  readonly workflow: string[]
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
  return new Command('dev')
    .description('evaluate webhooks on this machine, as the action would on GitHub')
    .option('--port <port>', 'port to listen on, 0 for a free one', process.env.PORT || '3000')
    .option('--host <host>', 'listen for other machines too; needs HOOKLINE_KEYS')
    .option('--workflow <glob...>', 'workflow files to read', [DEFAULT_GLOB])
    .option('--env-file <file>', 'secrets and variables, by default .env')
    .option('--poll', 'poll for messages to bots too; what was shown is acknowledged')
    .option('--json', 'print a JSON line per event')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(options: DevOptions): Promise<void> {
  const { host, port, workflow: globs, envFile, poll, json } = options
  const { serveDev } = await import('../dev/dev-server.ts')
  const values = readEnvFile(envFile)
  const workflows = (event: Json): WorkflowSource => devWorkflows(globs, values, event)
  const server = await serveDev({
    host,
    port: parsePort(port),
    env: process.env,
    workflows,
    readers: (workflow) => workflowReaders(process.cwd(), workflow, workflows({})),
    tell: (event) => print(json ? eventJson(event) : account(event)),
    report: explainBug,
  })
  const hint = listenToPerson(server, json)
  print(`hookline dev listening on ${server.url}`)
  if (!json) print(welcome(server.url, workflows, host !== undefined))
  if (hint) print(`${styled(process.stdout, 'dim', hint)}\n`)
  if (poll) server.poll()
  await watchWorkflows(process.cwd(), globs, () => server.workflowsChanged())
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
  if (!json) keys = devKeys({ server, quit, report: explainBug })
  return keys.hint
}

/** Files and values as they are now; secrets and variables come from the same file. */
function devWorkflows(globs: readonly string[], values: JsonObject, event: Json): WorkflowSource {
  const contexts = expressionContexts(process.env, event, { secrets: values, vars: values })
  return devWorkflowSource({ root: process.cwd(), globs, contexts })
}

/** The triggers that were found, with a line to paste, and the mistakes of the other files. */
function welcome(url: string, workflows: (event: Json) => WorkflowSource, isOpen: boolean): string {
  const { found, problems } = survey(() => workflows({}))
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
