import { Command } from 'commander'
import { expressionContexts } from '../../action/contexts.ts'
import { DEFAULT_GLOB } from '../../action/inputs.ts'
import { account } from '../../dev/account.ts'
import { curlLine, foundTriggers, listLine } from '../../dev/found-triggers.ts'
import { eventJson } from '../../dev/local-platform.ts'
import type { WorkflowSource } from '../../engine/events.ts'
import { type Problem, UserError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import type { Workflow } from '../../workflow/workflow.ts'
import { readEnvFile } from '../env-file.ts'
import { explainBug } from '../exit.ts'
import { parsePort } from '../port.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { workflowFileSource } from '../workflow-files.ts'

interface DevOptions {
  readonly host?: string
  readonly port: string
  readonly workflow: string[]
  readonly envFile?: string
  readonly json?: boolean
}

export function devCommand(): Command {
  return new Command('dev')
    .description('evaluate webhooks on this machine, as the action would on GitHub')
    .option('--port <port>', 'port to listen on, 0 for a free one', process.env.PORT || '3000')
    .option('--host <host>', 'listen for other machines too; needs HOOKLINE_KEYS')
    .option('--workflow <glob...>', 'workflow files to read', [DEFAULT_GLOB])
    .option('--env-file <file>', 'secrets and variables, by default .env')
    .option('--json', 'print a JSON line per event')
    .addHelpText('after', '\nExample:\n  $ hookline dev --port 4000')
    .action(run)
}

async function run({ host, port, workflow: globs, envFile, json }: DevOptions): Promise<void> {
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
}

/** Files and values as they are now; secrets and variables come from the same file. */
function devWorkflows(globs: readonly string[], values: JsonObject, event: Json): WorkflowSource {
  const contexts = expressionContexts(process.env, event, { secrets: values, vars: values })
  const advice = ['add a file such as workflows/hook.yml with the line: on: webhook']
  return workflowFileSource({ root: process.cwd(), globs, calling: '', contexts, advice })
}

/** The triggers that were found, with a line to paste, and the mistakes of the other files. */
function welcome(url: string, workflows: (event: Json) => WorkflowSource): string {
  const { found, problems } = readAll(workflows)
  const triggers = foundTriggers(url, found)
  const lines = triggers.flatMap(({ url, example }) => (example ? [curlLine(url, example)] : []))
  const [first] = lines
  return [
    ...problems.map((problem) => renderProblem(problem)),
    ...triggers.map((trigger) => `  ${listLine(trigger)}`),
    ...(first ? ['', 'Try:', `  ${first}`, ''] : []),
  ].join('\n')
}

interface ReadWorkflows {
  readonly found: readonly Workflow[]
  readonly problems: readonly Problem[]
}

function readAll(workflows: (event: Json) => WorkflowSource): ReadWorkflows {
  const source = workflows({})
  const names = attempt(() => source.names())
  if ('problems' in names) return { found: [], problems: names.problems }
  const results = names.value.map((name) => attempt(() => source.find(name)))
  return {
    found: results.flatMap((result) => ('value' in result ? (result.value ?? []) : [])),
    problems: results.flatMap((result) => ('problems' in result ? result.problems : [])),
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] }

/** One wrong file must not hide the others. */
function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof UserError) return { problems: error.problems }
    throw error
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
