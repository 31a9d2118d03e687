import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const unknownPayloadField: Rule = {
  id: 'unknown-payload-field',
  level: 'warning',
  page: {
    title: 'a field that is similar to a field of the recorded requests of the sender',
    reason:
      'With `verify: {scheme: github}`, `check` knows requests that GitHub sends. A misspelled field is empty, and GitHub reports nothing.',
    remedy:
      'Correct the name as the hint says. Senders add fields, so this finding is only a warning.',
    before: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.titel }}",
    after: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.title }}",
    workflow: (variable) =>
      inEnv(variable).replace(
        'webhook: {method: post}',
        'webhook: {verify: {scheme: github, secret: "${{ secrets.S }}"}}',
      ),
  },
}
