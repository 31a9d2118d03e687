import { FunctionCall, Literal } from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import {
  isFault,
  parseExpression,
  partsOf,
  referencesIn,
  spanOf,
} from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { guarded } from './examples.ts'

export const unsoundContains: Rule = {
  id: 'unsound-contains',
  level: 'warning',
  isStrict: true,
  finds: 'a list in one text, searched for what the event brings',
  why: 'It is true for `a`, and for an empty text too.',
  fix: 'Make it a list.',
  red: "if: contains('alice bob', fromJSON(needs.on.outputs.body).user)",
  green: 'if: contains(fromJSON(\'["alice", "bob"]\'), fromJSON(needs.on.outputs.body).user)',
  around: guarded,
  check: listsInText,
}

function listsInText(file: RuleFile): Problem[] {
  return file.expressions.flatMap((expression) => {
    const { text, path } = expression
    // Only where it decides something.
    if (!/\bcontains\s*\(/i.test(text) || path.at(-1) !== 'if') return []
    const tree = parseExpression(text)
    if (isFault(tree)) return []
    return partsOf(tree).flatMap((part): Problem[] => {
      if (!(part instanceof FunctionCall)) return []
      const [list, value, ...more] = part.args
      const isContains = part.functionName.lexeme.toLowerCase() === 'contains'
      if (!isContains || !(list instanceof Literal) || !value || more.length > 0) return []
      const { start, end } = spanOf(list.token)
      if (!list.token.lexeme.startsWith("'")) return []
      const second = text.slice(end)
      if (!isOfEvent(second)) return []
      const words = list.token.lexeme
        .slice(1, -1)
        .split(/[\s,;|]+/)
        .filter((word) => word !== '')
      const hint = `write fromJSON('${JSON.stringify(words)}')`
      const message =
        'a part of this text is enough, and an empty one: contains() searches it letter by letter'
      return [file.problemAt(expression, { start, end }, { message, hint })]
    })
  })
}

/** What a sender words, or whoever opens a pull request names. */
function isOfEvent(text: string): boolean {
  const github = referencesIn(text, 'github').some(({ steps: [field] }) =>
    ['event', 'head_ref', 'ref_name', 'ref'].includes(field?.name?.toLowerCase() ?? ''),
  )
  const outputs = ['on', 'needs', 'steps'].flatMap((context) => referencesIn(text, context))
  return (
    github ||
    outputs.some(({ steps }) => steps.some(({ name }) => name?.toLowerCase() === 'outputs'))
  )
}
