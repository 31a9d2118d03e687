import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser'

/** What GitHub's own parser has against a workflow, which may call another one. */
export async function parserErrors(
  name: string,
  content: string,
  called?: { readonly name: string; readonly content: string },
): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  const provider = called && { getFileContent: async () => called }
  if (value) {
    await convertWorkflowTemplate(context, value, provider, {
      fetchReusableWorkflowDepth: called ? 1 : 0,
    })
  }
  return context.errors.getErrors().map((error) => error.message)
}
