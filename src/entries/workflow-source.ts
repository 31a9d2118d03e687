import { callingWorkflow } from '../action/contexts.ts'
import { type Inputs, onSource } from '../action/inputs.ts'
import type { WorkflowSource } from '../engine/events.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readOnSection } from '../workflow/workflow.ts'
import { workingCopy } from './ports.ts'
import { workflowFileSource } from './workflow-files.ts'

const NO_FILES = [
  'the repository must be checked out first (actions/checkout)',
  'or give the triggers in the input "on": then no file is needed',
]

/** The workflows of a run: the inline `on:` section under the calling workflow's name, or files. */
export function workflowSource(inputs: Inputs, contexts: Contexts): WorkflowSource {
  const calling = callingWorkflow(process.env)
  if (inputs.on.trim() === '') {
    const root = workingCopy()
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
