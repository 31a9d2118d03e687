import type { WorkflowSource } from '../engine/event.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { Workflow } from '../workflow/workflow.ts'

/** All workflows that can be read, and the mistakes of the others. */
export interface Survey {
  readonly found: readonly Workflow[]
  readonly problems: readonly Problem[]
}

/** Reads every workflow there is: one wrong file does not hide the others. */
export function survey(open: () => WorkflowSource): Survey {
  const opened = attempt(() => {
    const source = open()
    return { source, names: source.names() }
  })
  if ('problems' in opened) return { found: [], problems: opened.problems }
  const { source, names } = opened.value
  const results = names.map((name) => attempt(() => source.find(name)))
  return {
    found: results.flatMap((result) => ('value' in result ? (result.value ?? []) : [])),
    problems: results.flatMap((result) => ('problems' in result ? result.problems : [])),
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] }

function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof UserError) return { problems: error.problems }
    throw error
  }
}
