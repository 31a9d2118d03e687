import { describe, expect, test } from '@jest/globals'
import { problemWithoutTokens, tokensIn, withoutTokens } from '../../src/wire/tokens.ts'

const LETTERS = 'Ab0'.repeat(20)
const letters = (count: number) => LETTERS.slice(0, count)

describe('a token is masked:', () => {
  test.each([
    `12345:${letters(20)}`,
    `123456789:${letters(18)}-_`,
    ...['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_${letters(36)}`),
    `github_pat_${letters(39)}_`,
    ...['a', 'b', 'e', 'p', 'r', 's'].map((kind) => `xox${kind}-1${letters(20)}`),
    `xoxe.xoxb-1${letters(20)}`,
    `xoxe.xoxp-1${letters(20)}`,
    `xapp-1-${letters(20)}`,
    ...['M', 'N', 'O'].map((kind) => `${kind}${letters(23)}.${letters(6)}.${letters(27)}`),
  ])('%s', (token) => {
    const text = `a ${token} b`
    expect(withoutTokens(text)).toBe(`a ${'*'.repeat(token.length)} b`)
    expect(tokensIn(text)).toEqual([{ start: 2, end: 2 + token.length }])
  })

  test.each([
    ['https://hooks.slack.com/services/', `T${letters(6)}/B${letters(6)}/${letters(16)}`],
    ['https://discord.com/api/webhooks/1/', letters(40)],
    ['https://discordapp.com/api/webhooks/1234567890123456789012345/', letters(40)],
    ['https://canary.discord.com/api/webhooks/1/', `${letters(39)}-`],
  ])('the end of %s', (address, token) => {
    expect(withoutTokens(address + token)).toBe(address + '*'.repeat(token.length))
  })
})

describe('no token is', () => {
  test.each([
    `1234:${letters(20)}`,
    `12345:${letters(19)}`,
    `ghx_${letters(36)}`,
    `ghp_${letters(35)}`,
    `xghp_${letters(36)}`,
    `-ghp_${letters(36)}`,
    `github_pat_${letters(39)}`,
    `xoxb-a${letters(20)}`,
    `xoxb-1${letters(19)}`,
    `xapp-a-${letters(20)}`,
    `xapp-1-${letters(19)}`,
    `P${letters(23)}.${letters(6)}.${letters(27)}`,
    `M${letters(22)}.${letters(6)}.${letters(27)}`,
    `M${letters(23)}.${letters(5)}.${letters(27)}`,
    `M${letters(23)}.${letters(6)}.${letters(26)}`,
    `https://hooks.slack.com/services/T${letters(5)}/B${letters(6)}/${letters(16)}`,
    `https://hooks.slack.com/services/T${letters(6)}/B${letters(5)}/${letters(16)}`,
    `https://hooks.slack.com/services/T${letters(6)}/B${letters(6)}/${letters(15)}`,
    `https://slack.com/services/T${letters(6)}/B${letters(6)}/${letters(16)}`,
    `https://discord.com/api/webhooks/1/${letters(39)}`,
    `https://discord.com/api/webhooks/x/${letters(40)}`,
  ])('%s', (text) => {
    expect(withoutTokens(text)).toBe(text)
    expect(tokensIn(text)).toEqual([])
  })
})

test('all strings of a problem are masked', () => {
  const token = `12345:${letters(20)}`
  const masked = '*'.repeat(token.length)
  const problem = { message: `m ${token}`, hint: token, notes: ['n', token], code: 'c' }
  expect(problemWithoutTokens(problem)).toEqual({
    message: `m ${masked}`,
    hint: masked,
    notes: ['n', masked],
    code: 'c',
  })
  expect(problemWithoutTokens({ message: 'm' })).toEqual({ message: 'm' })
})
