import { describe, expect, test } from '@jest/globals'
import { fieldValues, withoutFields } from '../../../src/triggers/verify/token-schemes.ts'
import type { Json } from '../../../src/wire/json.ts'

const BODY = {
  token: 'a',
  more: { token: 'b', other: 1 },
  list: [{ token: 'c', other: 2 }, { token: 'd' }, 7],
  flat: ['e', 'f', 'g'],
}

const { token: _, ...WITHOUT_TOKEN } = BODY

describe('a body without the fields that authenticate its sender', () => {
  test.each<[readonly string[], Json]>([
    [[], BODY],
    [['token'], WITHOUT_TOKEN],
    [['more.token'], { ...BODY, more: { other: 1 } }],
    [['list[1].token'], { ...BODY, list: [BODY.list[0] ?? null, {}, 7] }],
    [['list.*.token'], { ...BODY, list: [{ other: 2 }, {}, 7] }],
    [['flat[1]'], { ...BODY, flat: ['e', null, 'g'] }],
    [['token', 'more.token'], { ...WITHOUT_TOKEN, more: { other: 1 } }],
    [['missing', 'token.deeper', 'flat[9]'], BODY],
  ])('without %j', (fields, expected) => {
    expect({ ...Object(withoutFields(BODY, fields)) }).toEqual(expected)
  })
})

test.each<[string, (Json | undefined)[]]>([
  ['more.token', ['b']],
  ['list.*.token', ['c', 'd', undefined]],
  ['missing', [undefined]],
])('the values of the field %s', (field, values) => {
  expect(fieldValues(BODY, field)).toEqual(values)
})
