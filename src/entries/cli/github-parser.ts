import type { CompiledFile } from '../../compiler/compile.ts'

/** What GitHub's own parser says of a workflow file. */
export interface ParserMessage {
  readonly message: string
  /** Where, in characters of the text. */
  readonly start: number
  readonly end: number
}

/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
export async function githubMessages({ name, text }: CompiledFile): Promise<ParserMessage[]> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import(
    '@actions/workflow-parser'
  )
  const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  const lines = text.split('\n')
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1
  return context.errors.getErrors().map(({ rawMessage, range }) => ({
    message: rawMessage,
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
}
