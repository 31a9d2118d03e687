import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import {
  conditionText,
  type ExpressionResult,
  evaluateText,
  fillInKnown,
  forContext,
  parseForEvaluation,
  RESULTS,
  SUCCESS_STATUS,
  truthOf,
  UNKNOWN_OF_GITHUB,
  UNKNOWN_STATUS,
  unknownValue,
} from '../../src/model/evaluate-expression.ts'
import type { Json } from '../../src/wire/json.ts'

/** Texts, and what is known of them; `success` and `unknown` are the results of the jobs before. */
interface Cases {
  readonly success: readonly [text: string, outcome: ExpressionResult][]
  readonly unknown: readonly [text: string, outcome: ExpressionResult][]
  readonly read: readonly [text: string, facts: object][]
  readonly filled: readonly [text: string, outcome: ExpressionResult][]
  readonly conditions: readonly [written: string, expression: string][]
  readonly results: readonly [outcome: ExpressionResult, truth: boolean | null, value: Json][]
}

const CASES: Cases = parse(readFileSync(new URL('expressions.yml', import.meta.url), 'utf8'))

const OUTPUTS = { method: 'post', list: ['a', 'b'], flags: [true, null, { n: 1.5 }], empty: '' }

const CONTEXTS = {
  on: { webhook: { outputs: OUTPUTS } },
  needs: {
    a: { result: 'success', outputs: unknownValue('an output of a') },
    b: { result: unknownValue('the result of b', RESULTS) },
    c: { result: unknownValue('the result of c', ['success', 'failure']) },
  },
  steps: { x: { outputs: { known: '1', other: unknownValue('an output of x') } } },
  github: { ...UNKNOWN_OF_GITHUB, event_name: 'push', event: { action: 'opened' } },
  inputs: {
    go: true,
    flag: unknownValue('a flag', [false, 0, '']),
    any: unknownValue('any', [true, '']),
  },
}

describe('an expression whose value a run may have to find', () => {
  test.each(CASES.success)('%s, after jobs that succeed', (text, outcome) => {
    expect(evaluateText(text, CONTEXTS, SUCCESS_STATUS)).toEqual(outcome)
  })

  test.each(CASES.unknown)('%s, after jobs whose results are not known', (text, outcome) => {
    expect(evaluateText(text, CONTEXTS, UNKNOWN_STATUS)).toEqual(outcome)
  })
})

test.each(CASES.read)('the contexts and functions of %s', (text, facts) => {
  const { tree, contexts, ...rest } = Object(parseForEvaluation(text))
  expect({ ...rest, contexts: [...contexts] }).toEqual(facts)
})

test.each(CASES.filled)('the text %j is filled in', (text, outcome) => {
  expect(fillInKnown(text, CONTEXTS)).toEqual(outcome)
})

test.each(CASES.conditions)('the condition %j as one expression', (written, expression) => {
  expect(conditionText(written)).toBe(expression)
})

test.each(CASES.results)('%j is true: %j', (outcome, truth, value) => {
  expect([truthOf(outcome) ?? null, forContext(outcome)]).toEqual([truth, value])
})
