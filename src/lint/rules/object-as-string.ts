import type { Problem } from '../../wire/errors.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import type { Shape } from '../../workflow/shapes.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greet } from './examples.ts'

export const objectAsText: Rule = {
  id: 'object-as-string',
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

const WRITTEN: ReadonlyMap<Shape['kind'], string> = new Map([
  ['object', '"Object"'],
  ['list', '"Array"'],
  ['null', 'nothing'],
])

function objects(file: RuleFile): Problem[] {
  return file.typed.flatMap(({ expression, shape }): Problem[] => {
    const isRead = READ_OBJECT.test(expression.text) && (file.native || file.isSource)
    const written = isRead ? '"Object"' : WRITTEN.get(shape.kind)
    if (written === undefined || !isText(expression)) return []
    const { text } = expression
    const whole = text.trim()
    const start = text.length - text.trimStart().length
    const message = `GitHub writes ${written} for "${whole}"`
    // An output is JSON before it is read.
    const json = isRead ? READ_OBJECT.exec(text)?.[1] : `toJSON(${whole})`
    const hint = shape.kind === 'null' ? 'leave it out' : `write ${json}`
    const span = { start, end: start + whole.length }
    return [file.problemAt(expression, span, { message, hint })]
  })
}

/** An output that is an object, read from its JSON. */
const READ_OBJECT =
  /^\s*fromJSON\(\s*((?:needs|steps)\.[\w-]+\.outputs\.(?:headers|query|params))\s*\)\s*$/i

/** Where only a text can stand: a called workflow may take an object, and a whole `env:` may be one. */
function isText({ path }: FileExpression): boolean {
  const inner = path.at(-2)
  if (path[0] === 'env' || inner === 'env') return path[0] === 'env' || path[0] === 'jobs'
  if (path[0] !== 'jobs') return false
  return inner === 'with' ? path[2] === 'steps' : path.at(-1) === 'run'
}
