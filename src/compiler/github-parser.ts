import type { MadeFile } from './made-files.ts'

/** What GitHub's own parser says of a workflow file. */
export interface ParserMessage {
  readonly message: string
  /** Where, in characters of the text. */
  readonly start: number
  readonly end: number
}

/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
export async function githubMessages({ name, text }: MadeFile): Promise<ParserMessage[]> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import(
    '@actions/workflow-parser'
  )
  const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  const errors = context.errors.getErrors()
  if (errors.length === 0) return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    (starts[line - 1] ?? text.length) + column - 1
  return errors.map(({ rawMessage, range }) => ({
    message: rawMessage,
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
}
