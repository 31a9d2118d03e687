import { data, Evaluator, Parser } from '@actions/expressions'
import { describe, expect, test } from '@jest/globals'
import { writtenOutputs } from '../../src/action/outputs.ts'
import type { OutputReader } from '../../src/inspector/api.ts'
import {
  type OutputPath,
  offers,
  onExpression,
  stepExpression,
} from '../../src/inspector/page/expression.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { lex } from '../../src/workflow/expressions.ts'
import { evaluationOf } from '../support/evaluations.ts'
import { fc } from '../support/properties.ts'

/** The value of a copied expression, by GitHub's own library. */
function evaluate(copied: string, contexts: Record<string, Json>): Json {
  const [, text = ''] = /^\$\{\{ (.*) \}\}$/s.exec(copied) ?? []
  const tree = new Parser(lex(text), Object.keys(contexts), []).parse()
  const given = JSON.parse(JSON.stringify(contexts), data.reviver)
  return JSON.parse(JSON.stringify(new Evaluator(tree, given).evaluate(), data.replacer))
}

const ISSUE = { title: 'it breaks', labels: [{ name: 'bug' }], open: true, 'a key': 1, "it's": 2 }

function place(
  path: OutputPath['path'],
  item: JsonObject,
  more: Partial<OutputPath> = {},
): OutputPath {
  const value = path.reduce<Json>((at, key) => (at as Record<string, Json>)[key] ?? null, item)
  return { trigger: 'webhook', path, value, item: 0, fields: Object.keys(item), ...more }
}

describe('the expression that is copied', () => {
  const item = { method: 'post', body: { issue: ISSUE }, text: 'plain', none: null, trigger: 'own' }
  const fields = ['method', 'body', 'text', 'none', 'trigger']

  test.each<[OutputPath['path'], string, string]>([
    [['method'], 'on.webhook.outputs.method', 'steps.hook.outputs.method'],
    [
      ['body', 'issue', 'title'],
      'on.webhook.outputs.body.issue.title',
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.body.issue.title",
    ],
    [
      ['body', 'issue', 'labels', 0, 'name'],
      'on.webhook.outputs.body.issue.labels[0].name',
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.body.issue.labels[0].name",
    ],
    [
      ['body', 'issue', 'a key'],
      "on.webhook.outputs.body.issue['a key']",
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.body.issue['a key']",
    ],
    [
      ['body', 'issue', "it's"],
      "on.webhook.outputs.body.issue['it''s']",
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.body.issue['it''s']",
    ],
    [
      ['none'],
      'on.webhook.outputs.none',
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.none",
    ],
    [['body'], 'toJSON(on.webhook.outputs.body)', 'steps.hook.outputs.body'],
    [
      ['body', 'issue', 'labels'],
      'toJSON(on.webhook.outputs.body.issue.labels)',
      "toJSON(fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.body.issue.labels)",
    ],
    // No field can have the name of a fixed output.
    [
      ['trigger'],
      'on.webhook.outputs.trigger',
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.trigger",
    ],
  ])('of %j', (path, on, native) => {
    const at = { ...place(path, item), fields }
    expect(onExpression(at)).toBe(`\${{ ${on} }}`)
    expect(stepExpression(at, 'hook')).toBe(`\${{ ${native} }}`)
  })

  test('of a later item, and of a field without an output of its own', () => {
    const at = place(['body'], { body: 'x' }, { item: 2 })
    const second = "fromJSON(steps.hook.outputs.items || '[]')[2].webhook.outputs.body"
    expect(stepExpression(at, 'hook')).toBe(`\${{ ${second} }}`)
    const other = place(['forwarded'], { forwarded: 1 }, { fields: [] })
    const on = "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.forwarded"
    expect(stepExpression(other, 'hook')).toBe(`\${{ ${on} }}`)
  })
})

const ON_TEXT = "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.text"
const CONTEXT_OF_C = "toJSON(fromJSON(needs.on.outputs.c || '{}').webhook.outputs.body)"
const ITEMS_OF_C = "toJSON(fromJSON(needs.on.outputs.c || '[]')[0].webhook.outputs.body)"

describe('what is offered', () => {
  const item = { method: 'post', body: { issue: ISSUE }, text: 'plain' }
  const at = place(['body', 'issue', 'title'], item)
  const needs = {
    ...({ kind: 'needs', file: 'w.yml', job: 'on' } as const),
    ...{ step: { id: 'hook' }, reader: 'later' },
  }
  const of = (place: OutputPath, outputs: Record<string, string>) =>
    offers(place, [{ ...needs, outputs }])[0]

  test.each<[string, Record<string, string>, string]>([
    [
      'the context in another taste',
      { b: '${{steps.hook.outputs.on}}' },
      "fromJSON(needs.on.outputs.b || '{}').webhook.outputs.body.issue.title",
    ],
    [
      'the context',
      { on: '${{ steps.hook.outputs.on }}' },
      "fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.title",
    ],
    [
      'all items',
      { all: '${{ steps.hook.outputs.items }}' },
      "fromJSON(needs.on.outputs.all || '[]')[0].webhook.outputs.body.issue.title",
    ],
    [
      'the very value',
      {
        title: "${{ fromJson(steps.hook.outputs.on || '{}').webhook.outputs.body.issue.title }}",
        b: '${{ steps.hook.outputs.body }}',
      },
      'needs.on.outputs.title',
    ],
  ])('to a later job that gets %s', (_, outputs, expression) => {
    const offer = of(at, outputs)
    expect(offer?.expression).toBe(`\${{ ${expression} }}`)
    expect(offer?.missing).toBeUndefined()
  })

  test('to a later job that gets nothing of it: with the line that its job lacks', () => {
    expect(of(at, { method: '${{ steps.hook.outputs.method }}' })).toMatchObject({
      expression: "${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.title }}",
      missing: { line: 'on: ${{ steps.hook.outputs.on }}' },
    })
    expect(of({ ...at, item: 1 }, {})).toMatchObject({
      expression:
        "${{ fromJSON(needs.on.outputs.items || '[]')[1].webhook.outputs.body.issue.title }}",
      missing: { line: 'items: ${{ steps.hook.outputs.items }}' },
    })
  })

  test('to a matrix, to a source, and to a step that has no id yet', () => {
    const matrix = { kind: 'matrix', file: 'w.yml', reader: 'each', name: 'on' } as const
    const source = { kind: 'source', file: 'workflows/w.yml' } as const
    const steps = { kind: 'steps', file: 'w.yml', job: 'on', step: { id: null } } as const
    const all = offers(at, [matrix, source, steps])
    const on = 'webhook.outputs.body.issue.title'
    expect(all).toEqual([
      {
        ...{ key: 'matrix w.yml each', file: 'w.yml', where: 'job each, once per item' },
        expression: `\${{ matrix.on.${on} }}`,
      },
      {
        ...{ key: 'on', file: 'workflows/w.yml', where: 'every job' },
        expression: `\${{ on.${on} }}`,
      },
      {
        ...{ key: 'steps w.yml on', file: 'w.yml', where: 'job on, later steps' },
        expression: `\${{ fromJSON(steps.hookline.outputs.on || '{}').${on} }}`,
        missing: {
          why: 'the step that uses the action in job on has no id',
          line: 'id: hookline',
        },
      },
    ])
    const unwritten = { kind: 'steps', file: '', job: '', step: { id: 'hookline' } } as const
    expect(offers(at, [unwritten])).toEqual([
      {
        ...{ key: 'steps  ', file: '', where: 'a job that uses the action, its step' },
        expression: `\${{ fromJSON(steps.hookline.outputs.on || '{}').${on} }}`,
      },
    ])
  })

  test('to a later job of a step without an id, by the id that it gets', () => {
    const [offer] = offers(at, [{ ...needs, step: { id: null }, outputs: {} }])
    expect(offer).toEqual({
      ...{ key: 'needs w.yml later', file: 'w.yml', where: 'job later' },
      expression: "${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.title }}",
      missing: {
        why: 'job on does not output it: add a line to its outputs',
        line: 'on: ${{ steps.hookline.outputs.on }}',
      },
    })
  })

  test.each<[string, Record<string, string>, string]>([
    ['itself', { b: '${{ steps.hook.outputs.body }}' }, 'needs.on.outputs.b'],
    [
      'another output before it',
      { a: 'x', b: '${{\n steps.hook.outputs.body}}' },
      'needs.on.outputs.b',
    ],
    ['only the context', { c: '${{ steps.hook.outputs.on }}' }, CONTEXT_OF_C],
    ['only the items', { c: '${{ steps.hook.outputs.items }}' }, ITEMS_OF_C],
    [
      'the JSON of the context',
      { c: '${{ toJSON( steps.hook.outputs.on ) }}' },
      'needs.on.outputs.body',
    ],
  ])('of a whole body to a later job that gets %s', (_, outputs, expression) => {
    const body = place(['body'], item)
    expect(of(body, outputs)?.expression).toBe(`\${{ ${expression} }}`)
  })

  test.each<[string, Partial<OutputPath>, string]>([
    ['text of its own', {}, 'steps.hook.outputs.text'],
    ['a number, which a step output would turn into text', { value: 1 }, ON_TEXT],
    ['null', { value: null }, ON_TEXT],
    ['a field without an output', { fields: ['body'] }, ON_TEXT],
    [
      'a later item',
      { item: 1 },
      "fromJSON(steps.hook.outputs.items || '[]')[1].webhook.outputs.text",
    ],
    [
      'an index',
      { path: [0], fields: ['0'] },
      "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs[0]",
    ],
  ])('of %s to later steps', (_, more, expression) => {
    expect(stepExpression({ ...place(['text'], item), ...more }, 'hook')).toBe(
      `\${{ ${expression} }}`,
    )
  })
})

describe("GitHub's evaluator finds by it", () => {
  // GitHub compares names case-insensitively, so keys that differ only in case cannot be
  // distinguished.
  const key = fc.string({ unit: 'grapheme', maxLength: 8 })
  const text = fc.string({ maxLength: 12 })
  const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .uniqueArray(fc.tuple(key, tie('value')), {
          maxLength: 4,
          selector: ([name]) => name.toUpperCase().toLowerCase(),
        })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }))
  const fieldName = fc.constantFrom('body', 'query', 'method', 'trigger', 'x-own')
  const item = fc.dictionary(fieldName, value, { minKeys: 1, noNullPrototype: true })

  function places(
    at: Json,
    path: OutputPath['path'] = [],
  ): { path: OutputPath['path']; value: Json }[] {
    const below =
      typeof at === 'object' && at !== null
        ? Array.isArray(at)
          ? at.flatMap((one, index) => places(one, [...path, index]))
          : Object.entries(at).flatMap(([name, one]) => places(one, [...path, name]))
        : []
    return path.length === 0 ? below : [{ path, value: at }, ...below]
  }

  /** Objects and lists are passed on as JSON. */
  function plain(read: Json, value: Json): Json {
    return typeof value === 'object' && value !== null ? JSON.parse(String(read)) : read
  }

  const job = { kind: 'needs', file: '', step: { id: 'h' }, reader: '' } as const
  const own = ['body', 'query', 'method', 'on', 'items'].map((name) => [
    name,
    `\${{ steps.h.outputs.${name} }}`,
  ])
  const readers: readonly OutputReader[] = [
    { ...job, job: 'one', outputs: Object.fromEntries(own) },
    { ...job, job: 'two', outputs: { all: '${{ steps.h.outputs.items }}' } },
    { kind: 'matrix', file: '', reader: '', name: 'on' },
  ]

  test('a key with several quotes', () => {
    const item = { body: { "'a''": 'x' } }
    const on = onExpression(place(['body', "'a''"], item))
    expect(evaluate(on, { on: { webhook: { outputs: item } } })).toBe('x')
  })

  test('every value, by every form', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 2 }), (items) => {
        const contexts = items.map((outputs) => ({
          webhook: { outcome: 'success', conclusion: 'success', outputs } as const,
        }))
        const fields = ['body', 'query', 'method', 'trigger']
        const outputs = Object.fromEntries(
          writtenOutputs(evaluationOf({ items, contexts, fields })),
        )
        const given = {
          needs: { one: { outputs }, two: { outputs: { all: outputs.items ?? '' } } },
        }
        for (const [index, one] of items.entries()) {
          for (const { path, value } of places(one)) {
            const at = { trigger: 'webhook', path, value, item: index, fields }
            const on = evaluate(onExpression(at), { on: contexts[index] ?? {} })
            expect(plain(on, value)).toEqual(value)
            const native = evaluate(stepExpression(at, 'h-1'), { steps: { 'h-1': { outputs } } })
            expect(plain(native, value)).toEqual(value)
            for (const { expression } of offers(at, readers)) {
              const read = evaluate(expression, { ...given, matrix: { on: contexts[index] ?? {} } })
              expect(plain(read, value)).toEqual(value)
            }
          }
        }
      }),
      { numRuns: 6 },
    )
  })
})
