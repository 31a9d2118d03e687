import type { Rule } from '../rule.ts'
import { inMatrix } from './example-workflows.ts'

export const unknownMatrixKey: Rule = {
  id: 'unknown-matrix-key',
  level: 'strict',
  page: {
    title: 'a key that a matrix over the items does not have',
    reason:
      'GitHub evaluates an unknown key to an empty string, so that the job gets nothing of the item.',
    remedy: 'Use the key of `matrix` that holds the items.',
    before: 'NAME: ${{ matrix.item.webhook.outputs.body.hello }}',
    after: 'NAME: ${{ matrix.on.webhook.outputs.body.hello }}',
    workflow: inMatrix,
  },
}
