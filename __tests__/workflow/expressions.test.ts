import { describe, expect, test } from '@jest/globals'
import { ExpressionMistake, hasExpression } from '../../src/workflow/expression-text.ts'
import { fillIn } from '../../src/workflow/expressions.ts'
import { fc } from '../support/properties.ts'

const CONTEXTS = {
  secrets: { A: 'a', JSON: '{"k":[1,true,null]}' },
  vars: { N: '5' },
  github: { event: { list: [{ id: 1 }, { id: 2 }], deep: { x: 'y' } }, ref: 'main' },
  env: {},
}

const open = '$' + '{{'
const e = (expression: string) => `${open} ${expression} }}`

describe('a single expression keeps its type', () => {
  test.each([
    ['secrets.A', 'a'],
    ["'text'", 'text'],
    ['5', 5],
    ['true', true],
    ['null', null],
    ['vars.NONE', null],
    ['fromJSON(secrets.JSON)', { k: [1, true, null] }],
    ['fromJSON(secrets.JSON).k[0]', 1],
    ['github.event.list.*.id', [1, 2]],
    ['github.event.deep', { x: 'y' }],
    ["vars.N == 5 && 'five'", 'five'],
    ["contains('abc', 'B')", true],
    ['secrets.a', 'a'],
    ["'it''s }}'", "it's }}"],
    ["'it''s ''quoted'' }}'", "it's 'quoted' }}"],
  ])('%s', (expression, value) => {
    expect(fillIn(e(expression), CONTEXTS)).toEqual(value)
  })
})

describe('within text it becomes text', () => {
  test.each([
    [`x${e('secrets.A')}y`, 'xay'],
    [`${e('5')}${e('true')}`, '5true'],
    [` ${e('null')}`, ' '],
    [`${open}secrets.A}}}`, 'a}'],
    ['}} {{ $', '}} {{ $'],
    ['', ''],
  ])('%s', (text, value) => {
    expect(fillIn(text, CONTEXTS)).toBe(value)
  })
})

describe('a mistake', () => {
  const contexts = '(contexts here: secrets, vars, github, env)'
  test.each([
    [`a${open} x`, 'expression is not closed with }}', `${open} x`],
    [`${open} 'x }}`, 'expression is not closed with }}', `${open} 'x }}`],
    [e('on.webhook'), `expression: Unrecognized named-value: 'on' ${contexts}`, 'on.webhook'],
    [e('inputs.x'), `expression: Unrecognized named-value: 'inputs' ${contexts}`, 'inputs.x'],
    [e('hashFiles()'), `expression: Unrecognized function: 'hashFiles' ${contexts}`, 'hashFiles()'],
    [e('1 =='), `expression: Unexpected end of expression: '==' ${contexts}`, '1 =='],
    [e('fromJSON(secrets.A)'), 'expression cannot be evaluated', 'fromJSON(secrets.A)'],
    [e(''), 'expression cannot be evaluated', ''],
  ])('%s', (text, message, expression) => {
    const mistake = new ExpressionMistake(message, expression)
    expect(() => fillIn(text, CONTEXTS)).toThrow(mistake)
  })
})

test('any text fills in or is a mistake of its own kind', () => {
  const part = fc.oneof(
    fc.constantFrom(open, '}}', "'", '(', ')', '[', '.', 'secrets', '*', '!', ' '),
    fc.string(),
  )
  const property = fc.property(fc.array(part), (parts) => {
    const text = parts.join('')
    try {
      const value = fillIn(text, CONTEXTS)
      if (!hasExpression(text)) expect(value).toBe(text)
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionMistake)
    }
  })
  fc.assert(property, { numRuns: 1000 })
})
