import { describe, expect, test } from '@jest/globals'
import { summaryHtml } from '../../src/action/summary.ts'
import { arrivalTable, cut, escapeHtml, isShown } from '../../src/action/summary-tables.ts'
import type { Decision } from '../../src/engine/evaluation.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { type Message, notice, warning } from '../../src/wire/messages.ts'
import { evaluationOf } from '../support/evaluations.ts'

const READERS = { isPublic: false, secrets: {} }
const ABOUT = { ...READERS, arrival: undefined, workflow: 'hook' }

const many = <One>(count: number, one: (at: number) => One): One[] =>
  Array.from({ length: count }, (_, at) => one(at))

/** The lines of a summary below its title. */
const lines = (...given: Parameters<typeof evaluationOf>) =>
  summaryHtml(evaluationOf(...given), ABOUT)
    .trimEnd()
    .split('\n')
    .slice(1)

const cells = (row: readonly string[]) => `<tr>${row.map((one) => `<td>${one}</td>`).join('')}</tr>`

describe('messages', () => {
  const error = (text: string): Message => ({ level: 'error', code: 'x', text })

  test.each([
    ['error', error, '<b>Error:</b> '],
    ['warning', (text: string) => warning('x', text), '<b>Warning:</b> '],
    ['notice', (text: string) => notice('x', text), ''],
  ])('ten of the level %s, and the number of the others', (_, make, label) => {
    const shown = many(10, (at) => `<p>${label}m${at}.</p>`)
    expect(lines({ messages: many(10, (at) => make(`m${at}`)) })).toEqual(shown)
    expect(lines({ messages: many(12, (at) => make(`m${at}`)) })).toEqual([
      ...shown,
      '<p>And 2 more like these.</p>',
    ])
  })

  test('a reason that the tenth warning repeats is left out; one of the eleventh is not', () => {
    const others = (count: number) => many(count, (at) => warning('x', `m${at}`))
    const [first] = lines({ reason: 'r', messages: [...others(9), warning('failed', 'r')] })
    expect(first).toBe('<p><b>Warning:</b> m0.</p>')
    const [stated] = lines({ reason: 'r', messages: [...others(10), warning('failed', 'r')] })
    expect(stated).toBe('<p>r.</p>')
    const [noticed] = lines({ reason: 'r', messages: [notice('failed', 'r')] })
    expect(noticed).toBe('<p>r.</p>')
  })

  test('a text of 2,000 characters is whole, and a longer one is cut', () => {
    expect(lines({ reason: 'r'.repeat(2_000) })).toEqual([`<p>${'r'.repeat(2_000)}.</p>`])
    expect(lines({ reason: 'r'.repeat(2_001) })).toEqual([
      `<p>${'r'.repeat(2_000)}… (2001 characters).</p>`,
    ])
  })
})

describe('decisions', () => {
  const decision = (at: number, more: Partial<Decision> = {}): Decision => {
    return { trigger: `t${at}`, fired: false, reason: `r${at}`, checks: [], ...more }
  }
  const HEAD = '<tr><th>Trigger</th><th>Outcome</th><th>Why</th></tr>'
  const row = (at: number, outcome = 'skipped') => cells([`<code>t${at}</code>`, outcome, `r${at}`])

  test('forty in their order; of more, the ones that fired come first', () => {
    const forty = many(40, (at) => decision(at, { fired: at === 39 }))
    expect(lines({ decisions: forty })).toEqual([
      ...['<table>', HEAD, ...many(39, (at) => row(at)), row(39, 'fired'), '</table>'],
    ])
    expect(lines({ decisions: [...forty, decision(40)] })).toEqual([
      ...['<table>', HEAD, row(39, 'fired'), ...many(39, (at) => row(at)), '</table>'],
      '<p>1 more trigger, not shown.</p>',
    ])
  })

  test('ten conditions, those of the filter after the checks', () => {
    const checks = many(11, (at) => ({ option: `o${at}`, held: at % 2 === 0, found: 'f' }))
    const [, , shown] = lines({ decisions: [decision(0, { checks })] })
    const told = many(10, (at) => (at % 2 === 0 ? `✓ o${at}: f` : `✗ o${at} f`))
    expect(shown).toBe(cells(['<code>t0</code>', 'skipped', told.join('<br>')]))
  })

  test.each<[string, NonNullable<Decision['tally']>, string]>([
    ['one item without steps', { found: 1, passedOn: 1, steps: [] }, '✓ o: f'],
    ['no item', { found: 0, passedOn: 0, steps: [] }, '✓ o: f<br>0 items found, 0 passed on'],
    [
      'one item and steps',
      { found: 1, passedOn: 0, steps: ['a 1', 'b 2'] },
      '✓ o: f<br>1 item found, 0 passed on: a 1; b 2',
    ],
    [
      'a batch of which all events were met',
      { events: { came: 1, held: 1 }, found: 1, passedOn: 1, steps: [] },
      '✓ o: f<br>1 event came; 1 item found, 1 passed on',
    ],
    [
      'a batch of which some were dropped',
      { events: { came: 9, held: 5 }, found: 5, passedOn: 2, steps: ['filter dropped 3'] },
      '✓ o: f<br>9 events came, 4 dropped; 5 items found, 2 passed on: filter dropped 3',
    ],
  ])('%s', (_, tally, why) => {
    const checks = [{ option: 'o', held: true, found: 'f' }]
    const [, , shown] = lines({ decisions: [decision(0, { checks, tally })] })
    expect(shown).toBe(cells(['<code>t0</code>', 'skipped', why]))
  })
})

describe('items', () => {
  const fired = (outputs: JsonObject | JsonObject[]) => ({
    unknown: { outcome: 'success', conclusion: 'success', outputs } as const,
  })
  const of = (items: readonly JsonObject[], about = ABOUT) => {
    const evaluation = evaluationOf({ trigger: 'unknown', items, contexts: items.map(fired) })
    return summaryHtml(evaluation, about).trimEnd().split('\n').slice(1)
  }
  const named = (count: number) => Object.fromEntries(many(count, (at) => [`f${at}`, at] as const))

  test('six columns; the names of forty other fields, and the number of the others', () => {
    const heads = many(6, (at) => `<th><code>f${at}</code></th>`)
    const table = [
      ...['<table>', `<tr><th>Item of <code>unknown</code></th>${heads.join('')}</tr>`],
      ...[cells(['1', ...many(6, (at) => `<code>${at}</code>`)]), '</table>'],
    ]
    expect(of([named(6)])).toEqual(table)
    const names = (count: number) => many(count, (at) => `<code>f${at + 6}</code>`).join(', ')
    expect(of([named(46)])).toEqual([...table, `<p>Further fields: ${names(40)}.</p>`])
    expect(of([named(48)])).toEqual([...table, `<p>Further fields: ${names(40)}, 2 more.</p>`])
  })

  test('twenty rows of all triggers, also of a list', () => {
    const evaluation = (count: number) =>
      evaluationOf({
        ...{ trigger: 'unknown', items: [{}] },
        contexts: [fired(many(count, (a) => ({ a }))), fired({ a: 'last' })],
      })
    const rows = (count: number) => summaryHtml(evaluation(count), ABOUT).split('\n').slice(3, -2)
    const row = (at: number) => cells([String(at + 1), `<code>${at}</code>`])
    expect(rows(19)).toEqual([...many(19, row), cells(['20', '<code>last</code>'])])
    expect(rows(21)).toEqual([...many(20, row), '</table>'])
    expect(summaryHtml(evaluation(21), ABOUT)).toContain(
      '</table>\n<p>2 more items: see the output items.</p>\n',
    )
  })

  test('an absent value, an empty one, and one of another type', () => {
    expect(of([{ a: '', b: null, c: false }, { c: [1] }]).slice(2, 4)).toEqual([
      cells(['1', '', '<code>null</code>', '<code>false</code>']),
      cells(['2', '', '', '<code>[1]</code>']),
    ])
  })

  test('no name of a field in a public repository, and none that is a secret', () => {
    expect(of([named(3)], { ...ABOUT, isPublic: true })).toEqual([
      '<p>Further fields: 3 more.</p>',
      '<p>Values are not shown, because anyone can read the summaries of a public repository.</p>',
    ])
    expect(of([{ hunter2: 1 }], { ...ABOUT, secrets: { S: 'hunter2' } })).toEqual([
      '<p>Further fields: 1 more.</p>',
    ])
  })
})

test('a column of the trigger is there if one of the items has its value', () => {
  const items = [{ text: 'hi' }, { from: { first_name: 'Ada' }, update_id: 2 }, {}]
  const contexts = items.map((outputs) => ({
    messaging_bot: { outcome: 'success', conclusion: 'success', outputs } as const,
    other: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } as const,
  }))
  expect(lines({ trigger: 'messaging_bot', items, contexts })).toEqual([
    '<table>',
    '<tr><th>Item of <code>messaging_bot</code></th><th><code>from.first_name</code></th><th><code>text</code></th></tr>',
    cells(['1', '', '<code>hi</code>']),
    cells(['2', '<code>Ada</code>', '']),
    cells(['3', '', '']),
    '</table>',
    '<p>Further fields: <code>update_id</code>.</p>',
  ])
})

describe('failed items', () => {
  test('by their ids, the size without "config"', () => {
    const failed = [
      { delivery: 'd-1', step: 'size', reason: 'too large' },
      { item: 2, step: 'format', reason: 'r' },
    ]
    expect(lines({ failed, reason: 'r' })).toEqual([
      '<p>r.</p>',
      '<table>',
      '<tr><th>Failed item</th><th>Option</th><th>Reason</th></tr>',
      cells(['delivery <code>d-1</code>', '<code>size</code>', 'too large']),
      cells(['item <code>2</code>', '<code>config.format</code>', 'r']),
      '</table>',
      '<p>These items were not passed to the jobs. Look them up at the service by their ids, fix the option, and send them again.</p>',
    ])
  })
})

describe('the request', () => {
  const arrival = {
    ...{ method: 'POST', path: '/hook/webhook?a=1&b', contentType: 'text/plain', size: 999 },
    ...{ isBatch: false, delivery: undefined, receivedAt: undefined },
  }
  const body = (more: Partial<typeof arrival> | { size: undefined }) =>
    arrivalTable({ ...arrival, ...more }, READERS)[3]

  test.each([
    [{}, '<code>text/plain</code>, 999 bytes'],
    [{ size: 1_000 }, '<code>text/plain</code>, 1.0 KB'],
    [{ size: 12_345 }, '<code>text/plain</code>, 12.3 KB'],
    [{ size: 0 }, 'none'],
    [{ size: undefined }, 'not readable'],
    [{ contentType: 'x'.repeat(200) }, `<code>${'x'.repeat(200)}</code>, 999 bytes`],
    [
      { contentType: 'x'.repeat(201) },
      `<code>${'x'.repeat(200)}… (201 characters)</code>, 999 bytes`,
    ],
  ])('%j has the body %s', (more, shown) => {
    expect(body(more)).toBe(cells(['Body', shown]))
  })

  test('a batch has no body of its own', () => {
    expect(arrivalTable({ ...arrival, isBatch: true }, READERS)).toEqual([
      '<table>',
      '<tr><th>Webhook</th><th></th></tr>',
      cells(['Request', '<code>POST</code> <code>hook/webhook?a=…&#38;b=…</code>']),
      '</table>',
    ])
  })

  test.each([
    ['hook/webhook', 'hook/webhook'],
    ['hook/webhook/', 'hook/webhook'],
    ['hook/webhook/a', 'hook/webhook/…'],
    ['hook/webhook?a', 'hook/webhook?…'],
    ['hook/webhook/a?b', 'hook/webhook/…?…'],
    ['a b/webhook', '(not a webhook path)'],
    ['hook/a b', '(not a webhook path)'],
    [`${'x'.repeat(101)}/webhook`, '(not a webhook path)'],
  ])('of a public repository, %s is shown as %s', (path, shown) => {
    const table = arrivalTable({ ...arrival, path }, { ...READERS, isPublic: true })
    expect(table[2]).toBe(cells(['Request', `<code>POST</code> <code>${shown}</code>`]))
  })
})

test.each<[string, Json, boolean]>([
  ['body.a', 'x'.repeat(160), true],
  ['body.a', 'x'.repeat(161), false],
  ['body.a', 'a hunter2', false],
  ['body.a', ['hunter2'], false],
  ['body.headers', 'x', true],
  ['headersof', 'x', true],
  ['headers.a', 'x', false],
  ['["headers"].a', 'x', false],
  ['query.a', 'x', false],
  ['querystring', 'x', false],
  ['search', 'x', false],
])('the value at %s, %j, may be shown: %s', (path, value, shown) => {
  const secrets = { S: 'hunter2' }
  expect(isShown(path, value, { isPublic: false, secrets })).toBe(shown)
  expect(isShown(path, value, { isPublic: true, secrets })).toBe(false)
})

test('a cut text has no half of a character, and ends with its length', () => {
  expect([cut('abc', 3), cut('abcd', 3), cut('ab😀d', 3)]).toEqual([
    ...['abc', 'abc… (4 characters)', 'ab… (5 characters)'],
  ])
})

test('escaped text is one line', () => {
  const text = '&<>"\'|`\r\n\u2028\u2029a\nb\u0000\u001f\u007f\u009f\u00a0'
  const escaped = '&#38;&#60;&#62;&#34;&#39;&#124;&#96; a b\ufffd\ufffd\ufffd\ufffd\u00a0'
  expect(escapeHtml(text)).toBe(escaped)
})
