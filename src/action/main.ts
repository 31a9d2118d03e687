import { appendFileSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import * as core from '@actions/core'
import * as v from 'valibot'
import type { EnginePorts, WorkflowSource } from '../engine/engine-ports.ts'
import { evaluate } from '../engine/evaluate-event.ts'
import {
  type Decision,
  type Evaluation,
  effectsSchema,
  type Miss,
  runEffects,
} from '../engine/evaluation.ts'
import { type Explanation, explain } from '../engine/explanation.ts'
import { webhookTrigger } from '../triggers/webhook.ts'
import { UserError } from '../wire/errors.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { textsAtLevel } from '../wire/messages.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { GitHubEvent } from '../wire/payload.ts'
import { counted, printable } from '../wire/printable.ts'
import { nothingFiredText } from '../wire/run-reasons.ts'
import { withoutTokens } from '../wire/tokens.ts'
import { sectionTriggers } from '../workflow/section.ts'
import { enginePorts, workingCopy } from './action-ports.ts'
import { callingWorkflow, requireName } from './calling-workflow.ts'
import { fail, rareProblem, writeRunnerFile } from './failure.ts'
import {
  DEFAULT_FILES,
  DEFAULT_GLOB,
  expressionContexts,
  type Inputs,
  onSource,
  readInputs,
} from './inputs.ts'
import { failedOutputs, maskedOutputs, sizeWarning, writtenOutputs } from './outputs.ts'
import { summaryHtml } from './summary.ts'
import { arrivalOf, cut, isShown, type Readers, SUMMARY } from './summary-tables.ts'

/**
 * State under which the step saves its effects for its `post` part; `post-program.ts` reads it,
 * too.
 */
const STATE = 'effects'

/** Runs the step: evaluates the event and writes the outputs. */
export async function main(): Promise<void> {
  const { context, evaluation, outputs } = await evaluated().catch(async (error: unknown) => {
    // With `continue-on-error` the job continues, and reads the outputs of the failed step.
    await setOutputs(await failedOutputs(core.getInput('on'), error)).catch(fail)
    throw error
  })
  await setOutputs(outputs)
  const { inputs } = context
  // GitHub drops such outputs from a job, and reports that only in a log.
  for (const { secret, names } of maskedOutputs(outputs, inputs.secrets)) {
    core.warning(
      `secret ${secret} is part of the output ${names.join(', ')}: GitHub does not pass it to other jobs`,
    )
  }
  const tooMuch = sizeWarning(outputs)
  if (tooMuch) core.warning(tooMuch)
  const { workflow, trigger, items, reason, miss, effects, decisions } = evaluation
  const readers = readersOf(context)
  const explanations = await explain(evaluation, {
    scripts: context.ports.scripts,
    shows: (path, value) => isShown(path, value, readers),
  })
  if (reason === undefined) {
    const fired = [`${workflow}/${trigger} fired: ${counted(items.length, 'item')}`]
    logLine([...fired, ...verifiedBy(decisions)].join(', '))
  } else if (isWebhookMiss(miss)) {
    // The relay, `connect` and `send --wait` read this annotation.
    const sentences = explanations.map(({ sentence }) => sentence)
    const why = sentences.length > 0 ? sentences.join('; ') : `${miss}: ${reason}`
    core.notice(printable(withoutTokens(cut(nothingFiredText(why), SUMMARY.why))))
  } else {
    logLine(nothingFiredText(reason))
  }
  const { messages } = evaluation
  for (const text of textsAtLevel(messages, 'error')) core.error(text)
  for (const text of textsAtLevel(messages, 'warning')) core.warning(text)
  for (const text of textsAtLevel(messages, 'notice')) core.notice(text)
  await summarize(evaluation, context, { ...readers, explanations })
  // Saved last, so that a step that fails earlier acknowledges nothing.
  if (effects.length > 0) {
    await writeRunnerFile('GITHUB_STATE', () => core.saveState(STATE, JSON.stringify(effects)))
  }
}

/** How the request was verified; empty if the trigger that fired verifies nothing. */
function verifiedBy(decisions: readonly Decision[]): string[] {
  return decisions
    .filter(({ fired }) => fired)
    .flatMap(({ checks }) => checks.filter(({ held }) => held))
    .flatMap(({ option, found }) => {
      if (option === 'verify') return `signature verified (${found})`
      return option === 'secretToken' ? 'secretToken verified' : []
    })
}

async function setOutputs(outputs: ReadonlyMap<string, string>): Promise<void> {
  await writeRunnerFile('GITHUB_OUTPUT', () => {
    for (const [name, value] of outputs) core.setOutput(name, value)
  })
}

async function evaluated() {
  const context = await readActionContext()
  const evaluation = await evaluate(context.event, context.workflows, context.ports)
  const outputs = writtenOutputs(evaluation)
  for (const file of evaluation.files) await writeExport(file)
  return { context, evaluation, outputs }
}

/** @throws UserError if the operating system refuses the file of `config.exportOutputs` */
async function writeExport({ path, text }: Evaluation['files'][number]): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } catch (cause) {
    const { systemProblem } = await import('../wire/system-error.ts')
    const problem = systemProblem(cause) ?? rareProblem(cause, path)
    if (!problem) throw cause
    const notes = ['"config.exportOutputs" writes it below the folder of "config.outputsDir"']
    throw new UserError({ ...problem, notes }, { cause })
  }
}

interface ActionContext {
  readonly inputs: Inputs
  readonly event: GitHubEvent
  readonly workflows: WorkflowSource
  readonly ports: EnginePorts
}

/** @throws UserError if an input or the event cannot be read */
async function readActionContext(): Promise<ActionContext> {
  const inputs = stepInputs()
  const event = readGitHubEvent()
  const workflows = await workflowSource(inputs, event)
  return { inputs, event, workflows, ports: await actionPorts(inputs) }
}

function stepInputs(): Inputs {
  return readInputs((name) => core.getInput(name, { trimWhitespace: false }))
}

/** The real ports for the engine. A store is loaded only if `state` names one. */
async function actionPorts(inputs: Inputs): Promise<EnginePorts> {
  const isStateless = inputs.state.kind === 'none'
  const stores = isStateless ? undefined : await import('./state-store.ts')
  const store = await stores?.chosenStore(inputs, workingCopy())
  const { relayUrl } = inputs
  return enginePorts(inputs.messagingApiUrl, { store, mask: core.setSecret, relayUrl })
}

const NO_FILES = [
  'the repository must be checked out first (actions/checkout)',
  'or give the triggers in the input "on": then no file is needed',
]

/** The workflows of a run: the inline `on:` section under the calling workflow's name, or files. */
async function workflowSource(inputs: Inputs, event: GitHubEvent): Promise<WorkflowSource> {
  const filesNamed = async (name: string) =>
    (await import('./workflow-files.ts')).nativeFilesNamed(workingCopy(), name)
  const calling = await callingWorkflow({ env: process.env, event, filesNamed })
  if (inputs.on.trim() === '') {
    const { workflowFileSource } = await import('./workflow-files.ts')
    // If the input names files, a schedule polls all of them; otherwise only the calling workflow's
    // file.
    const isChosen = inputs.workflow.join() !== DEFAULT_GLOB
    const minimatch = isChosen ? await import('minimatch') : undefined
    const matcher = (glob: string) => (minimatch ? new minimatch.Minimatch(glob) : DEFAULT_FILES)
    const options = { root: workingCopy(), globs: inputs.workflow, matcher, advice: NO_FILES }
    const contexts = expressionContexts(process.env, event.payload, inputs)
    const files = workflowFileSource({ ...options, calling: calling.name, contexts })
    return isChosen ? { ...files, polled: () => files.names() } : files
  }
  await requireName(calling, { event, hasStore: inputs.state.kind !== 'none' })
  const source = onSource(inputs.on, calling.file)
  const known = await knownIn(inputs, event)
  return {
    calling: calling.name,
    names: () => [calling.name],
    find: (name) =>
      name === calling.name ? { name, triggers: sectionTriggers(source, known) } : undefined,
  }
}

/**
 * The other triggers, `verify` and expressions take a tenth of a run to load, so a section loads only
 * those that it can contain. An escape could spell `verify` and `${{`.
 */
async function knownIn(inputs: Inputs, event: GitHubEvent) {
  const contexts = () => expressionContexts(process.env, event.payload, inputs)
  if (!ONLY_WEBHOOK.test(inputs.on)) {
    const { expressions, TRIGGERS: triggers } = await import('./workflow-files.ts')
    return { contexts: contexts(), expressions, triggers }
  }
  const signed = /verify|\\/.test(inputs.on) ? await import('../triggers/verify.ts') : undefined
  const triggers = new Map([['webhook', webhookTrigger(signed?.verifying)]])
  if (!/\$\{\{|\\/.test(inputs.on)) return { contexts: {}, expressions: undefined, triggers }
  const expressions = await import('../workflow/expressions.ts')
  return { contexts: contexts(), expressions, triggers }
}

/** A section whose only line without indentation begins with the key `webhook`, or is this word. */
const ONLY_WEBHOOK = /^webhook(?:\s*$|:(?: .*)?(?:\n(?: .*)?)*$)/

/** @throws UserError if the event file of the runner is missing, or is no JSON */
function readGitHubEvent(): GitHubEvent {
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
 * Writes one line of the log to the descriptor itself, because creating Node's own stream takes 9 %
 * of a run (`npm run bench -- action`). The stream is used only if the pipe is full.
 */
function logLine(text: string): void {
  const line = printable(text)
  try {
    writeSync(1, `${line}\n`)
  } catch {
    core.info(line)
  }
}

/** True for a webhook. Other events have no sender, and no command follows their runs. */
function isWebhookMiss(miss: Miss | undefined): boolean {
  return miss === 'payload' || miss === 'workflow' || miss === 'trigger' || miss === 'condition'
}

async function summarize(
  evaluation: Evaluation,
  { event, workflows: { calling, names } }: ActionContext,
  shown: Readers & { readonly explanations: readonly Explanation[] },
): Promise<void> {
  const file = process.env.GITHUB_STEP_SUMMARY
  if (!file) return
  const arrival = await arrivalOf(event)
  let workflow = arrival ? parseWebhookPath(arrival.path).workflow : calling
  if (evaluation.miss === 'workflow') {
    // The commands are about a workflow in this folder, so a calling workflow without a file here
    // is replaced.
    workflow = names().includes(calling) ? calling : (names()[0] ?? calling)
  }
  const html = summaryHtml(evaluation, { ...shown, arrival, workflow })
  try {
    await writeRunnerFile('GITHUB_STEP_SUMMARY', () => appendFileSync(file, html))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // The outputs are written, so the jobs can run without the summary.
    const [{ hint = '' } = {}] = error.problems
    core.warning(printable(`${error.message}\n${hint}`))
  }
}

function readersOf({ inputs, event }: ActionContext): Readers {
  // Every event of GitHub contains its repository.
  const repository = isObject(event.payload) ? event.payload.repository : undefined
  return {
    isPublic: isObject(repository) && repository.private === false,
    secrets: { ...inputs.secrets, 'github-token': inputs.githubToken },
  }
}

/** True in the process that ends the job, if the step saved effects. */
export function isPost(): boolean {
  return core.getState(STATE) !== ''
}

/**
 * Ends a job that succeeded. With a store this is one commit, for which neither inputs nor
 * workflows are read; without a store it acknowledges the polled items.
 */
export async function post(): Promise<void> {
  const effects = v.parse(effectsSchema, JSON.parse(core.getState(STATE)))
  const calls = effects.some(({ kind }) => kind === 'acknowledge')
  const context = calls ? await readActionContext() : undefined
  const ports = context?.ports ?? (await actionPorts(stepInputs()))
  await runEffects(effects, (name) => context?.workflows.find(name), ports)
}
