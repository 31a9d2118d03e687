import type { Rule } from '../rule.ts'
import { inEnv } from './examples.ts'

export const unknownName: Rule = {
  id: 'unknown-name',
  level: 'error',
  isStrict: false,
  finds: 'a name that a context of GitHub, or an object written here, does not have',
  why: 'It is empty.',
  fix: 'Mend the name.',
  red: 'NAME: ${{ github.repositry }}',
  green: 'NAME: ${{ github.repository }}',
  around: inEnv,
  check: (file) => file.faults('unknown-name'),
}
