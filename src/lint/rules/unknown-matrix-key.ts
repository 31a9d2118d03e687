import type { Rule } from '../rule.ts'

export const unknownMatrixKey: Rule = {
  id: 'unknown-matrix-key',
  level: 'strict',
  page: {
    title: 'a key that the matrix does not have',
    reason:
      'GitHub evaluates an unknown key to an empty string, for example as the runner of a job.',
    remedy: 'Use a key of `matrix`, or of its `include`.',
    before: 'runs-on: ${{ matrix.sytem }}',
    after: 'runs-on: ${{ matrix.system }}',
    workflow: (line) => `on: push
jobs:
  greet:
    ${line}
    strategy:
      matrix:
        system: [ubuntu-latest, macos-latest]
    steps:
      - run: uname
`,
  },
  check: (file) => file.faults('unknown-matrix-key'),
}
