import { table } from './table.js'

const built = new URL('../../build/relay/delivery/answers.js', import.meta.url)
/** @type {typeof import('../../src/relay/delivery/answers.ts')} */
const { ANSWERS } = await import(built.href)

/** GitHub's answers, and what the relay concludes from each. */
export function answersTable() {
  const rows = ANSWERS.map(({ answer, conclusion }) => [answer, conclusion])
  return table(["GitHub's response", 'the relay'], rows)
}
