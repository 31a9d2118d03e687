import type { Problem } from '../../wire/errors.ts'
import { childOf, textAt, textOf, writtenAt } from '../../workflow/nodes.ts'
import { actionOf, type Job } from '../../workflow/steps.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { oneJob } from './example-workflows.ts'

export const missingCheckout: Rule = {
  id: 'missing-checkout',
  level: 'strict',
  page: {
    title: 'an action of this repository in a job that does not check the repository out',
    reason:
      'The runner looks for `./path` in its workspace, which is empty at the beginning of a job. The step fails: "Can\'t find action.yml".',
    remedy: 'Add a step with `actions/checkout` before it.',
    before: '- uses: ./.github/actions/greet',
    after: '- uses: actions/checkout@v6\n- uses: ./.github/actions/greet',
    workflow: oneJob,
  },
  check: (file) => file.jobs.flatMap((job) => stepsBeforeCheckout(file, job)),
}

/** Programs with which a script can bring files of a repository into the workspace. */
const BRINGS_FILES =
  /\b(?:git|gh|curl|wget|tar|unzip|cp|mv|rsync|svn|hg|aws|gsutil|mkdir|cat|tee|node|python3?|make)\b/

/** Actions that bring no files. Every other action may check the repository out. */
const BRINGS_NO_FILES = /^(?:actions\/(?:setup-[\w-]+|github-script)|[^/]+\/hookline(?:\/reply)?)$/

function stepsBeforeCheckout({ file }: RuleFile, { steps }: Job): Problem[] {
  for (const { place: step } of steps) {
    const uses = textAt(childOf(step, 'uses'))
    const name = uses?.node.value ?? ''
    if (uses && name.startsWith('./')) {
      const position = writtenAt(file.source, uses)
      const message = `no step before this one checks the repository out, so ${name} does not exist`
      return [{ message, position, hint: 'add before it: - uses: actions/checkout@v6' }]
    }
    const script = textOf(childOf(step, 'run'))
    const mayBring =
      script === undefined ? !BRINGS_NO_FILES.test(actionOf(name)) : BRINGS_FILES.test(script)
    if (mayBring) return []
  }
  return []
}
