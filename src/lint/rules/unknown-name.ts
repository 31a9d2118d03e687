import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const unknownName: Rule = {
  id: 'unknown-name',
  level: 'strict',
  page: {
    title: 'a name that a context of GitHub, or an object in the expression, does not have',
    reason: 'GitHub evaluates an unknown name to an empty string and reports nothing.',
    remedy: 'Correct the name.',
    before: 'NAME: ${{ github.repositry }}',
    after: 'NAME: ${{ github.repository }}',
    workflow: inEnv,
  },
  check: (file) => file.faults('unknown-name'),
}
