import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as core from '@actions/core'
import { evaluate } from '../engine/evaluate.ts'
import type { WorkflowSource } from '../engine/ports.ts'
import type { Evaluation, OutputFile } from '../engine/result.ts'
import { isObject } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { PlatformEvent } from '../wire/payload.ts'
import { type ActionContext, readActionContext } from './context.ts'
import { logLine } from './failure.ts'
import type { Inputs } from './inputs.ts'
import { maskedOutputs, sizeWarning, stepOutputs } from './outputs.ts'
import { leaveForPost } from './post.ts'
import { summaryHtml } from './summary.ts'
import { type Arrival, arrivalOf } from './summary-tables.ts'

/** The step itself: evaluates the event and writes the outputs. */
export async function main(): Promise<void> {
  const context = await readActionContext()
  const { inputs, event, workflows, ports } = context
  const evaluation = await evaluate(event, workflows, ports)
  const outputs = stepOutputs(evaluation)
  for (const file of evaluation.files) writeOutputFile(file)
  for (const [name, value] of outputs) core.setOutput(name, value)
  warnOfMaskedOutputs(outputs, inputs)
  const tooMuch = sizeWarning(outputs)
  if (tooMuch) core.warning(tooMuch)
  report(evaluation)
  await summarize(evaluation, context)
  leaveForPost(evaluation.effects)
}

function writeOutputFile({ path, text }: OutputFile): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** GitHub drops such outputs from a job without a word that a user would see. */
function warnOfMaskedOutputs(outputs: ReadonlyMap<string, string>, { secrets }: Inputs): void {
  for (const { secret, names } of maskedOutputs(outputs, secrets)) {
    core.warning(
      `secret ${secret} is part of the output ${names.join(', ')}: GitHub will not hand it on to other jobs`,
    )
  }
}

function report(evaluation: Evaluation): void {
  const { workflow, trigger, items, reason, errors, warnings, notices } = evaluation
  const fired = `${workflow}/${trigger} fired: ${items.length} ${items.length === 1 ? 'item' : 'items'}`
  logLine(reason === undefined ? fired : `no trigger fired: ${reason}`)
  for (const error of errors) core.error(error)
  for (const warning of warnings) core.warning(warning)
  for (const notice of notices) core.notice(notice)
}

async function summarize(
  evaluation: Evaluation,
  { inputs, event, workflows }: ActionContext,
): Promise<void> {
  const file = process.env.GITHUB_STEP_SUMMARY
  if (!file) return
  const { secrets, githubToken } = inputs
  const arrival = await arrivalOf(event)
  const circumstances = {
    arrival,
    isPublic: isPublic(event),
    secrets: { ...secrets, 'github-token': githubToken },
    workflow: concerned(evaluation, workflows, arrival),
  }
  appendFileSync(file, summaryHtml(evaluation, circumstances))
}

/** The workflow that was addressed, or else one that can be. */
function concerned(
  { miss }: Evaluation,
  { calling, names }: WorkflowSource,
  arrival: Arrival | undefined,
): string {
  if (miss !== 'workflow') return arrival ? parseWebhookPath(arrival.path).workflow : calling
  return names().includes(calling) ? calling : (names()[0] ?? calling)
}

/** Every event of GitHub describes its repository. */
function isPublic({ payload }: PlatformEvent): boolean {
  const repository = isObject(payload) ? payload.repository : undefined
  return isObject(repository) && repository.private === false
}
