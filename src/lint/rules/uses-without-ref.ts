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
  finds: '`uses:` without a version, an owner, or a workflow',
  why: 'GitHub refuses it.',
  fix: 'Put a tag, or a full commit, behind an `@`.',
  red: '- uses: actions/checkout',
  green: '- uses: actions/checkout@v5',
  around: plain,
  check: versionless,
}

function versionless({ top, file }: RuleFile): Problem[] {
  const jobs = entriesOf(childOf(top, 'jobs')).map(({ value }) => value)
  const users = [
    ...jobs.map((place) => ({ place, isJob: true })),
    ...jobs.flatMap(stepsOf).map((place) => ({ place, isJob: false })),
  ]
  return users.flatMap(({ place, isJob }) => {
    const uses = textAt(childOf(place, 'uses'))
    const fault = uses && faultIn(uses.node.value, isJob)
    if (!uses || !fault) return []
    return [{ ...fault, position: positionAt(file.source, ...rangeOf(uses.alias ?? uses.node)) }]
  })
}

function faultIn(uses: string, isJob: boolean): Pick<Problem, 'message' | 'hint'> | undefined {
  if (/^[\w.-]+\/[\w./-]+@?$/.test(uses) && !/^[.$]\//.test(uses)) {
    const message = `"uses: ${uses}" names no version`
    return { message, hint: 'put a tag or a full commit behind an @' }
  }
  if (isJob && /^[.$]\/[^@]+\.ya?ml@/.test(uses)) {
    const message = `"uses: ${uses}" names a version of a file of this repository`
    return { message, hint: `write ${uses.split('@', 1)[0]}` }
  }
  if (isJob && /^[\w.-]+\/[\w.-]+@[^@]+$/.test(uses)) {
    const message = `"uses: ${uses}" names no workflow`
    return { message, hint: 'a job calls owner/name/.github/workflows/file.yml@v1' }
  }
  if (!isJob && /^[\w.-]+@[\w.-]+$/.test(uses)) {
    const message = `"uses: ${uses}" names no owner`
    return { message, hint: `did you mean actions/${uses}?` }
  }
  return undefined
}
