import type { Problem } from '../../wire/errors.ts'
import { type FileExpression, referencesIn } from '../../workflow/file-expressions.ts'
import type { Span } from '../../workflow/spans.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greet } from './examples.ts'

export const objectAsText: Rule = {
  id: 'object-as-text',
  level: 'warning',
  isStrict: true,
  finds: 'an object where a text is wanted',
  why: 'GitHub writes the word `Object` for it, and `Array` for a list.',
  fix: '`toJSON(…)` gives its JSON; or name the one value that you want.',
  red: '- run: echo "${{ github.event }}"',
  green: '- env:\n    EVENT: ${{ toJSON(github.event) }}\n  run: echo "$EVENT"',
  around: greet,
  check: objects,
}

/** How many names lead to an object, from each context: `github` itself, and `github.event`. */
const OBJECTS: ReadonlyMap<string, (names: readonly string[]) => boolean> = new Map([
  ['github', (names: readonly string[]) => names.length === 0 || names.join('.') === 'event'],
  [
    'on',
    ([, field, output, ...more]: readonly string[]) => {
      if (more.length > 0 || (field !== undefined && field !== 'outputs')) return false
      return output === undefined || ['headers', 'query', 'params'].includes(output)
    },
  ],
  ...['needs', 'steps'].map(
    (context) =>
      [
        context,
        ([, field, ...more]: readonly string[]) =>
          more.length === 0 && (field === undefined || field === 'outputs'),
      ] as const,
  ),
  ...['env', 'matrix', 'inputs', 'vars', 'secrets', 'runner', 'job', 'strategy'].map(
    (context) => [context, (names: readonly string[]) => names.length === 0] as const,
  ),
])

function objects(file: RuleFile): Problem[] {
  return file.expressions.flatMap((expression) => {
    const { path, text } = expression
    const key = path[path.length - (path.at(-2) === 'env' || path.at(-2) === 'with' ? 2 : 1)]
    const isText = path[0] === 'jobs' && (key === 'run' || key === 'env' || key === 'with')
    // A called workflow may take what is no text, and a whole env may be an object.
    if (!isText || (key !== 'run' && path.at(-1) === key) || path[2] === 'with') return []
    if (READ_OBJECT.test(text) && (file.native || file.isSource)) {
      return [objectProblem(file, expression, spanOfTrimmed(text))]
    }
    return [...OBJECTS].flatMap(([context, isObject]) =>
      referencesIn(text, context).flatMap((reference): Problem[] => {
        const { steps } = reference
        const names = steps.flatMap(({ name }) => name?.toLowerCase() ?? [])
        const end = steps.at(-1)?.end ?? reference.end
        const isAlone = text.trim() === text.slice(reference.start, end)
        if (!isAlone || names.length < steps.length || !isObject(names)) return []
        return [objectProblem(file, expression, { start: reference.start, end })]
      }),
    )
  })
}

/** An output that is an object, read from its JSON. */
const READ_OBJECT =
  /^\s*fromJSON\(\s*(?:needs|steps)\.[\w-]+\.outputs\.(?:headers|query|params)\s*\)\s*$/i

function spanOfTrimmed(text: string): Span {
  const start = text.length - text.trimStart().length
  return { start, end: start + text.trim().length }
}

function objectProblem(file: RuleFile, expression: FileExpression, span: Span): Problem {
  const whole = expression.text.trim()
  const message = `GitHub writes "Object" for "${whole}"`
  return file.problemAt(expression, span, { message, hint: `write toJSON(${whole})` })
}
