import { appendFileSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import * as core from '@actions/core'
import * as v from 'valibot'
import { effectsSchema, runEffects } from '../engine/effects.ts'
import { evaluate } from '../engine/evaluate.ts'
import { explain } from '../engine/explanation.ts'
import type { EnginePorts, WorkflowSource } from '../engine/ports.ts'
import type { Evaluation } from '../engine/result.ts'
import { UserError } from '../wire/errors.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { textsOf } from '../wire/messages.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { GitHubEvent } from '../wire/payload.ts'
import { counted, printable } from '../wire/printable.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readOnSection } from '../workflow/workflow.ts'
import { callingWorkflow, requireName } from './calling-workflow.ts'
import { DEFAULT_GLOB, expressionContexts, type Inputs, onSource, readInputs } from './inputs.ts'
import { failedOutputs, maskedOutputs, sizeWarning, stepOutputs } from './outputs.ts'
import { enginePorts, workingCopy } from './ports.ts'
import { summaryHtml } from './summary.ts'
import { arrivalOf } from './summary-tables.ts'

/** Name under which the step's effects wait for its `post` part; `post-program.ts` looks for it too. */
const STATE = 'effects'

/** The step itself: evaluates the event and writes the outputs. */
export async function main(): Promise<void> {
  const { context, evaluation, outputs } = await evaluated().catch((error: unknown) => {
    // With `continue-on-error` the job goes on and reads the outputs of the failed step.
    setOutputs(failedOutputs(core.getInput('on')))
    throw error
  })
  setOutputs(outputs)
  const { inputs } = context
  // GitHub drops such outputs from a job without a word that a user would see.
  for (const { secret, names } of maskedOutputs(outputs, inputs.secrets)) {
    core.warning(
      `secret ${secret} is part of the output ${names.join(', ')}: GitHub will not hand it on to other jobs`,
    )
  }
  const tooMuch = sizeWarning(outputs)
  if (tooMuch) core.warning(tooMuch)
  const { workflow, trigger, items, reason, effects } = evaluation
  const fired = `${workflow}/${trigger} fired: ${counted(items.length, 'item')}`
  logLine(reason === undefined ? fired : `no trigger fired: ${reason}`)
  const { messages } = evaluation
  for (const text of textsOf(messages, 'error')) core.error(text)
  for (const text of textsOf(messages, 'warning')) core.warning(text)
  for (const text of textsOf(messages, 'notice')) core.notice(text)
  await summarize(evaluation, context)
  // Last of all: a step that ends before leaves nothing to be acknowledged.
  if (effects.length > 0) core.saveState(STATE, JSON.stringify(effects))
}

function setOutputs(outputs: ReadonlyMap<string, string>): void {
  for (const [name, value] of outputs) core.setOutput(name, value)
}

/** What the event came to, with all that the outputs name in its place. */
async function evaluated() {
  const context = await readActionContext()
  const evaluation = await evaluate(context.event, context.workflows, context.ports)
  const outputs = stepOutputs(evaluation)
  for (const { path, text } of evaluation.files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return { context, evaluation, outputs }
}

/** Everything around a run of the action. */
interface ActionContext {
  readonly inputs: Inputs
  readonly event: GitHubEvent
  readonly workflows: WorkflowSource
  readonly ports: EnginePorts
}

/** @throws UserError when an input or the event cannot be read */
async function readActionContext(): Promise<ActionContext> {
  const inputs = stepInputs()
  const event = readEvent()
  const contexts = expressionContexts(process.env, event.payload, inputs)
  const workflows = await workflowSource(inputs, event, contexts)
  return { inputs, event, workflows, ports: await actionPorts(inputs) }
}

/** The inputs of the step. @throws UserError when one cannot be read */
function stepInputs(): Inputs {
  return readInputs((name) => core.getInput(name, { trimWhitespace: false }))
}

/** The real world for the engine. A store is loaded only when one is asked for. */
async function actionPorts(inputs: Inputs): Promise<EnginePorts> {
  const isStateless = inputs.state.kind === 'none'
  const stores = isStateless ? undefined : await import('./store.ts')
  const store = await stores?.chosenStore(inputs, workingCopy())
  return enginePorts(inputs.messagingApiUrl, { store, mask: core.setSecret })
}

const NO_FILES = [
  'the repository must be checked out first (actions/checkout)',
  'or give the triggers in the input "on": then no file is needed',
]

/** The workflows of a run: the inline `on:` section under the calling workflow's name, or files. */
async function workflowSource(
  inputs: Inputs,
  event: GitHubEvent,
  contexts: Contexts,
): Promise<WorkflowSource> {
  const filesNamed = async (name: string) =>
    (await import('./workflow-files.ts')).nativeFilesNamed(workingCopy(), name)
  const calling = await callingWorkflow({ env: process.env, event, filesNamed })
  if (inputs.on.trim() === '') {
    // Globs are of no use to an inline section.
    const { workflowFileSource } = await import('./workflow-files.ts')
    const options = { root: workingCopy(), globs: inputs.workflow, contexts, advice: NO_FILES }
    const files = workflowFileSource({ ...options, calling: calling.name })
    // Where the input names files, a schedule polls all of them; else the one named like the caller.
    const isChosen = inputs.workflow.join() !== DEFAULT_GLOB
    return isChosen ? { ...files, polled: () => files.names() } : files
  }
  await requireName(calling, { event, hasStore: inputs.state.kind !== 'none' })
  const source = onSource(inputs.on, calling.file)
  return {
    calling: calling.name,
    names: () => [calling.name],
    find: (name) => (name === calling.name ? readOnSection(name, source, contexts) : undefined),
  }
}

/** @throws UserError when the file that the runner names is not there, or no JSON */
function readEvent(): GitHubEvent {
  const path = process.env.GITHUB_EVENT_PATH ?? ''
  const name = process.env.GITHUB_EVENT_NAME ?? ''
  try {
    return { name, payload: parseJson(readFileSync(path, 'utf8')) }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'the file cannot be read'
    throw new UserError({ message: `GITHUB_EVENT_PATH: ${why}` }, { cause })
  }
}

/**
 * One line of the log, written to the descriptor itself: to make Node's own stream of it takes a
 * twentieth of the time of a run. That is left to the pipe that cannot take the line at once.
 */
function logLine(text: string): void {
  const line = printable(text)
  try {
    writeSync(1, `${line}\n`)
  } catch {
    core.info(line)
  }
}

async function summarize(
  evaluation: Evaluation,
  { inputs, event, ports, workflows: { calling, names } }: ActionContext,
): Promise<void> {
  const file = process.env.GITHUB_STEP_SUMMARY
  if (!file) return
  const arrival = await arrivalOf(event)
  let workflow = arrival ? parseWebhookPath(arrival.path).workflow : calling
  if (evaluation.miss === 'workflow') {
    // It is not here: suggested commands are about one that is.
    workflow = names().includes(calling) ? calling : (names()[0] ?? calling)
  }
  // Every event of GitHub describes its repository.
  const repository = isObject(event.payload) ? event.payload.repository : undefined
  const circumstances = {
    arrival,
    isPublic: isObject(repository) && repository.private === false,
    secrets: { ...inputs.secrets, 'github-token': inputs.githubToken },
    workflow,
    explanations: await explain(evaluation, { scripts: ports.scripts, showValues: false }),
  }
  appendFileSync(file, summaryHtml(evaluation, circumstances))
}

/** True in the process that ends the job, when the step left something to be done. */
export function isPost(): boolean {
  return core.getState(STATE) !== ''
}

/**
 * Ends a job that succeeded: with a store one commit, for which nothing else is read or called;
 * without one the acknowledgement of what was polled.
 */
export async function post(): Promise<void> {
  const effects = v.parse(effectsSchema, JSON.parse(core.getState(STATE)))
  const calls = effects.some(({ kind }) => kind === 'acknowledge')
  const context = calls ? await readActionContext() : undefined
  const ports = context?.ports ?? (await actionPorts(stepInputs()))
  await runEffects(effects, (name) => context?.workflows.find(name), ports)
}
