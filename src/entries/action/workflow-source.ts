import { callingWorkflow } from '../../action/contexts.ts'
import { DEFAULT_GLOB, type Inputs, onSource } from '../../action/inputs.ts'
import type { WorkflowSource } from '../../engine/event.ts'
import type { Contexts } from '../../workflow/expressions.ts'
import { readOnSection } from '../../workflow/workflow.ts'
import { workingCopy } from '../ports.ts'

const NO_FILES = [
  'the repository must be checked out first (actions/checkout)',
  'or give the triggers in the input "on": then no file is needed',
]

/** The workflows of a run: the inline `on:` section under the calling workflow's name, or files. */
export async function workflowSource(inputs: Inputs, contexts: Contexts): Promise<WorkflowSource> {
  const calling = callingWorkflow(process.env)
  if (inputs.on.trim() === '') return filesOf(inputs, calling.name, contexts)
  const source = onSource(inputs.on, calling.file)
  return {
    calling: calling.name,
    names: () => [calling.name],
    find: (name) => (name === calling.name ? readOnSection(name, source, contexts) : undefined),
  }
}

/** Where `workflow` names files, a schedule polls all of them; else the one named like the caller. */
async function filesOf(
  inputs: Inputs,
  calling: string,
  contexts: Contexts,
): Promise<WorkflowSource> {
  // Globs are of no use to an inline section. In the bundle: a file of its own costs more than it saves.
  const { workflowFileSource } = await import(/* webpackMode: "eager" */ '../workflow-files.ts')
  const globs = inputs.workflow
  const root = workingCopy()
  const files = workflowFileSource({ root, globs, calling, contexts, advice: NO_FILES })
  const isChosen = globs.join() !== DEFAULT_GLOB
  return isChosen ? { ...files, polled: () => files.names() } : files
}
