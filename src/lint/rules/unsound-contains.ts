import {
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
} from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import { partsOf, spanOf } from '../../workflow/file-expressions.ts'
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
    const { tree } = expression
    if (!tree) return []
    return partsOf(tree).flatMap((part): Problem[] => {
      if (!(part instanceof FunctionCall)) return []
      const [list, value, ...more] = part.args
      const isContains = part.functionName.lexeme.toLowerCase() === 'contains'
      if (!isContains || !(list instanceof Literal) || !value || more.length > 0) return []
      const { start, end } = spanOf(list.token)
      if (!list.token.lexeme.startsWith("'")) return []
      if (!isOfEvent(value)) return []
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

const EVENT_FIELDS = ['event', 'head_ref', 'ref_name', 'ref']

/** Words of GitHub's own, none of which is a part of another. */
const OF_GITHUB = new Set(['action', 'author_association', 'conclusion', 'state', 'status'])

/** What a sender words, or whoever opens a pull request names. */
function isOfEvent(part: Expr): boolean {
  if (part instanceof FunctionCall || part instanceof Logical) return part.args.some(isOfEvent)
  if (part instanceof Grouping) return isOfEvent(part.group)
  const names: string[] = []
  let root = part
  for (; root instanceof IndexAccess; root = root.expr) {
    const { index } = root
    names.unshift(index instanceof Literal ? index.literal.coerceString().toLowerCase() : '')
  }
  if (!(root instanceof ContextAccess)) return root !== part && isOfEvent(root)
  const context = root.name.lexeme.toLowerCase()
  if (context === 'github') {
    return EVENT_FIELDS.includes(names[0] ?? '') && !OF_GITHUB.has(names.at(-1) ?? '')
  }
  return ['on', 'needs', 'steps'].includes(context) && names.includes('outputs')
}
