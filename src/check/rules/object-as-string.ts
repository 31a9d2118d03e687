import { isStructure, wordOf } from '../../model/types/typed.ts'
import type { Problem } from '../../wire/errors.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const objectAsString: Rule = {
  id: 'object-as-string',
  level: 'strict',
  page: {
    title: 'an object or a list of the event where a string is expected',
    reason:
      'GitHub converts an object to the word `Object`, and a list to the word `Array`. `fromJSON` of an object fails.',
    remedy: 'Convert the object with `toJSON(…)`, or name the value in it that you need.',
    before: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs }}",
    after: "NAME: ${{ toJSON(fromJSON(needs.on.outputs.on || '{}').webhook.outputs) }}",
    workflow: inEnv,
  },
  check: objects,
}

function objects(file: RuleFile): Problem[] {
  return file.typed.flatMap(({ expression, shape }): Problem[] => {
    if (!isStructure(shape) || !shape.isHookline || !isStringPlace(expression)) return []
    const whole = expression.text.trim()
    const message = `GitHub writes "${wordOf(shape)}" for "${whole}"`
    return [file.problemAt(expression, undefined, { message, hint: `write toJSON(${whole})` })]
  })
}

/** Called workflows take objects as inputs, and a whole `env:` can be an object. */
function isStringPlace({ path }: FileExpression): boolean {
  const inner = path.at(-2)
  if (inner === 'env') return path[0] === 'env' || path[0] === 'jobs'
  if (path[0] !== 'jobs') return false
  if (inner === 'with') return path[2] === 'steps'
  return inner === 'outputs' || path.at(-1) === 'run' || path.at(-1) === 'name'
}
