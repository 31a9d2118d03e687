import { PLACEHOLDER_COMMIT } from '../../src/lint/native-problems.ts'

/** A workflow of the documentation, or of `init`, as a reader has it who put a commit in. */
export function pinned(text: string): string {
  return text.replaceAll(PLACEHOLDER_COMMIT, '0123456789abcdef0123456789abcdef01234567')
}
