import { expect, test } from '@jest/globals'
import { weakKeyProblems } from '../../src/relay/config.ts'

const GOOD = 'hlk_0123456789abcdefghij'

test.each([
  [{}, []],
  [{ HOOKLINE_KEYS: GOOD, HOOKLINE_OPERATOR_KEY: GOOD }, []],
  [{ HOOKLINE_KEYS: `${GOOD},short` }, ['HOOKLINE_KEYS']],
  [{ HOOKLINE_KEYS: GOOD, HOOKLINE_OPERATOR_KEY: 'admin' }, ['HOOKLINE_OPERATOR_KEY']],
  [{ HOOKLINE_KEYS: 'a', HOOKLINE_OPERATOR_KEY: 'b' }, ['HOOKLINE_KEYS', 'HOOKLINE_OPERATOR_KEY']],
])('a key that can be guessed is told, and not shown: %j', (env, names) => {
  const problems = weakKeyProblems(env)
  expect(problems.map(({ message }) => message.split(' ', 1)[0])).toEqual(names)
  expect(JSON.stringify(problems)).not.toMatch(/short|admin/)
})
