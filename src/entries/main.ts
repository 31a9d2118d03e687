import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as core from '@actions/core'
import type { Inputs } from '../action/inputs.ts'
import { logText } from '../action/log-text.ts'
import { maskedOutputs } from '../action/masked-outputs.ts'
import { stepOutputs } from '../action/outputs.ts'
import { summaryHtml } from '../action/summary.ts'
import { evaluate } from '../engine/evaluate.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import type { OutputFile } from '../engine/hand-on.ts'
import { beginMain, leaveForPost } from './post.ts'
import { readSurroundings } from './surroundings.ts'

/** The step itself: evaluates the event and writes the outputs. */
export async function main(): Promise<void> {
  beginMain()
  const { inputs, event, workflows, ports } = await readSurroundings()
  const evaluation = await evaluate(event, workflows, ports)
  const outputs = stepOutputs(evaluation)
  for (const file of evaluation.files) writeOutputFile(file)
  for (const [name, value] of outputs) core.setOutput(name, value)
  warnOfMaskedOutputs(outputs, inputs)
  report(evaluation)
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
  const { workflow, trigger, items, reason, warnings, notices } = evaluation
  const fired = `${workflow}/${trigger} fired: ${items.length} ${items.length === 1 ? 'item' : 'items'}`
  core.info(logText(reason === undefined ? fired : `no trigger fired: ${reason}`))
  for (const warning of warnings) core.warning(warning)
  for (const notice of notices) core.notice(notice)
  const summaryFile = process.env.GITHUB_STEP_SUMMARY
  if (summaryFile) appendFileSync(summaryFile, summaryHtml(evaluation))
}
