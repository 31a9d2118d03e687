import type { Problem } from '../../wire/errors.ts'
import { childOf, entriesOf, textAt } from '../../workflow/nodes.ts'
import { stepsOf } from '../../workflow/steps.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { plain } from './examples.ts'

export const usesWithoutRef: Rule = {
  id: 'uses-without-ref',
  level: 'error',
  isStrict: false,
  finds: '`uses:` without a version',
  why: 'GitHub refuses it.',
  fix: 'Put a tag, or a full commit, behind an `@`.',
  red: '- uses: actions/checkout',
  green: '- uses: actions/checkout@v5',
  around: plain,
  check: versionless,
}

function versionless({ top, file }: RuleFile): Problem[] {
  const jobs = entriesOf(childOf(top, 'jobs')).map(({ value }) => value)
  const users = [...jobs, ...jobs.flatMap(stepsOf)]
  return users.flatMap((user) => {
    const uses = textAt(childOf(user, 'uses'))
    if (!uses || !/^[\w.-]+\/[\w./-]+@?$/.test(uses.node.value)) return []
    if (/^[.$]\//.test(uses.node.value)) return []
    const message = `"uses: ${uses.node.value}" names no version`
    const position = positionAt(file.source, ...rangeOf(uses.alias ?? uses.node))
    return [{ message, position, hint: 'put a tag or a full commit behind an @' }]
  })
}
