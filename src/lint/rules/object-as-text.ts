import type { Problem } from '../../wire/errors.ts'
import { referencesIn } from '../../workflow/file-expressions.ts'
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
    return [...OBJECTS].flatMap(([context, isObject]) =>
      referencesIn(text, context).flatMap((reference): Problem[] => {
        const { steps } = reference
        const names = steps.flatMap(({ name }) => name?.toLowerCase() ?? [])
        const end = steps.at(-1)?.end ?? reference.end
        const isAlone = text.trim() === text.slice(reference.start, end)
        if (!isAlone || names.length < steps.length || !isObject(names)) return []
        const message = `GitHub writes "Object" for "${text.trim()}"`
        const hint = `write toJSON(${text.trim()})`
        return [file.problemAt(expression, { start: reference.start, end }, { message, hint })]
      }),
    )
  })
}
