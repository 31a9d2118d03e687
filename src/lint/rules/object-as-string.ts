import type { Problem } from '../../wire/errors.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import type { Shape } from '../../workflow/shapes.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greet } from './example-workflows.ts'

export const objectAsString: Rule = {
  id: 'object-as-string',
  level: 'strict',
  page: {
    title: 'an object or a list where a string is expected',
    reason: 'GitHub converts an object to the word `Object`, and a list to the word `Array`.',
    remedy: 'Convert the object with `toJSON(…)`, or name the value in it that you need.',
    before: '- run: echo "${{ github.event }}"',
    after: '- env:\n    EVENT: ${{ toJSON(github.event) }}\n  run: echo "$EVENT"',
    workflow: greet,
  },
  check: objects,
}

const WRITTEN: ReadonlyMap<Shape['kind'], string> = new Map([
  ['object', '"Object"'],
  ['list', '"Array"'],
  ['null', 'nothing'],
])

function objects(file: RuleFile): Problem[] {
  return file.typed.flatMap(({ expression, shape }): Problem[] => {
    const isParsed = PARSED_OBJECT.test(expression.text) && file.usesHookline
    const written = isParsed ? '"Object"' : WRITTEN.get(shape.kind)
    if (written === undefined || !isStringPlace(expression)) return []
    const { text } = expression
    const whole = text.trim()
    const start = text.length - text.trimStart().length
    const message = `GitHub writes ${written} for "${whole}"`
    // The output itself already is JSON.
    const json = isParsed ? PARSED_OBJECT.exec(text)?.[1] : `toJSON(${whole})`
    const hint = shape.kind === 'null' ? 'remove it' : `write ${json}`
    const span = { start, end: start + whole.length }
    return [file.problemAt(expression, span, { message, hint })]
  })
}

/** `fromJSON` of an output that always holds an object. */
const PARSED_OBJECT =
  /^\s*fromJSON\(\s*((?:needs|steps)\.[\w-]+\.outputs\.(?:headers|query|params))\s*\)\s*$/i

/** Called workflows take objects as inputs, and a whole `env:` can be an object. */
function isStringPlace({ path }: FileExpression): boolean {
  const inner = path.at(-2)
  if (path[0] === 'env' || inner === 'env') return path[0] === 'env' || path[0] === 'jobs'
  if (path[0] !== 'jobs') return false
  return inner === 'with' ? path[2] === 'steps' : path.at(-1) === 'run'
}
