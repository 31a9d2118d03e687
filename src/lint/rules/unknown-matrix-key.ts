import type { Rule } from '../rule.ts'

const MATRIX = `on: push
jobs:
  greet:
    runs-on: \${{ matrix.% }}
    strategy:
      matrix:
        system: [ubuntu-latest, macos-latest]
    steps:
      - run: uname
`

export const unknownMatrixKey: Rule = {
  id: 'unknown-matrix-key',
  level: 'error',
  isStrict: false,
  finds: 'a key that the matrix does not have',
  why: 'It is empty in every job of the matrix.',
  fix: 'Write a key of `matrix`, or of its `include`.',
  red: MATRIX.replace('%', 'sytem'),
  green: MATRIX.replace('%', 'system'),
  check: ({ nameFaults }) => nameFaults.filter(({ code }) => code === 'unknown-matrix-key'),
}
