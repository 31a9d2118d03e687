import { sharedGroups } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { workflow } from './examples.ts'

const JOB = `  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`
const GROUP = 'concurrency: {group: deploy, cancel-in-progress: true}\njobs:'
const OWN = `concurrency:
  group: >-
    \${{ startsWith(github.event.client_payload.path, 'hook/') && 'deploy' || github.run_id }}
  cancel-in-progress: true
jobs:`

export const sharedGroup: Rule = {
  id: 'shared-group',
  level: 'warning',
  isStrict: false,
  finds: 'a `concurrency` of a workflow that webhooks for other workflows enter too',
  why: '`repository_dispatch` starts every listening workflow, and a run enters the group of its workflow before any `if:` is read: so a webhook for somebody else cancels a run here, or one that waits.',
  fix: 'Take the group that the note names, in which each webhook for somebody else is alone; or give the job a `concurrency` of its own: a skipped job enters none.',
  red: workflow(JOB).replace('jobs:', GROUP),
  green: workflow(JOB).replace('jobs:', OWN),
  check: ({ native }) => (native ? sharedGroups(native) : []),
}
