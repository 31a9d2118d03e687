import { inspect } from 'node:util'
import { expect, test } from '@jest/globals'
import { Secret } from '../../src/wire/secret.ts'
import { fc } from '../support/properties.ts'

const VALUE = fc.string({
  unit: fc.constantFrom(...'abcXYZ019._-~+/?>é'),
  minLength: 20,
  maxLength: 60,
})
const AROUND = fc.string({ unit: fc.constantFrom(...'abc/+=-_ {"é'), maxLength: 7 })

const percent = (text: string) => {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

const FORMS: readonly (readonly [string, (value: string) => string])[] = [
  ['raw', (value) => value],
  ['encodeURIComponent', (value) => encodeURIComponent(value)],
  ['every byte percent-encoded', percent],
  ['upper-case escapes', (value) => percent(value).toUpperCase()],
]

test.each(FORMS)('finds and scrubs the value %s, whatever stands around it', (_, form) => {
  fc.assert(
    fc.property(VALUE, AROUND, AROUND, (value, before, after) => {
      const secret = new Secret(value)
      const text = `${before}${form(value)}${after}`
      expect(secret.isIn(text)).toBe(true)
      expect(secret.scrub(text)).not.toContain(form(value))
    }),
  )
})

test.each(['base64', 'base64url'] as const)(
  'finds the value in %s at any alignment',
  (encoding) => {
    fc.assert(
      fc.property(VALUE, AROUND, AROUND, (value, before, after) => {
        const encoded = Buffer.from(`${before}${value}${after}`).toString(encoding)
        const secret = new Secret(value)
        expect(secret.isIn(encoded)).toBe(true)
        expect(secret.isIn(secret.scrub(encoded))).toBe(false)
      }),
    )
  },
)

test('scrubs escapes of some characters, and leaves the text around them as it was', () => {
  const secret = new Secret('0123456789-abcdefghé')
  const text = '%zz é%20%30123456789%2Dabcdefgh%C3%A9%2 0123456789-abcdefgh%c3%A9 ü%'
  expect(secret.scrub(text)).toBe('%zz é%20***%2 *** ü%')
})

test.each([
  ['a body that nearly is the value, again and again', `%${'a'.repeat(260_000)}`],
  ['escapes alone', '%61'.repeat(85_000)],
  ['text beyond ASCII', `%${'é'.repeat(130_000)}`],
])('a long value is looked for in time: %s', (_, text) => {
  const value = `${'a'.repeat(2000)}b`
  const start = process.cpuUsage()
  expect(new Secret(value).isIn(text)).toBe(false)
  // It took 26 s before; now it takes far less than a second on any machine.
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(8_000)
})

test('does not look for short values, which could be part of any word', () => {
  const secret = new Secret('short-one')
  expect(secret.isIn('short-one')).toBe(false)
  expect(secret.scrub('short-one')).toBe('short-one')
  expect(secret.isIn('%20short-one')).toBe(false)
  expect(secret.scrub('%20short-one')).toBe('%20short-one')
})

test.each([19, 20])('a value of %i characters is searched for from 20 on', (length) => {
  const value = 'a'.repeat(length)
  const secret = new Secret(value)
  const shown = length < 20 ? value : '***'
  expect([secret.scrubRaw(`x${value}y`), secret.scrub(`x${value}y`)]).toEqual([
    `x${shown}y`,
    `x${shown}y`,
  ])
  expect(secret.scrubRaw(encodeURIComponent(`${value}é`))).toBe(`${shown}%C3%A9`)
})

test('shows as *** wherever it is printed', () => {
  const secret = new Secret('a-value-of-some-length')
  expect([`${secret}`, JSON.stringify({ secret }), inspect(secret)]).toEqual([
    '***',
    '{"secret":"***"}',
    '***',
  ])
  expect(secret.reveal()).toBe('a-value-of-some-length')
})

test('a token is found with any one of its characters escaped, among escapes of others', () => {
  const characters = 'ABCXYZOPabcxyzop0123456789._~-'
  const secret = new Secret(characters)
  for (const [at, character] of [...characters].entries()) {
    for (const escaped of [percent(character), percent(character).toUpperCase()]) {
      const text = `%7B${characters.slice(0, at)}${escaped}${characters.slice(at + 1)}%22`
      expect([character, secret.isIn(text)]).toEqual([character, true])
      expect(secret.scrub(text)).toBe('%7B***%22')
    }
  }
  expect(secret.isIn('%7B%22%C3%A9%20%3A%5B%7D')).toBe(false)
})
