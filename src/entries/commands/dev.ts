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
import { devWorkflowSource } from '../dev-workflows.ts'
import { readEnvFile } from '../env-file.ts'
import { explainBug } from '../exit.ts'
import { parsePort } from '../port.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

interface DevOptions {
  readonly host?: string
  readonly port: string
  readonly workflow: string[]
  readonly envFile?: string
  readonly poll?: boolean
  readonly json?: boolean
}

export function devCommand(): Command {
  return new Command('dev')
    .description('evaluate webhooks on this machine, as the action would on GitHub')
    .option('--port <port>', 'port to listen on, 0 for a free one', process.env.PORT || '3000')
    .option('--host <host>', 'listen for other machines too; needs HOOKLINE_KEYS')
    .option('--workflow <glob...>', 'workflow files to read', [DEFAULT_GLOB])
    .option('--env-file <file>', 'secrets and variables, by default .env')
    .option('--poll', 'poll for messages to bots too; what was shown is acknowledged')
    .option('--json', 'print a JSON line per event')
    .addHelpText('after', '\nExamples:\n  $ hookline dev --port 4000\n  $ hookline dev --poll')
    .action(run)
}

async function run(options: DevOptions): Promise<void> {
  const { host, port, workflow: globs, envFile, poll, json } = options
  const { serveDev } = await import('../dev-server.ts')
  const values = readEnvFile(envFile)
  const workflows = (event: Json): WorkflowSource => devWorkflows(globs, values, event)
  const server = await serveDev({
    host,
    port: parsePort(port),
    env: process.env,
    workflows,
    tell: (event) => print(json ? eventJson(event) : account(event)),
    report: explainBug,
  })
  stopOnSignal(server)
  print(`hookline dev listening on ${server.url}`)
  if (!json) print(welcome(server.url, workflows))
  if (poll) server.poll()
}

/** Files and values as they are now; secrets and variables come from the same file. */
function devWorkflows(globs: readonly string[], values: JsonObject, event: Json): WorkflowSource {
  const contexts = expressionContexts(process.env, event, { secrets: values, vars: values })
  return devWorkflowSource({ root: process.cwd(), globs, contexts })
}

/** The triggers that were found, with a line to paste, and the mistakes of the other files. */
function welcome(url: string, workflows: (event: Json) => WorkflowSource): string {
  const { found, problems } = survey(() => workflows({}))
  const triggers = foundTriggers(url, found)
  const lines = triggers.flatMap(({ url, example }) => (example ? [curlLine(url, example)] : []))
  const [first] = lines
  return [
    ...problems.map((problem) => renderProblem(problem)),
    ...triggers.map((trigger) => `  ${listLine(trigger)}`),
    ...(first ? ['', 'Try:', `  ${first}`] : []),
    '',
    `Every request, decision and output: ${url}`,
    '',
  ].join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
