import type { Problem } from '../wire/errors.ts'
import { positionAt } from '../workflow/yaml.ts'
import { checkReference } from './check-reference.ts'
import type { Edit } from './edits.ts'
import { type FileExpression, fileExpressions } from './file-expressions.ts'
import { isFault, parseExpression } from './parse-expression.ts'
import { EXPRESSION_PLACES, isWithin } from './places.ts'
import { references } from './references.ts'
import type { Stretch } from './scalar-text.ts'
import type { SourceFile } from './source-file.ts'

/** What the context `on` is called in the jobs file. */
export const ON_IN_JOBS = 'fromJSON(inputs.on)'

/** The edits that make the file's expressions native, and what stands against it. */
export interface Rewriting {
  readonly edits: readonly Edit[]
  readonly problems: readonly Problem[]
}

/** Rewrites every `on` that is a context, outside of the `on:` section itself. */
export function rewriteExpressions(file: SourceFile): Rewriting {
  const results = [...file.sections]
    .filter(([key]) => key !== 'on')
    .flatMap(([key, { value }]) => fileExpressions(file.source.text, value, [key]))
    .map((expression) => rewriteExpression(file, expression))
  return {
    edits: results.flatMap(({ edits }) => edits),
    problems: results.flatMap(({ problems }) => problems),
  }
}

function rewriteExpression(file: SourceFile, expression: FileExpression): Rewriting {
  const problemAt = ({ start, end }: Stretch, problem: Problem): Problem => {
    const place = expression.stretch(start, end)
    return { ...problem, position: positionAt(file.source, place.start, place.end) }
  }
  if (expression.text.trim() === '') return { edits: [], problems: [] }
  const parsed = parseExpression(expression.text)
  if (isFault(parsed)) {
    return {
      edits: [],
      problems: [problemAt(parsed, { message: `expression: ${parsed.message}` })],
    }
  }
  const found = references(expression.text, 'on')
  if (found.length > 0 && !isWithin(expression.path, EXPRESSION_PLACES)) {
    return { edits: [], problems: found.map((one) => problemAt(one, notHere(expression))) }
  }
  const problems = found.flatMap((reference) => {
    const fault = checkReference(file, reference)
    return fault ? [problemAt(fault.at, fault.problem)] : []
  })
  const edits = found.map(({ start, end }) => ({
    ...expression.stretch(start, end),
    text: ON_IN_JOBS,
  }))
  return { edits, problems }
}

/** Texts that GitHub reads before there is any event context that jobs could hand on. */
function notHere({ path }: FileExpression): Problem {
  const place = path.filter((key) => typeof key === 'string').join('.')
  const advice =
    path[0] === 'run-name'
      ? 'a run is named before the action has read the event; github.event.client_payload is there'
      : 'GitHub reads this text before the run, so it can hold no expression'
  return { message: `the context "on" is not available in "${place}"`, notes: [advice] }
}
