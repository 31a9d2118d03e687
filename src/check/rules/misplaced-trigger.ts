import { TRIGGERS } from '../../triggers/index.ts'
import type { Problem } from '../../wire/errors.ts'
import { NATIVE_EVENTS } from '../../wire/events.ts'
import { EVENT_TYPE } from '../../wire/payload.ts'
import { quoted } from '../../workflow/suggestion.ts'
import { positionAt } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'

export const misplacedTrigger: Rule = {
  id: 'misplaced-trigger',
  level: 'error',
  page: {
    title: 'a trigger of Hookline among the events of GitHub',
    reason: 'GitHub does not know the event, so the workflow never starts.',
    remedy:
      'Use `repository_dispatch` with the type `webhook`, or move the file to `workflows/` and compile it with `hookline build`.',
    before: 'webhook: {}',
    after: 'repository_dispatch:\n  types: [webhook]',
    workflow: (part) =>
      workflow(OTHER_JOB).replace(
        'repository_dispatch:\n    types: [webhook]',
        part.replaceAll('\n', '\n  '),
      ),
  },
  check: (file) => (file.isSource ? [] : misplacedTriggers(file)),
}

/** Triggers of Hookline under `on:` of a workflow of GitHub. */
export function misplacedTriggers(file: RuleFile): Problem[] {
  const { source } = file.file
  const hint = file.native
    ? `use repository_dispatch, with types: [${EVENT_TYPE}]`
    : 'move the file to workflows/, and run: hookline build'
  return file.events
    .filter(({ name }) => TRIGGERS.has(name) && !NATIVE_EVENTS.has(name))
    .map(({ name, start, end }) => ({
      message: `${quoted(name)} is not an event of GitHub`,
      position: positionAt(source, start, end),
      hint,
    }))
}
