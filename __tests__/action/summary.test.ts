import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { type Circumstances, summaryHtml } from '../../src/action/summary.ts'
import {
  combineRuns,
  type Decision,
  type Evaluation,
  type Miss,
} from '../../src/engine/evaluation.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { notice, warning } from '../../src/wire/messages.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { evaluationOf, runOf } from '../support/evaluations.ts'
import { fc } from '../support/properties.ts'
import { fire, payload, type Sent } from './step.ts'

/** GitHub drops a larger summary. */
const MOST_BYTES = 1024 * 1024

/** The tags that the summary itself uses. */
const TAGS = /<\/?(h3|p|b|code|table|tr|th|td)>|<br>/g

const NOBODY: Circumstances = {
  isPublic: false,
  secrets: {},
  arrival: undefined,
  workflow: 'hook',
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** The cells of a table's rows as text, without tags, with character references decoded. */
function cells(summary: string): string[][] {
  return [...summary.matchAll(/<tr>(.*)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => plain(cell)),
  )
}

function plain(html: string): string {
  return html
    .replace(/<br>/g, '\n')
    .replace(TAGS, '')
    .replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)))
}

function rowOf(summary: string, head: string): string[] | undefined {
  return cells(summary).find(([first]) => first === head)
}

describe('the request in the summary', () => {
  const relayed = { 'x-hookline-delivery': 'd-1', 'x-hookline-received-at': '2026-01-01T00:00:00Z' }

  test('is shown whether or not a trigger fires', async () => {
    const sent = { path: 'hook/webhook/users/7', headers: { ...JSON_TYPE, ...relayed }, body: '{}' }
    for (const on of ['webhook', 'webhook: {method: get}', 'slack']) {
      const { summary } = await fire(on, sent)
      expect(cells(summary).slice(0, 5)).toEqual([
        ['Webhook', ''],
        ['Request', 'POST hook/webhook/users/7'],
        ['Body', 'application/json, 2 bytes'],
        ['Delivery', 'd-1'],
        ['Received', '2026-01-01T00:00:00Z'],
      ])
    }
  })

  test.each<[string, Sent, string]>([
    ['none', {}, 'none'],
    ['text', { body: 'é' }, '2 bytes'],
    ['base64', { body: 'AAEC', headers: { 'x-hookline-body-encoding': 'base64' } }, '3 bytes'],
    ['large', { body: 'x'.repeat(12_345) }, '12.3 KB'],
    ['broken', { body: '?', headers: { 'x-hookline-body-encoding': 'gzip' } }, 'not readable'],
  ])('a body that is %s has its size', async (_, sent, size) => {
    expect(rowOf((await fire('webhook', sent)).summary, 'Body')?.[1]).toBe(size)
  })

  test('values of the query are left out: they may be keys', async () => {
    const path = 'hook/webhook/a?key=hunter2&a&b=%41&key=3'
    const { summary } = await fire('webhook', { path })
    expect(rowOf(summary, 'Request')?.[1]).toBe('POST hook/webhook/a?key=…&a=…&b=…&key=…')
    expect(summary).not.toContain('hunter2')
  })
})

describe('the decision', () => {
  test('has every condition: which held, which did not', async () => {
    const on = 'webhook: {method: post, path: "/a"}\nslack:'
    const { summary } = await fire(on)
    expect(rowOf(summary, 'webhook')).toEqual([
      'webhook',
      'skipped',
      '✓ method: post\n✗ path does not match /a',
    ])
    expect(rowOf(summary, 'slack')?.slice(1)).toEqual([
      'skipped',
      'the webhook addresses another trigger',
    ])
  })

  test('has how many items config let through', async () => {
    const on = 'webhook: {config: {filter: {method: get}}}'
    expect(rowOf((await fire(on)).summary, 'webhook')?.[2]).toContain(
      '\n1 item found, 0 passed on: filter dropped 1',
    )
  })

  test('has the filter if the event met it, in the words for an unmet filter', async () => {
    const filter = '{method: {$in: [post, put]}, $and: [{body: {$exists: true}}]}'
    const { summary } = await fire(`webhook: {method: post, config: {filter: ${filter}}}`)
    expect(rowOf(summary, 'webhook')?.slice(1)).toEqual([
      'fired',
      '✓ method: post\n✓ path: any path\n✓ filter: method is one of "post", "put"\n✓ filter: body matches {"$exists":true}',
    ])
    const dropped = await fire('webhook: {config: {filter: {method: get}}}')
    expect(rowOf(dropped.summary, 'webhook')?.[2]).not.toContain('✓ filter')
  })

  test('names the workflow where an event concerns several', () => {
    const item = (text: string) => {
      const outputs = { update_id: 1, text }
      return { messaging_bot: { outcome: 'success', conclusion: 'success', outputs } as const }
    }
    const one = (workflow: string, fired: boolean): Decision => {
      return { workflow, trigger: 'messaging_bot', fired, reason: 'because', checks: [] }
    }
    const contexts = [item('first'), item('second'), item('third')]
    const polled = combineRuns(
      [
        runOf({
          workflow: 'a',
          trigger: 'messaging_bot',
          items: [{}],
          contexts: contexts.slice(0, 1),
        }),
        runOf({
          workflow: 'b',
          trigger: 'messaging_bot',
          items: [{}, {}],
          contexts: contexts.slice(1),
        }),
      ],
      { decisions: [one('a', true), one('b', true), one('c', false)] },
    )
    expect(cells(summaryHtml(polled, NOBODY))).toEqual([
      ['Trigger', 'Outcome', 'Why'],
      ['a / messaging_bot', 'fired', 'because'],
      ['b / messaging_bot', 'fired', 'because'],
      ['c / messaging_bot', 'skipped', 'because'],
      ['Item of a / messaging_bot', 'text'],
      ['1', 'first'],
      ['Item of b / messaging_bot', 'text'],
      ['1', 'second'],
      ['2', 'third'],
    ])
  })

  test.each([
    ['client_payload is not an object', 'unreadable-event', 0],
    ['secretToken does not match', 'unverified', 0],
    ['bot: failed: no connection', 'failed', 0],
    ['method is not among put', 'repeats', 1],
  ])('%j beside the warning %j stands there %i times', (reason, code, times) => {
    const messages = [warning(code, 'in other words')]
    const html = summaryHtml(evaluationOf({ reason, messages }), NOBODY)
    expect(html.split(`<p>${reason}.</p>`)).toHaveLength(times + 1)
    expect(html).toContain(`<b>Warning:</b> in other words.`)
  })

  test('names what fired first where there are too many', () => {
    const one = (trigger: string, fired: boolean): Decision => {
      return { trigger, fired, reason: 'because', checks: [] }
    }
    const skipped = Array.from({ length: 60 }, (_, at) => one(`t${at}`, false))
    const html = summaryHtml(evaluationOf({ decisions: [...skipped, one('last', true)] }), NOBODY)
    expect(cells(html)[1]?.[0]).toBe('last')
    expect(html).toContain('<p>21 more triggers, not shown.</p>')
  })
})

describe('items', () => {
  /** An evaluation with these items of one trigger. */
  function handingOn(trigger: string, items: readonly JsonObject[]): Evaluation {
    const contexts = items.map((outputs) => ({
      [trigger]: { outcome: 'success', conclusion: 'success', outputs } as const,
      other: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } as const,
    }))
    return evaluationOf({ trigger, items, contexts })
  }

  const shown = (trigger: string, items: readonly JsonObject[], about = NOBODY) =>
    cells(summaryHtml(handingOn(trigger, items), about))

  const message = { update_id: 1, from: { first_name: 'Ada' }, text: 'hi', chat: { id: 7 } }

  test.each<[string, JsonObject, string[][]]>([
    [
      'webhook',
      { method: 'post', headers: { a: 'b' }, query: {}, body: { x: 1 }, params: {} },
      [
        ['Item of webhook', 'body', 'params', 'method'],
        ['1', '{"x":1}', '{}', 'post'],
      ],
    ],
    [
      'messaging_bot',
      message,
      [
        ['Item of messaging_bot', 'from.first_name', 'text'],
        ['1', 'Ada', 'hi'],
      ],
    ],
    [
      'messaging_bot',
      { title: 'made by format', 'from.first_name': null },
      [
        ['Item of messaging_bot', 'from.first_name', 'title'],
        ['1', 'null', 'made by format'],
      ],
    ],
    [
      'unknown',
      { a: 1 },
      [
        ['Item of unknown', 'a'],
        ['1', '1'],
      ],
    ],
    ['webhook', { headers: { a: 'b' }, search: '?key=1' }, []],
  ])('of %s, %j, in the columns that tell most', (trigger, item, expected) => {
    expect(shown(trigger, [item])).toEqual(expected)
  })

  test('the other fields are named', () => {
    const html = summaryHtml(handingOn('messaging_bot', [message]), NOBODY)
    expect(plain(html)).toContain('Further fields: update_id, chat.')
  })

  test('with outputsMode combine each has its row', async () => {
    const { summary } = await fire('webhook: {config: {outputsMode: combine}}')
    expect(cells(summary).at(-1)?.[0]).toBe('1')
  })

  test('more than twenty are counted, long values are cut', () => {
    const items = Array.from({ length: 256 }, () => ({ text: 'x'.repeat(5000) }))
    const html = summaryHtml(handingOn('messaging_bot', items), NOBODY)
    expect(cells(html)).toHaveLength(21)
    expect(html).toContain('<p>236 more items: see the output items.</p>')
    expect(cells(html)[1]?.[1]).toBe(`${'x'.repeat(160)}… (5000 characters)`)
  })

  test.each([
    [20, []],
    [21, ['1 more item: see the output failed.']],
    [256, ['236 more items: see the output failed.']],
  ])('of %i failed items, the first twenty are shown', (count, rest) => {
    const failed = Array.from({ length: count }, (_, at) => ({
      ...{ update_id: at, step: 'format', reason: 'no text' },
    }))
    const html = summaryHtml(evaluationOf({ failed }), NOBODY)
    const [head, first, ...others] = cells(html)
    expect(head).toEqual(['Failed item', 'Option', 'Reason'])
    expect(first).toEqual(['update_id 0', 'config.format', 'no text'])
    expect(others).toHaveLength(19)
    expect(plain(html).match(/\d+ more items?: .*/g) ?? []).toEqual(rest)
  })

  test.each([
    ['hunter2', 'a hunter2 b'],
    ['hunter2', btoa('a hunter2 b')],
    ['hunter2', { deep: [{ x: 'hunter2' }] }],
    ['line 1\nline 2', 'only line 2'],
    ['a"b', { x: 'a"b' }],
    ['ü/', encodeURIComponent('ü/')],
    ['end', `${'x'.repeat(5000)} end`],
  ])('a value that holds the secret %j is not shown', (secret, body) => {
    const html = summaryHtml(handingOn('webhook', [{ body, [secret]: 1, method: 'post' }]), {
      ...NOBODY,
      secrets: { NAME: secret },
    })
    expect(rowOf(html, '1')).toEqual(['1', 'not shown: holds the secret NAME', 'post'])
    expect(plain(html)).not.toContain(secret)
  })

  test('a secret in the path or a header is not shown either', async () => {
    const sent = { path: 'hook/webhook/hunter2', headers: { 'content-type': 'hunter2' }, body: 'x' }
    const inputs = { on: 'webhook', secrets: '{"S": "hunter2"}' }
    const { summary, exitCode } = await fire('', sent, { inputs })
    expect(exitCode).toBe(0)
    expect(summary).not.toContain('hunter2')
  })

  test('of a public repository have kinds and sizes in place of their values', async () => {
    const body = '{"name":"Ada","list":[1]}'
    const sent = payload({ path: 'hook/webhook/Ada?Ada=1', headers: JSON_TYPE, body })
    const event = dispatchEvent(sent)
    const inputs = { on: 'webhook: {path: "/:Name"}' }
    const run = (repository: object) =>
      runInShared({ ...event, payload: { ...event.payload, repository }, inputs })
    const open = await run({ private: false })
    expect(open.summary).not.toContain('Ada')
    expect(rowOf(open.summary, 'Request')?.[1]).toBe('POST hook/webhook/…?…')
    expect(rowOf(open.summary, '1')).toEqual([
      '1',
      'object of 2 fields',
      'object of 1 fields',
      'text of 4 characters',
    ])
    expect((await run({ private: true })).summary).toContain('Ada')
  })
})

test('the documentation shows what is really written', async () => {
  const text = await readFile(new URL('../../docs/reference/log.md', import.meta.url), 'utf8')
  const shown = text.replace(/^> ?/gm, '').replace(/[`*]/g, '')
  const relayed = {
    'x-hookline-delivery': '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11',
    'x-hookline-received-at': '2026-11-20T10:00:00.000Z',
  }
  const sent = {
    path: 'hook/webhook/users/7?source=form',
    headers: { ...JSON_TYPE, ...relayed },
    body: '{"name":"Ada"}',
  }
  for (const method of ['post', 'put']) {
    const { summary } = await fire(`webhook: {method: ${method}, path: "/users/:id"}`, sent)
    for (const row of cells(summary)) {
      expect(shown).toContain(`| ${row.join(' | ').replaceAll('\n', '<br>')}`.trimEnd())
    }
    for (const [, html = ''] of summary.matchAll(/<(?:p|h3)>(.*)<\/(?:p|h3)>/g)) {
      expect(shown).toContain(plain(html))
    }
  }
})

describe('what to do next', () => {
  const forged = 'webhook: {verify: {scheme: github, secret: hunter2}}'
  test.each<[string, string, Sent]>([
    [
      'another workflow',
      'change the URL at the sender: the path ends in hook/<trigger>',
      { path: 'hok/webhook' },
    ],
    [
      'another trigger',
      'Change the URL at the sender, or declare the trigger under on.',
      { path: 'hook/webhook' },
    ],
    ['a condition', 'change method of webhook', { method: 'GET' }],
    [
      'a condition to try',
      'run hookline dev and then hookline send http://localhost:3000/webhook/hook/webhook/a --data \'{"hello":"world"}\'.',
      {},
    ],
    [
      'a condition of a method',
      'send http://localhost:3000/webhook/hook/webhook --method PUT --data',
      {},
    ],
    ['a condition of GET', 'send http://localhost:3000/webhook/hook/webhook.', {}],
    ['a signature', 'hookline send --sender', {}],
    ['config', 'change config of webhook', {}],
    ['an inactive trigger', 'Set config.active to true', {}],
    ['a body of another kind', 'Nothing to do, if the service', { path: 'hook/trello', body: '1' }],
    [
      'a broken body',
      'hookline send',
      { headers: { 'x-hookline-body-encoding': 'gzip' }, body: '?' },
    ],
  ])('after %s: %s', async (what, next, sent) => {
    const ons: Record<string, string> = {
      'another trigger': 'slack',
      'a condition': 'webhook: {method: post}',
      'a condition to try': 'webhook: {path: /a}',
      'a condition of a method': 'webhook: {method: put}',
      'a condition of GET': 'webhook: {method: get}',
      'a signature': forged,
      config: 'webhook: {config: {filter: {method: get}}}',
      'an inactive trigger': 'webhook: {config: {active: false}}',
      'a body of another kind': 'trello',
    }
    const { summary } = await fire(ons[what] ?? 'webhook', sent)
    expect(plain(/<p><b>Next:.*/.exec(summary)?.[0] ?? '')).toContain(next)
  })

  test('after a dispatch of another type', async () => {
    const { event, payload: dispatched } = dispatchEvent(payload(), 'deploy')
    const { summary } = await runInShared({ event, payload: dispatched, inputs: { on: 'webhook' } })
    expect(plain(summary)).toContain('Dispatch with the event type webhook')
  })

  test('after a poll without items', () => {
    const html = summaryHtml(evaluationOf({ miss: 'poll', reason: 'nothing new' }), NOBODY)
    expect(plain(html)).toContain('hookline dev --poll')
  })

  test.each<Evaluation>([evaluationOf({ miss: 'event' }), evaluationOf({ items: [{}] })])(
    'is silent where nothing is wrong',
    (evaluation) => {
      expect(summaryHtml(evaluation, NOBODY)).not.toContain('Next:')
    },
  )
})

describe('the job summary is text, whatever comes', () => {
  const MARKUP = '<script>alert(1)</script><img src=x onerror=y> | "q" \'a\' `c` &amp;\n\n# h\n'

  /** An evaluation with a string in every possible position. */
  function full(text: string, times: number, miss: Miss | undefined): Evaluation {
    const many = Array.from({ length: times }, () => text)
    const checks = many.map((found, at) => ({ option: text, held: at % 2 === 0, found }))
    const decision = {
      trigger: text,
      fired: true,
      reason: text,
      checks,
      tally: { found: times, passedOn: 1, steps: many },
    }
    const item = Object.fromEntries(
      many.flatMap((value, at) => [
        [`${text}${at}`, value],
        [`${at}`, { [value]: [value] }],
      ]),
    )
    const outputs = { ...item, body: text, text }
    const fired = { outcome: 'success', conclusion: 'success' } as const
    return evaluationOf({
      ...{ workflow: text, trigger: text, reason: text, miss },
      messages: many.flatMap((text) => [warning('a', text), notice('b', text)]),
      ...{ decisions: many.map(() => decision) },
      items: miss ? [] : many.map(() => outputs),
      contexts: many.map(() => ({ webhook: { ...fired, outputs }, [text]: { ...fired, outputs } })),
    })
  }

  const arrived = (text: string): Circumstances => ({
    ...NOBODY,
    secrets: { [text]: text },
    workflow: text,
    arrival: {
      method: text,
      path: text,
      contentType: text,
      size: 1,
      isBatch: false,
      delivery: text,
      receivedAt: text,
    },
  })

  const MISSES = [undefined, 'workflow', 'trigger', 'condition', 'type', 'payload', 'poll'] as const

  /** Without the summary's own tags, no tags may remain. */
  function expectText(html: string): void {
    expect(html.replace(TAGS, '')).not.toMatch(/[<>"'|`]|&(?!#\d+;)/)
    expect(html).not.toMatch(/\n\s*\n/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these
    expect(html).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/)
    expectBalanced(html)
  }

  /** Every tag is closed by the matching tag, so that a parser builds the intended tree. */
  function expectBalanced(html: string): void {
    const open: string[] = []
    for (const [, end, name = ''] of html.matchAll(/<(\/?)(\w+)>/g)) {
      if (name === 'br') continue
      if (end) expect(open.pop()).toBe(name)
      else open.push(name)
    }
    expect(open).toEqual([])
  }

  test('any text in any place of it', () => {
    const part = fc.oneof(
      fc.constantFrom('<', '>', '&', '"', "'", '|', '`', '\n', '\r\n', '<!--', ']]>', '\u0000'),
      fc.string(),
    )
    const texts = fc.array(part).map((parts) => parts.join(''))
    const readers = fc.record({ isPublic: fc.boolean(), isSecret: fc.boolean() })
    const miss = fc.constantFrom(...MISSES)
    const property = fc.property(texts, readers, miss, (text, { isPublic, isSecret }, missed) => {
      const about = { ...arrived(text), isPublic, ...(isSecret ? {} : { secrets: {} }) }
      expectText(summaryHtml(full(text, 2, missed), about))
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('a delivery id, a name and a pattern of markup', async () => {
    const sent = { path: `${MARKUP}/${MARKUP}`, headers: { 'x-hookline-delivery': MARKUP } }
    const other = await fire('webhook', sent)
    const on = JSON.stringify({ webhook: { path: '/<b>|<i>' } })
    const pattern = await fire(on, { ...sent, path: 'hook/webhook/x' })
    for (const { summary, exitCode } of [other, pattern]) {
      expect(exitCode).toBe(0)
      expect(summary).toContain('&#60;script&#62;')
      expectText(summary)
    }
  })

  test('a body of markup, as the item of a run', async () => {
    const { summary, exitCode } = await fire('webhook', { body: MARKUP })
    expect(exitCode).toBe(0)
    expect(summary).toContain('&#60;script&#62;')
    expectText(summary)
  })

  test.each(['&', '€', '\u0000', '😀'])('with %j everywhere it stays below 1 MiB', (char) => {
    // Longer, and more, than any limit of the summary.
    const [text, times] = [char.repeat(2_500), 50]
    for (const miss of MISSES) {
      const html = summaryHtml(full(text, times, miss), { ...arrived(text), secrets: {} })
      expect(Buffer.byteLength(html)).toBeLessThan(MOST_BYTES)
    }
  })
})
