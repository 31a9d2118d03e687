import type { Rule } from '../rule.ts'
import { workflow } from './examples.ts'

export const unknownMatrixKey: Rule = {
  id: 'unknown-matrix-key',
  level: 'error',
  isStrict: false,
  finds: 'a key that the matrix does not have',
  why: 'It is empty in every job of the matrix.',
  red: workflow(`  greet:
    needs: on
    if: needs.on.outputs.triggered == 'true'
    runs-on: \${{ matrix.sytem }}
    strategy:
      matrix:
        system: [ubuntu-latest, macos-latest]
    steps:
      - run: uname
`),
  green: workflow(`  greet:
    needs: on
    if: needs.on.outputs.triggered == 'true'
    runs-on: \${{ matrix.system }}
    strategy:
      matrix:
        system: [ubuntu-latest, macos-latest]
    steps:
      - run: uname
`),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'unknown-matrix-key'),
}
