import { expect, test } from '@jest/globals'
import {
  childOf,
  entriesOf,
  itemsOf,
  type Place,
  textAt,
  textOf,
  textsAt,
  textsBelow,
  topOf,
  writtenAt,
} from '../../src/workflow/nodes.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'

const TEXT = `a: &x
  b: [one, 2, &y three, *y]
  c:
  "d": four
e: *x
f: &z {g: *y}
h: [*x, *z]
5: six
`
const source = { name: 'a', file: 'a', text: TEXT }
const top = topOf(parseYaml(source))

const facts = (place: Place | undefined) =>
  place && [place.path.join('.'), place.isShared, place.alias?.source]

test('a place has its path, and is shared below an anchor and an alias', () => {
  expect(facts(top)).toEqual(['', false, undefined])
  expect(facts(childOf(top))).toEqual(['', false, undefined])
  expect(facts(childOf(top, 'a'))).toEqual(['a', true, undefined])
  expect(facts(childOf(top, 'a', 'b'))).toEqual(['a.b', true, undefined])
  expect(facts(childOf(top, 'e'))).toEqual(['e', true, 'x'])
  expect(facts(childOf(top, 'e', 'd'))).toEqual(['e.d', true, undefined])
  expect(facts(childOf(top, 'f', 'g'))).toEqual(['f.g', true, 'y'])
  expect(facts(childOf(top, 'h'))).toEqual(['h', false, undefined])
  expect(itemsOf(childOf(top, 'h')).map(facts)).toEqual([
    ['h.0', true, 'x'],
    ['h.1', true, 'z'],
  ])
  expect(facts(childOf(top, '5'))).toEqual(['5', false, undefined])
})

test('what is not there is no place, and has no entries', () => {
  for (const keys of [['z'], ['a', 'z'], ['a', 'b', '0'], ['a', 'd', 'x'], ['z', 'a']]) {
    expect(childOf(top, ...keys)).toBe(undefined)
  }
  expect(childOf(undefined, 'a')).toBe(undefined)
  expect([
    entriesOf(undefined),
    entriesOf(childOf(top, 'a', 'b')),
    itemsOf(top),
    itemsOf(undefined),
  ]).toEqual([[], [], [], []])
  const nothing = childOf(top, 'a', 'c')
  expect([textOf(nothing), textOf(undefined), textOf(childOf(top, 'a'))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('entries and items have their names and their strings', () => {
  expect(entriesOf(top).map(({ name }) => name)).toEqual(['a', 'e', 'f', 'h', '5'])
  const inA = entriesOf(childOf(top, 'e')).map(({ name, value }) => [
    name,
    facts(value),
    textOf(value),
  ])
  expect(inA).toEqual([
    ['b', ['e.b', true, undefined], undefined],
    ['c', ['e.c', true, undefined], undefined],
    ['d', ['e.d', true, undefined], 'four'],
  ])
  expect(itemsOf(childOf(top, 'a', 'b')).map(textOf)).toEqual(['one', undefined, 'three', 'three'])
  const strings = (place: Place | undefined) => textsAt(place).map(({ node }) => node.value)
  expect(strings(childOf(top, 'a', 'b'))).toEqual(['one', 'three', 'three'])
  expect(strings(childOf(top, 'a', 'd'))).toEqual(['four'])
  expect(strings(childOf(top, 'a'))).toEqual([])
  expect(strings(undefined)).toEqual([])
})

test('each string below a place comes once, in order', () => {
  const below = (place: Place | undefined) =>
    textsBelow(place).map(({ node, path }) => `${path.join('.')} ${node.value}`)
  expect(below(top)).toEqual(['a.b.0 one', 'a.b.2 three', 'a.d four', '5 six'])
  expect(below(childOf(top, 'h'))).toEqual(['h.0.b.0 one', 'h.0.b.2 three', 'h.0.d four'])
  expect(below(childOf(top, 'f'))).toEqual(['f.g three'])
  expect(below(undefined)).toEqual([])
})

test('a string is shown at its alias, if there is one', () => {
  const at = (...keys: string[]) => {
    const text = textAt(childOf(top, ...keys))
    const { line, column, length } = (text && writtenAt(source, text)) ?? {}
    return [line, column, length]
  }
  expect(at('a', 'd')).toEqual([4, 8, 4])
  expect(at('f', 'g')).toEqual([6, 11, 2])
})
