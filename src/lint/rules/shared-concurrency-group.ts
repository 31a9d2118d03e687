import { sharedGroups } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

export const sharedGroup: Rule = {
  id: 'shared-concurrency-group',
  level: 'warning',
  isStrict: false,
  finds: 'a `concurrency` of a workflow that webhooks for other workflows enter too',
  why: 'A run enters the group before any `if:` is read, so a webhook for somebody else cancels a run here, or one that waits.',
  fix: 'Take the group of the note, or give the job a `concurrency` of its own: a skipped job enters none.',
  red: 'concurrency: {group: deploy, cancel-in-progress: true}',
  green: `concurrency:
  group: >-
    \${{ startsWith(github.event.client_payload.path, 'hook/') && 'deploy' || github.run_id }}
  cancel-in-progress: true`,
  around: (part) => workflow(DONE).replace('jobs:', () => `${part}\njobs:`),
  check: ({ native, triggers }) => (native ? sharedGroups(native, triggers) : []),
}
