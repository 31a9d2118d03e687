import type { Rule } from '../rule.ts'

const MATRIX = `on: push
jobs:
  greet:
    %
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
  why: 'It is empty.',
  fix: 'Write a key of `matrix`, or of its `include`.',
  red: 'runs-on: ${{ matrix.sytem }}',
  green: 'runs-on: ${{ matrix.system }}',
  around: (part) => MATRIX.replace('%', () => part),
  check: (file) => file.faults('unknown-matrix-key'),
}
