import type { Problem } from '../wire/errors.ts'
import { positionAt } from '../workflow/yaml.ts'
import { type FileExpression, fileExpressions } from './file-expressions.ts'
import { isFault, parseExpression } from './parse-expression.ts'
import { references } from './references.ts'
import type { SourceFile } from './source-file.ts'

/** Expressions of the `on:` section that can mean nothing: GitHub, or the action, reads it first. */
export function nativeProblems(file: SourceFile): Problem[] {
  const expressions = fileExpressions(file.source.text, file.on.value, ['on'])
  return expressions.flatMap((expression) => problemsOf(file, expression))
}

function problemsOf(file: SourceFile, expression: FileExpression): Problem[] {
  const parsed = parseExpression(expression.text)
  if (isFault(parsed)) return [problem(file, expression, parsed, `expression: ${parsed.message}`)]
  return [
    ...references(expression.text, 'on').map((found) =>
      problem(file, expression, found, 'the context "on" is not available in "on:" itself'),
    ),
    ...['secrets', 'vars'].flatMap((context) => unnamed(file, expression, context)),
  ]
}

/** Secrets are handed on by name, so a name that only the run knows cannot be among them. */
function unnamed(file: SourceFile, expression: FileExpression, context: string): Problem[] {
  return references(expression.text, context)
    .filter(({ steps }) => steps[0]?.name === undefined)
    .map((found) => ({
      ...problem(file, expression, found, `"${context}" is read here without a name`),
      hint: `write ${context}.NAME`,
      notes: [`only what the "on:" section names is given to the action`],
    }))
}

function problem(
  { source }: SourceFile,
  expression: FileExpression,
  found: { readonly start: number; readonly end: number },
  message: string,
): Problem {
  const { start, end } = expression.stretch(found.start, found.end)
  return { message, position: positionAt(source, start, end) }
}
