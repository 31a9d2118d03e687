import { appendFileSync, mkdirSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import * as core from '@actions/core'
import * as v from 'valibot'
import { effectsSchema, runEffects } from '../engine/effects.ts'
import { evaluate } from '../engine/evaluate.ts'
import type { Evaluation } from '../engine/result.ts'
import { isObject } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { counted, printable } from '../wire/printable.ts'
import { type ActionContext, actionPorts, readActionContext, stepInputs } from './context.ts'
import { maskedOutputs, sizeWarning, stepOutputs } from './outputs.ts'
import { summaryHtml } from './summary.ts'
import { arrivalOf } from './summary-tables.ts'

/** Name under which the step's effects wait for its `post` part; `post-program.ts` looks for it too. */
const STATE = 'effects'

/** The step itself: evaluates the event and writes the outputs. */
export async function main(): Promise<void> {
  const context = await readActionContext()
  const { inputs, event, workflows, ports } = context
  const evaluation = await evaluate(event, workflows, ports)
  const outputs = stepOutputs(evaluation)
  for (const { path, text } of evaluation.files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const [name, value] of outputs) core.setOutput(name, value)
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
  for (const error of evaluation.errors) core.error(error)
  for (const warning of evaluation.warnings) core.warning(warning)
  for (const notice of evaluation.notices) core.notice(notice)
  await summarize(evaluation, context)
  // Last of all: a step that ends before leaves nothing to be acknowledged.
  if (effects.length > 0) core.saveState(STATE, JSON.stringify(effects))
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
  { inputs, event, workflows: { calling, names } }: ActionContext,
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
