import { data, Evaluator, Parser } from '@actions/expressions'
import { expressionSpans, lex } from '../../../src/workflow/expressions.ts'

export type Contexts = Readonly<Record<string, unknown>>

/** Evaluates an expression in GitHub's own language; contexts that are not given are empty. */
export function evaluate(expression: string, contexts: Contexts): unknown {
  return plain(evaluated(expression, contexts))
}

/** Fills in the `${{ }}` of a text, as GitHub does before a step gets its inputs. */
export function fillIn(text: string, contexts: Contexts): string {
  let at = 0
  let result = ''
  for (const { start, end } of expressionSpans(text)) {
    result += text.slice(at, start - 3) + evaluated(text.slice(start, end), contexts).coerceString()
    at = end + 2
  }
  return result + text.slice(at)
}

const EMPTY = Object.fromEntries(
  [
    'env',
    'github',
    'inputs',
    'job',
    'matrix',
    'needs',
    'runner',
    'secrets',
    'steps',
    'strategy',
    'vars',
  ].map((name) => [name, {}]),
)

const STATUS = ['always', 'success', 'failure', 'cancelled', 'hashFiles'].map((name) => ({
  name,
  minArgs: 0,
  maxArgs: 9,
  call: () => new data.BooleanData(true),
}))

function evaluated(expression: string, given: Contexts): data.ExpressionData {
  const contexts = { ...EMPTY, ...given }
  const tree = new Parser(lex(expression), Object.keys(contexts), STATUS).parse()
  const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
  const functions = new Map(STATUS.map((one) => [one.name.toLowerCase(), one]))
  return new Evaluator(tree, values, functions).evaluate()
}

function plain(value: data.ExpressionData): unknown {
  return JSON.parse(JSON.stringify(value, data.replacer))
}
