import { pathTests } from '../../compiler/on-job.ts'
import type { Problem } from '../../wire/errors.ts'
import { EVENT_TYPE } from '../../wire/payload.ts'
import { conditionalGroup, isSharedWithOthers } from '../../workflow/concurrency-group.ts'
import { childOf, textAt, textOf, writtenAt } from '../../workflow/nodes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { singleQuoted } from '../../workflow/spans.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'
import { webhookNames } from './unreachable-webhook.ts'

export const sharedConcurrencyGroup: Rule = {
  id: 'shared-concurrency-group',
  level: 'warning',
  page: {
    title: 'a `concurrency` group of the workflow that webhooks for other workflows enter',
    reason:
      'Every `repository_dispatch` event starts every workflow that listens for it. A run enters the group before GitHub reads any `if:`, so a webhook for another workflow cancels a running or waiting run of this one.',
    remedy:
      'Use the group in the note, or give the job its own `concurrency`: a skipped job does not enter a group.',
    before: 'concurrency: {group: deploy, cancel-in-progress: true}',
    after: `concurrency:
  group: >-
    \${{ startsWith(github.event.client_payload.path, 'hook/') && 'deploy' || github.run_id }}
  cancel-in-progress: true`,
    workflow: (part) => workflow(OTHER_JOB).replace('jobs:', () => `${part}\njobs:`),
  },
  check(file) {
    const shared = sharedGroup(file)
    if (!shared) return []
    const { group, separate } = shared
    return [
      {
        message:
          'a webhook for another workflow enters this concurrency group and cancels its runs',
        position: writtenAt(file.file.source, group),
        hint: 'use a group of its own for other webhooks',
        notes: [`write: group: ${separate}`],
      } satisfies Problem,
    ]
  },
  fix(file): Operation[] {
    const shared = sharedGroup(file)
    if (!shared || shared.group.isShared) return []
    return [{ op: 'set', path: shared.group.path, lines: [singleQuoted(shared.separate)] }]
  },
}

/** A queue with `queue: max` cancels no run; groups that depend on the run are not evaluated. */
function sharedGroup(file: RuleFile) {
  const { native, top, dispatchTypes, events } = file
  const names = events.map(({ name }) => name)
  const receivesWebhooks =
    dispatchTypes.length === 0 || dispatchTypes.some(({ node }) => node.value === EVENT_TYPE)
  if (!native || !names.includes('repository_dispatch') || names.includes('workflow_call'))
    return undefined
  const concurrency = childOf(top, 'concurrency')
  const group = textAt(concurrency) ?? textAt(childOf(concurrency, 'group'))
  const triggers = webhookNames(file)
  const [trigger] = triggers
  if (!receivesWebhooks || !group || trigger === undefined) return undefined
  if (textOf(childOf(concurrency, 'queue')) === 'max') return undefined
  if (!isSharedWithOthers(group.node.value, `${native.name}/${trigger}`, names)) return undefined
  const condition = pathTests(native.name, triggers).join(' ')
  return { group, separate: conditionalGroup(group.node.value, { condition }) }
}
