import type { Problem } from '../../wire/errors.ts'
import { childOf, textAt, writtenAt } from '../../workflow/nodes.ts'
import { REPLY_ACTION } from '../../workflow/steps.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'

/** An action of another repository, which is not a path in a checkout, and its version. */
const REFERENCE = /^(?![.$]\/)([^@]+)(?:@(.*))?$/

/** The oldest and the newest major version of Hookline with a tag. */
const OLDEST = 1
const NEWEST = 1

export const retiredVersion: Rule = {
  id: 'retired-version',
  level: 'strict',
  page: {
    title: 'a major version of Hookline that does not exist, or no version',
    reason:
      'The job fails before its first step, because GitHub finds no such tag. GitHub refuses a workflow with an action without a version.',
    remedy: 'Use the version in the hint, or a commit hash.',
    before: '- uses: hookline/hookline@v0',
    after: '- uses: hookline/hookline@v1',
    workflow: (part) => workflow(OTHER_JOB).replace('- uses: hookline/hookline@v1', part),
  },
  check: (file) => (file.native ? retired(file) : []),
}

function retired({ file, steps }: RuleFile): Problem[] {
  return steps.flatMap(({ place, isAction, uses: name }): Problem[] => {
    if (!isAction && !REPLY_ACTION.test(name)) return []
    const uses = textAt(childOf(place, 'uses'))
    const [, action, version] = REFERENCE.exec(uses?.node.value ?? '') ?? []
    if (!uses || action === undefined) return []
    const major = Number(/^v(\d{1,3})$/.exec(version ?? '')?.[1] ?? OLDEST)
    if (version && major >= OLDEST && major <= NEWEST) return []
    const position = writtenAt(file.source, uses)
    const fault = !version ? 'the action has no version' : `Hookline has no version v${major}`
    return [{ message: fault, position, hint: `write ${action}@v${NEWEST}` }]
  })
}
