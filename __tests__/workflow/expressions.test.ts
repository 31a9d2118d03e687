import { describe, expect, test } from '@jest/globals'
import { ExpressionMistake, hasExpression } from '../../src/workflow/expression-text.ts'
import { fillIn, refuseEvent, refuseUnset } from '../../src/workflow/expressions.ts'
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

describe('an expression whose value the sender of the event words is refused', () => {
  const refused = (text: string) => {
    try {
      refuseEvent(text, CONTEXTS)
      return undefined
    } catch (error) {
      if (!(error instanceof ExpressionMistake)) throw error
      return [error.message, error.expression]
    }
  }
  const message = 'the expression reads the event, which its sender words: take it from the item'

  test.each([
    'github.event.a',
    'GITHUB.Event',
    "github['event'].a",
    'github.head_ref',
    'toJSON(github)',
    '(github.event.a)',
    'github[vars.N]',
    'github.*',
    "secrets.A && github.event.a || 'b'",
    "format('{0}', github.event.a)",
    'secrets[github.event.a]',
    'fromJSON(secrets.JSON)[github.event.a]',
    "(github.event.a == 'x') && github.head_ref",
  ])('%s', (expression) => {
    expect(refused(`a ${e('1')} ${e(expression)}`)).toEqual([message, expression])
  })

  test.each([
    'github.ref',
    "github['event_name']",
    "github.event.a == 'x'",
    "!github.event.a && 'b'",
    "(github.event.a != 'x') && 'b'",
    "contains(github.event.a, 'x') && secrets.A",
    "startsWith(github.event.a, 'x')",
    'endsWith(github.event.a, github.event.b)',
    'secrets.event',
    "secrets['github']",
    'vars.*',
    "'github.event'",
  ])('and not %s', (expression) => {
    expect(refused(e(expression))).toBe(undefined)
    expect(refused(expression)).toBe(undefined)
  })
})

test.each([
  [
    'secrets.NO',
    true,
    'secrets.NO is empty: is the secret set, and given to the action under "secrets", or to dev in .env?',
  ],
  [
    'vars.NO',
    true,
    'vars.NO is empty: is the variable set, and given to the action under "vars", or to dev in .env?',
  ],
  ['env.NO', true, 'env.NO is empty: is the variable set where the action runs?'],
  [
    "format('{0}{1}', vars.NO, secrets.NO)",
    false,
    'vars.NO, secrets.NO are empty: is the variable set, and given to the action under "vars", or to dev in .env?',
  ],
  [
    "format('{0}{0}', vars.NO)",
    false,
    'vars.NO is empty: is the variable set, and given to the action under "vars", or to dev in .env?',
  ],
  ['github.nothing', true, 'the expression is empty'],
  ["'  '", true, 'the expression is empty'],
  ['github.nothing', false, undefined],
  ['!vars.NO', false, undefined],
  [
    '!vars.NO',
    true,
    'vars.NO is empty: is the variable set, and given to the action under "vars", or to dev in .env?',
  ],
  ['contains(vars.NO, secrets.A)', false, undefined],
  ['vars.* && secrets.A', true, undefined],
  ['github.event.list.*.id', true, undefined],
  [
    'github.event.list[vars.NO]',
    false,
    'vars.NO is empty: is the variable set, and given to the action under "vars", or to dev in .env?',
  ],
  [
    'secrets[vars.NO]',
    false,
    'vars.NO is empty: is the variable set, and given to the action under "vars", or to dev in .env?',
  ],
])('%s, strict %s: %s', (expression, strict, message) => {
  const check = () => refuseUnset(`a${e(expression)}`, CONTEXTS, strict)
  if (message === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(new ExpressionMistake(message, expression))
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
