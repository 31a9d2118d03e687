import { describe, expect, test } from '@jest/globals'
import { Scalar } from 'yaml'
import {
  childrenOf,
  contextReferences,
  encoded,
  fileExpressions,
  isFault,
  isWithin,
  parseExpression,
  partsOf,
  positionIn,
  referencesIn,
  referencesInText,
} from '../../src/workflow/file-expressions.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'

const open = '$' + '{{'

/** Each reference as written, with the names that follow. */
const references = (expression: string) =>
  contextReferences(expression, 'on').map(({ start, end, steps }) => [
    expression.slice(start, end),
    ...steps.map((step) => [expression.slice(step.start, step.end), step.name]),
  ])

test.each<[string, unknown]>([
  ['on', [['on']]],
  ['ON.Webhook', [['ON', ['Webhook', 'Webhook']]]],
  ["on['a b'] . c", [['on', ["'a b'", 'a b'], ['c', 'c']]]],
  ["on['it''s']", [['on', ["'it''s'", "it's"]]]],
  ['on.*.a', [['on', ['*', undefined]]]],
  ['on[a].b', [['on', ['a', undefined]]]],
  ["on[format('a')].b", [['on', ['format', undefined]]]],
  ['on[5].b', [['on', ['5', undefined]]]],
  ["on['a'", [['on', ["'a'", undefined]]]],
  [
    'on.a && on.b == a.on',
    [
      ['on', ['a', 'a']],
      ['on', ['b', 'b']],
    ],
  ],
  ['on(a) || f(on)', [['on']]],
  ["a['on'] || 'on' || one || on-a || a_on", []],
  ["'x\ny' == on.a", [['on', ['a', 'a']]]],
  ['a.b', []],
])('the context in %j is %j', (expression, found) => {
  expect(references(expression)).toEqual(found)
})

test('a text has the references of each of its expressions, and a fault has none', () => {
  expect(referencesIn('on ? a', 'on')).toEqual([])
  expect(() => contextReferences('on ? a', 'on')).toThrow('Unexpected symbol')
  const text = `on ${open} on.a }} ${open} b }} ${open} on ? }} ${open} on.c`
  const names = referencesInText(text, 'on').map(({ steps }) => steps.map(({ name }) => name))
  expect(names).toEqual([['a'], ['c']])
})

describe('a fault in an expression', () => {
  test.each([
    ['', 'is empty', 0, 1],
    ['  ', 'is empty', 0, 2],
    ['a ==', "Unexpected end of expression: '=='", 2, 4],
    ['f(a', 'ends where a value or a bracket was expected', 2, 3],
    ['a b', "Unexpected symbol: 'b'", 2, 3],
    ['a ? b', 'Unexpected symbol', 2, 5],
    ['a }', 'Unexpected symbol', 2, 3],
    [')', "Unexpected symbol: ')'", 0, 1],
    [`'${'a'.repeat(21_000)}'`, 'is longer than 21,000 characters', 0, 1],
  ])('%j', (expression, message, start, end) => {
    expect(parseExpression(expression)).toEqual({ message, start, end })
  })

  test('at a brace is a missing one, if the expression is not closed', () => {
    expect(parseExpression('a }', false)).toEqual({
      message: 'is not closed with }}',
      start: 2,
      end: 3,
    })
    expect(parseExpression('a }}', false)).toEqual({
      message: 'Unexpected symbol',
      start: 2,
      end: 4,
    })
    expect(parseExpression('a ?', false)).toEqual({
      message: 'Unexpected symbol',
      start: 2,
      end: 3,
    })
  })

  test.each(['a', 'f()', "F(a, 'b', c.d)[0].*", '!a && (b || c != 5)', 'toJSON(nope)'])(
    'is none in %s',
    (expression) => {
      expect(isFault(parseExpression(expression))).toBe(false)
    },
  )
})

test('an expression has all of its parts', () => {
  const tree = parseExpression("!a.b && (f(c, 'd') || e['g'] == 5)")
  if (isFault(tree)) throw new Error(tree.message)
  expect(partsOf(tree).map(({ constructor: { name } }) => name)).toEqual([
    'Logical',
    'Unary',
    'IndexAccess',
    'ContextAccess',
    'Literal',
    'Grouping',
    'Logical',
    'FunctionCall',
    'ContextAccess',
    'Literal',
    'Binary',
    'IndexAccess',
    'ContextAccess',
    'Literal',
    'Literal',
  ])
  expect(childrenOf(tree)).toHaveLength(2)
})

test.each<[readonly (string | number)[], boolean]>([
  [['jobs', 'a', 'if'], true],
  [['jobs', 'a', 'if', 'x'], true],
  [['jobs', 'a'], false],
  [['jobs', 'a', 'steps', 0, 'run'], true],
  [['jobs', 'a', 'steps', 0, 'parallel', 1, 'run'], true],
  [['jobs', 'a', 'steps', 0, 'parallel', 1, 'parallel', 2, 'run'], true],
  [['jobs', 'a', 'steps', 0, 'parallel', 1, 'uses'], false],
  [['jobs', 'a', 'other', 0, 'parallel', 1, 'run'], false],
  [['other', 'a', 'if'], false],
  [[], false],
])('the path %j is one of a condition or a script: %s', (path, is) => {
  expect(isWithin(path, ['jobs.*.if', 'jobs.*.steps.*.run'])).toBe(is)
})

test('a string is encoded as its scalar is written', () => {
  const text = `it's "a"\\\n`
  const written = (type: Scalar.Type) => encoded(text, Object.assign(new Scalar(text), { type }))
  expect(written('QUOTE_SINGLE')).toBe(`it''s "a"\\\n`)
  expect(written('QUOTE_DOUBLE')).toBe(`it's \\"a\\"\\\\\\n`)
  expect(written('PLAIN')).toBe(text)
  expect(written('BLOCK_LITERAL')).toBe(text)
})

test('the expressions of a file come with their paths, positions and conditions', () => {
  const text = `name: a
env: {A: "x ${open} a }} ${open}b}}", if: c}
jobs:
  a:
    if: d == 'e'
    snapshot: {if: f}
    steps:
      - if: ' g '
        run: |
          echo ${open} h
            }}
        with: {if: i, 5: "${open} j"}
      - parallel: [{if: k, if-not: l}]
      - &m {if: "${open} n }}"}
      - *m
`
  const file = { name: 'a', file: 'a', text }
  const found = fileExpressions(text, parseYaml(file).contents, []).map((one) => {
    const { line, column, length } = positionIn(file, one)
    return [one.path.join('.'), one.text, one.closed, `${line}:${column}+${length}`]
  })
  expect(found).toEqual([
    ['env.A', ' a ', true, '2:17+1'],
    ['env.A', 'b', true, '2:25+1'],
    ['jobs.a.if', "d == 'e'", true, '5:9+8'],
    ['jobs.a.snapshot.if', 'f', true, '6:20+1'],
    ['jobs.a.steps.0.if', ' g ', true, '8:15+1'],
    ['jobs.a.steps.0.run', ' h\n  ', true, '10:20+1'],
    ['jobs.a.steps.0.with.5', ' j', false, '12:31+1'],
    ['jobs.a.steps.1.parallel.0.if', 'k', true, '13:25+1'],
    ['jobs.a.steps.2.if', ' n ', true, '14:22+1'],
  ])
})
