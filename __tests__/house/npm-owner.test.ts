import { expect, test } from '@jest/globals'
import { ownerProblem } from '../../scripts/npm-owner.js'

const at = (url: string) => ({ name: 'hookline', status: 200, found: { repository: { url } } })

test.each([
  ['git+https://github.com/hookline/hookline.git'],
  ['https://github.com/Hookline/hookline'],
])('the name on npm is ours: %s', (url) => {
  expect(ownerProblem(at(url), 'hookline/hookline')).toBeUndefined()
})

test.each([
  [at('git+https://github.com/somebody/hookline.git'), /belongs to somebody else/],
  [at('https://github.com.example/hookline/hookline'), /belongs to somebody else/],
  [at('https://github.com/hookline/hookline/more'), /belongs to somebody else/],
  [{ name: 'hookline', status: 200, found: {} }, /names no repository/],
  [{ name: 'hookline', status: 404, found: undefined }, /publish a first version manually/],
  [{ name: 'hookline', status: 503, found: undefined }, /answered 503/],
])('a release is refused: %j', (answer, message) => {
  expect(ownerProblem(answer, 'hookline/hookline')).toMatch(message)
})
