import { appendFileSync, readFileSync } from 'node:fs'
import * as core from '@actions/core'
import { callingWorkflow, expressionContexts } from '../action/contexts.ts'
import { type Inputs, onSource, readInputs } from '../action/inputs.ts'
import { logText } from '../action/log-text.ts'
import { maskedOutputs } from '../action/masked-outputs.ts'
import { stepOutputs } from '../action/outputs.ts'
import { summaryHtml } from '../action/summary.ts'
import { evaluate, type WorkflowSource } from '../engine/evaluate.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { UserError } from '../protocol/errors.ts'
import { type Json, parseJson } from '../protocol/json.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readOnSection } from '../workflow/workflow.ts'
import { fail } from './failure.ts'
import { workflowFileSource } from './workflow-files.ts'

const NO_FILES = [
  'the repository must be checked out first (actions/checkout)',
  'or give the triggers in the input "on": then no file is needed',
]

await main()

async function main(): Promise<void> {
  try {
    const inputs = readInputs((name) => core.getInput(name, { trimWhitespace: false }))
    const event = readEvent()
    const contexts = expressionContexts(process.env, event.payload, inputs)
    const evaluation = await evaluate(event, workflowSource(inputs, contexts))
    const outputs = stepOutputs(evaluation)
    for (const [name, value] of outputs) core.setOutput(name, value)
    warnOfMaskedOutputs(outputs, inputs)
    report(evaluation)
  } catch (error) {
    fail(error)
  }
}

/** @throws UserError when the file that the runner names is not there, or no JSON */
function readEvent(): { readonly name: string; readonly payload: Json } {
  const path = process.env.GITHUB_EVENT_PATH ?? ''
  const name = process.env.GITHUB_EVENT_NAME ?? ''
  try {
    return { name, payload: parseJson(readFileSync(path, 'utf8')) }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'the file cannot be read'
    throw new UserError({ message: `GITHUB_EVENT_PATH: ${why}` }, { cause })
  }
}

function workflowSource(inputs: Inputs, contexts: Contexts): WorkflowSource {
  const calling = callingWorkflow(process.env)
  if (inputs.on.trim() === '') {
    const root = process.env.GITHUB_WORKSPACE ?? process.cwd()
    return workflowFileSource({
      root,
      globs: inputs.workflow,
      calling: calling.name,
      contexts,
      advice: NO_FILES,
    })
  }
  const source = onSource(inputs.on, calling.file)
  return {
    calling: calling.name,
    names: () => [calling.name],
    find: (name) => (name === calling.name ? readOnSection(name, source, contexts) : undefined),
  }
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
  const { workflow, trigger, items, reason, warnings } = evaluation
  const fired = `${workflow}/${trigger} fired: ${items.length} ${items.length === 1 ? 'item' : 'items'}`
  core.info(logText(reason === undefined ? fired : `no trigger fired: ${reason}`))
  for (const warning of warnings) core.warning(warning)
  const summaryFile = process.env.GITHUB_STEP_SUMMARY
  if (summaryFile) appendFileSync(summaryFile, summaryHtml(evaluation))
}
