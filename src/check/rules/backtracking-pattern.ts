import { needsBacktracking } from '../../triggers/mongo-operators.ts'
import type { Problem } from '../../wire/errors.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { withTrigger } from './example-workflows.ts'
import { mappingTexts } from './header-name.ts'

export const backtrackingPattern: Rule = {
  id: 'backtracking-pattern',
  level: 'warning',
  page: {
    title: 'a pattern that one message can make slow',
    reason:
      'Hookline evaluates `$regex` with RE2, whose time grows linearly with the text. RE2 has no lookaround and no backreferences. A pattern with these runs in an engine that tries all combinations, so a sender can make it exceed the limit of half a second; then the item fails.',
    remedy:
      'Write the pattern without lookaround and backreferences, for example as two conditions of `$and`.',
    before: "webhook: {config: {filter: {body.ref: {$regex: '^(?!wip/)'}}}}",
    after: "webhook: {config: {filter: {body.ref: {$not: {$regex: '^wip/'}}}}}",
    workflow: withTrigger,
  },
  check: backtrackingPatterns,
}

function backtrackingPatterns({ triggers }: RuleFile): Problem[] {
  return triggers.flatMap(({ nodes, positionOf }) =>
    mappingTexts(nodes.value, []).flatMap(({ text, path }) => {
      const isPattern = path.at(-1) === '$regex' && text !== '$regex'
      if (!isPattern || !needsBacktracking(text)) return []
      return [
        {
          message: `the pattern "${text.replaceAll('\n', '\\n')}" needs an engine that can become slow`,
          hint: 'write it without lookaround and backreferences; it is stopped after half a second',
          position: positionOf(path),
        },
      ]
    }),
  )
}
