import { PLACEHOLDER_COMMIT, placeholderProblems } from '../native-problems.ts'
import type { Rule } from '../rule.ts'
import { workflow } from './examples.ts'

export const placeholderCommit: Rule = {
  id: 'placeholder-commit',
  level: 'error',
  isStrict: false,
  finds: 'the commit of ones, which stands for one that you choose',
  why: 'There is no such commit.',
  fix: 'Put a commit that you have looked at in its place: [which version you run](pinning.md).',
  red: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`).replace('@v1', `@${PLACEHOLDER_COMMIT}`),
  green: workflow(`  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`),
  check: ({ file }) => placeholderProblems(file),
}
