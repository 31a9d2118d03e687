import { describe, expect, test } from '@jest/globals'
import type { OutputReader, ShownJobs } from '../../src/inspector/api.ts'
import { eventJson, formatEvent, listLine } from '../../src/inspector/event-text.ts'
import type { DevEvent } from '../../src/inspector/local-engine.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'

const EVENT: DevEvent = {
  ...{
    delivery: 'd-1',
    method: 'POST',
    path: 'hook/webhook',
    workflow: 'hook',
    trigger: 'webhook',
  },
  ...{ decisions: [], items: [], count: 0, found: [], fields: [] },
  ...{ messages: [], problems: [], explanations: [] },
  reason: undefined,
  milliseconds: 1.5,
}

const source = {
  ...{ name: 'workflows/hook.yml', file: 'workflows/hook.yml' },
  text: 'on:\n  webhook:\n    method: psot\n',
}
const MISTAKE = {
  message: 'unknown HTTP method "psot"',
  position: { source, line: 3, column: 13, length: 4 },
  hint: 'did you mean "post"?',
}

const FACT = { line: 7, place: 'if', text: 'true', outcome: { value: true } } as const

const JOBS: readonly ShownJobs[] = [
  {
    file: 'workflows/hook.yml',
    items: 1,
    jobs: [{ id: 'say', line: 5, verdict: 'runs', why: 'its if is true', facts: [FACT] }],
  },
]

function context(outputs: JsonObject): DevEvent['items'][number] {
  return { webhook: { outcome: 'success', conclusion: 'success', outputs } }
}

const SKIPPED = { outcome: 'skipped', conclusion: 'skipped', outputs: {} } as const

describe('an event as a line of JSON', () => {
  test('has its seven facts, and no empty list', () => {
    expect(JSON.parse(eventJson(EVENT, []))).toEqual({
      ...{ delivery: 'd-1', workflow: 'hook', trigger: 'webhook', triggered: false, count: 0 },
      ...{ items: [], reason: null },
    })
  })

  test('has the messages, mistakes, explanations and jobs that there are', () => {
    const message = { level: 'warning', code: 'batch', text: 'a batch' } as const
    const explanation = { trigger: 'webhook', condition: 'method', path: null, sentence: 'no' }
    const event: DevEvent = {
      ...{ ...EVENT, count: 1, items: [context({ a: 1 })], reason: 'why' },
      ...{ messages: [message], explanations: [explanation] },
      problems: [MISTAKE, { message: 'the poll failed' }],
    }
    const text = eventJson(event, JOBS)
    expect(text).not.toContain('\n')
    expect(JSON.parse(text)).toEqual({
      ...{ delivery: 'd-1', workflow: 'hook', trigger: 'webhook', triggered: true, count: 1 },
      ...{ items: event.items, reason: 'why', messages: [message], explanations: [explanation] },
      problems: [
        {
          message: 'unknown HTTP method "psot"',
          ...{ file: 'workflows/hook.yml', line: 3, column: 13, hint: 'did you mean "post"?' },
        },
        { message: 'the poll failed' },
      ],
      jobs: [
        {
          file: 'workflows/hook.yml',
          jobs: [{ id: 'say', verdict: 'runs', why: 'its if is true' }],
        },
      ],
    })
  })
})

describe('an event for a person', () => {
  const lines = (more: Partial<DevEvent>, readers: readonly OutputReader[] = []) =>
    formatEvent({ ...EVENT, ...more }, readers, []).split('\n')
  const POLL = { method: 'POLL', path: '' }
  const messages = [
    { level: 'notice', code: 'c', text: 'third' },
    { level: 'error', code: 'a', text: 'first\nline' },
    { level: 'warning', code: 'b', text: 'second' },
  ] as const
  const decision = { trigger: 'webhook', fired: false, reason: '', checks: [] }
  const tally = { found: 2, passedOn: 0, steps: ['filter dropped 2', 'filter: a is "b\t"'] }

  test.each<[string, Partial<DevEvent>, readonly string[]]>([
    ['nothing', {}, ['POST /webhook/hook/webhook  skipped  2 ms']],
    ['one item', { count: 1 }, ['POST /webhook/hook/webhook  fired, 1 item  2 ms']],
    ['two items', { count: 2 }, ['POST /webhook/hook/webhook  fired, 2 items  2 ms']],
    ['a poll', { ...POLL, count: 1 }, ['POLL hook/webhook  fired, 1 item  2 ms']],
    ['a poll of no trigger', { ...POLL, trigger: '' }, ['POLL hook  skipped  2 ms']],
    [
      'a reason',
      { reason: 'no event', milliseconds: 0.4 },
      ['POST /webhook/hook/webhook  skipped  0 ms', '  no event'],
    ],
    [
      'a problem that is the reason',
      { reason: 'it failed', problems: [{ message: 'it failed' }] },
      ['POST /webhook/hook/webhook  failed  2 ms', '  error: it failed'],
    ],
    [
      'a mistake in a file',
      { reason: 'the workflow has mistakes', problems: [MISTAKE] },
      [
        'POST /webhook/hook/webhook  failed  2 ms',
        '  the workflow has mistakes',
        '  error: unknown HTTP method "psot"',
        '    --> workflows/hook.yml:3:13',
        '     |',
        '   3 |     method: psot',
        '     |             ^^^^ did you mean "post"?',
      ],
    ],
    [
      'steps of config that the reason does not contain, and messages by their level',
      {
        reason: 'filter dropped 2; path: any path',
        decisions: [decision, { ...decision, tally }],
        messages,
      },
      [
        'POST /webhook/hook/webhook  skipped  2 ms',
        '  filter dropped 2; path: any path',
        '  filter: a is "b\ufffd"',
        '  error: first\ufffdline',
        '  warning: second',
        '  notice: third',
      ],
    ],
    [
      'steps of an event that fired',
      { count: 1, decisions: [{ ...decision, tally }] },
      [
        'POST /webhook/hook/webhook  fired, 1 item  2 ms',
        '  filter dropped 2',
        '  filter: a is "b\ufffd"',
      ],
    ],
  ])('with %s', (_, more, expected) => {
    expect(lines(more)).toEqual([...expected, ''])
  })

  const output = (value: Json, readers: readonly OutputReader[] = []) => {
    const items = [context({ body: value })]
    const [, ...all] = lines({ count: 1, items, fields: ['body'] }, readers)
    return all.slice(0, -1)
  }

  test.each<[Json, string]>([
    ['a', 'on.webhook.outputs.body = "a"'],
    [null, 'on.webhook.outputs.body = null'],
    [{ a: [1] }, 'on.webhook.outputs.body = {"a":[1]}'],
    [[1, 2], 'on.webhook.outputs.body = [1,2]'],
    ['x'.repeat(498), `on.webhook.outputs.body = "${'x'.repeat(498)}"`],
    ['x'.repeat(499), `on.webhook.outputs.body = "${'x'.repeat(499)}… (501 characters)`],
  ])('the output %j', (value, line) => {
    expect(output(value)).toEqual([`  ${line}`])
  })

  const file = 'w.yml'
  const job = { file, job: 'on', step: { id: 'hook' } }
  const steps: OutputReader = { kind: 'steps', ...job }
  const needs = (reader: string, outputs: Record<string, string>): OutputReader => ({
    ...({ kind: 'needs', ...job, reader, outputs } as const),
  })
  const whole = { b: '${{ steps.hook.outputs.body }}' }

  test.each<[string, readonly OutputReader[], readonly string[]]>([
    ['nothing', [], ['on.webhook.outputs.body = "a"']],
    ['a source', [{ kind: 'source', file }], ['on.webhook.outputs.body = "a"']],
    [
      'a source and a native workflow',
      [steps, needs('one', whole), { kind: 'source', file }],
      ['on.webhook.outputs.body = "a"'],
    ],
    ['later steps', [steps], ['steps.hook.outputs.body = "a"']],
    [
      'later jobs, of which one lacks the output',
      [steps, needs('one', whole), needs('two', {}), needs('three', whole)],
      ['steps.hook.outputs.body = "a"', '  job one, job three: needs.on.outputs.b'],
    ],
    [
      'a matrix and a later job',
      [steps, { kind: 'matrix', file, reader: 'each', name: 'on' }, needs('one', whole)],
      [
        'steps.hook.outputs.body = "a"',
        '  job each, once per item: matrix.on.webhook.outputs.body',
        '  job one: needs.on.outputs.b',
      ],
    ],
    // Without a step that reads them, the form of a source is shown.
    [
      'a later job alone',
      [needs('one', whole)],
      ['on.webhook.outputs.body = "a"', '  job one: needs.on.outputs.b'],
    ],
  ])('outputs as they are read by %s', (_, readers, expected) => {
    expect(output('a', readers)).toEqual(expected.map((line) => `  ${line}`))
  })

  test('an output that is null, as later steps read it from the context', () => {
    const expression = "fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.body"
    expect(output(null, [steps])).toEqual([`  ${expression} = null`])
    expect(output({ a: 1 }, [steps])).toEqual(['  steps.hook.outputs.body = {"a":1}'])
  })

  test('each item, each fired trigger, and the jobs at last', () => {
    const items = [{ slack: SKIPPED, ...context({ a: 1, 'b c': 2 }) }, context({ a: { b: 3 } })]
    const text = formatEvent({ ...EVENT, count: 2, items, fields: ['a', 'b c'] }, [steps], JOBS)
    expect(text.split('\n')).toEqual([
      'POST /webhook/hook/webhook  fired, 2 items  2 ms',
      "  fromJSON(steps.hook.outputs.on || '{}').webhook.outputs.a = 1",
      "  fromJSON(steps.hook.outputs.on || '{}').webhook.outputs['b c'] = 2",
      `  fromJSON(steps.hook.outputs.items || '[]')[1].webhook.outputs.a = {"b":3}`,
      '  jobs of workflows/hook.yml:',
      '    say  runs       its if is true',
      '      workflows/hook.yml:7  if = true',
      '',
    ])
  })
})

test.each([
  [undefined, 'signed  http://h/webhook/hook/webhook'],
  [{ method: 'GET', path: '/a' }, 'GET     http://h/webhook/hook/webhook/a'],
  [{ method: 'OPTIONS', path: '' }, 'OPTIONS http://h/webhook/hook/webhook'],
])('a trigger with the example %j is one line', (example, line) => {
  const url = 'http://h/webhook/hook/webhook'
  const found = { workflow: 'hook', trigger: 'webhook', signatures: [], updates: [] }
  expect(listLine({ ...found, url, example })).toBe(line)
})
