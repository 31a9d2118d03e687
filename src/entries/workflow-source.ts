import { callingWorkflow } from '../action/contexts.ts'
import { type Inputs, onSource } from '../action/inputs.ts'
import type { WorkflowSource } from '../engine/events.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readOnSection } from '../workflow/workflow.ts'

/** The workflows of a run: the inline `on:` section under the calling workflow's name, or files. */
export async function workflowSource(inputs: Inputs, contexts: Contexts): Promise<WorkflowSource> {
  const calling = callingWorkflow(process.env)
  if (inputs.on.trim() === '') {
    // Globs cost a tenth of the start-up time, so they are loaded only where there are files.
    const { workflowFileSource } = await import('./workflow-files.ts')
    const root = process.env.GITHUB_WORKSPACE ?? process.cwd()
    return workflowFileSource({ root, globs: inputs.workflow, calling: calling.name, contexts })
  }
  const source = onSource(inputs.on, calling.file)
  return {
    calling: calling.name,
    names: () => [calling.name],
    find: (name) => (name === calling.name ? readOnSection(name, source, contexts) : undefined),
  }
}
