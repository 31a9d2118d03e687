import { describe, expect, test } from '@jest/globals'
import {
  evaluateText,
  fillInKnown,
  SUCCESS_STATUS,
  unknownValue,
} from '../../src/model/evaluate-expression.ts'

const BODY = {
  go: true,
  list: ['a', 'b'],
  small: 0.00001,
  long: 0.1 + 0.2,
  numbers: [1e21, 0.1 + 0.2, 25],
}

const CONTEXTS = {
  on: { webhook: { outputs: { method: 'post', body: BODY } } },
  needs: { a: { result: 'success', outputs: unknownValue('an output of a step') } },
  steps: { x: { outputs: { known: '1', other: unknownValue('an output of a step') } } },
}

const outcome = (text: string) => evaluateText(text, CONTEXTS, SUCCESS_STATUS)

describe('values that are known before a run', () => {
  test.each([
    ["on.webhook.outputs.method == 'post'", true],
    ["contains(on.webhook.outputs.body.list, 'b')", true],
    ['toJSON(on.webhook.outputs.body.go)', 'true'],
    ['on.webhook.outputs.body.none', null],
    // A runner prints 15 digits, and exponents.
    ["format('{0} {1}', on.webhook.outputs.body.small, on.webhook.outputs.body.long)", '1E-05 0.3'],
    ['toJSON(on.webhook.outputs.body.numbers)', '[\n  1E+21,\n  0.3,\n  25\n]'],
    ["join(on.webhook.outputs.body.numbers, ' ')", '1E+21 0.3 25'],
    ['steps.x.outputs.known', '1'],
    ['success() && !cancelled()', true],
    ["needs.a.result == 'success'", true],
    // An operand that decides is enough, at any position.
    ['secrets.KEY && false || 1 == 1', true],
    ['false && secrets.KEY', false],
    ['!(secrets.KEY && false)', true],
  ])('%s is %j', (text, value) => {
    expect(outcome(text)).toEqual({ value })
  })
})

describe('values that only a run knows', () => {
  test.each([
    ['secrets.KEY', 'a secret', undefined],
    ["secrets.KEY == 'x'", 'a secret', undefined],
    ['needs.a.outputs.x', 'an output of a step', undefined],
    ['toJSON(steps)', 'an output of a step', undefined],
    ["format('{0}', steps.x.outputs.other)", 'an output of a step', undefined],
    ["hashFiles('**')", 'the files of the job', undefined],
    ['runner.os', 'the runner', undefined],
    ['secrets.KEY && true', 'a secret', undefined],
    ['secrets.KEY && false', 'a secret', false],
    ['secrets.KEY || true', 'a secret', true],
  ])('%s is %s', (text, what, truth) => {
    expect(outcome(text)).toEqual({ unknown: what, ...(truth !== undefined && { truth }) })
  })
})

test.each([
  ["fromJSON('{')", /./],
  ['nonsense.x', /nonsense/],
  ['1 +', /./],
])('%s fails with a reason', (text, reason) => {
  expect(outcome(text)).toEqual({ fails: expect.stringMatching(reason) })
})

test('a text is filled in, or is its expression alone with its type', () => {
  expect(fillInKnown('${{ on.webhook.outputs.body.list }}', CONTEXTS)).toEqual({
    value: ['a', 'b'],
  })
  expect(fillInKnown('a ${{ on.webhook.outputs.method }}!', CONTEXTS)).toEqual({
    value: 'a post!',
  })
  expect(fillInKnown('a ${{ secrets.X }}', CONTEXTS)).toEqual({ unknown: 'a secret' })
})
