import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { Detail, ShownRequest, ShownStage, Welcome } from '../../src/inspector/api.ts'
import { UserError } from '../../src/wire/errors.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { CHROMIUM, copied, rows } from '../support/browser.ts'
import { type InspectorStage, openInspectorStage } from '../support/inspector-stage.ts'

const inBrowser = CHROMIUM ? describe : describe.skip

const REQUEST: ShownRequest = {
  ...{ method: 'POST', path: 'hook/webhook?a=1', encoding: 'text' },
  ...{ headers: { 'content-type': 'application/json', 'x-a': 'b' }, body: '{"n":1}' },
}

/** An event that was skipped without a reason. */
const EVENT: Detail = {
  ...{ id: 'r-1', number: 1, time: '2026-01-03T12:34:56.000Z', origin: 'request', delivery: 'd-1' },
  ...{
    method: 'POST',
    path: 'hook/webhook?a=1',
    workflow: 'hook',
    trigger: 'webhook',
    event: null,
  },
  ...{ outcome: 'skipped', count: 0, reason: null, milliseconds: 12.3, jobsResult: null },
  ...{ relay: null, of: null, request: REQUEST, missing: null, stages: [], values: [] },
  ...{ decisions: [], problems: [], messages: [], found: [], items: [], fields: [], readers: [] },
  jobs: [],
}

const RELAY: NonNullable<Detail['relay']> = {
  ...{ endpoint: 'octo/orders', repository: 'octo/shop', outcome: 'success', canReplay: true },
}

/** An event of a relay that GitHub accepted. */
const DELIVERY: Detail = { ...EVENT, outcome: 'delivered', relay: RELAY }

const ON_RELAY: Partial<Welcome> = {
  relay: { host: 'relay.example', dev: 'http://localhost:3000', isFull: false, fault: null },
}

const TRIGGER: Welcome['triggers'][number] = {
  ...{ workflow: 'hook', trigger: 'webhook', method: 'POST', url: 'http://h/webhook/hook/webhook' },
  ...{ curl: 'curl a', request: { ...REQUEST, path: 'hook/webhook' }, scheme: null },
}

function context(outputs: JsonObject): Detail['items'][number] {
  return { webhook: { outcome: 'success', outputs } }
}

/** An event that fired, with these outputs. */
function fired(outputs: JsonObject, more: Partial<Detail> = {}): Detail {
  const items = [context(outputs)]
  return { ...EVENT, outcome: 'fired', count: 1, items, fields: Object.keys(outputs), ...more }
}

const PLACE = { file: 'workflows/hook.yml', line: 12, column: 5, length: 3, text: '    abc: 1' }
const PROBLEM = {
  text: 'abc is no option',
  place: PLACE,
  notes: ['did you mean "abd"?', 'see docs'],
}
const ELSEWHERE = { text: 'no workflow file', place: null, notes: [] }

const FACT = { line: 7, place: 'env.A', text: '  ${{ a }} ', outcome: { value: 'text' } }

/** An event with everything that can be known of one. */
const WHOLE = fired(
  { body: { a: 1 }, params: {} },
  {
    ...{ origin: 'replay', of: 'r-0', event: 'issues.opened', milliseconds: 5.25, count: 2 },
    ...{ reason: 'it is so', jobsResult: { text: '2 jobs run', kind: 'good' } },
    items: [context({ body: { a: 1 } }), context({ body: { a: 2 } })],
    found: [{ body: 1 }, { body: 2 }],
    problems: [PROBLEM, ELSEWHERE],
    messages: [
      { level: 'notice', code: 'c', text: 'third' },
      { level: 'error', code: 'a', text: 'first' },
      { level: 'warning', code: 'b', text: 'second' },
    ],
    decisions: [
      {
        ...{ trigger: 'webhook', fired: true, reason: 'unseen' },
        checks: [{ option: 'method', held: true, found: 'post' }],
        tally: { found: 2, passedOn: 1, steps: ['filter dropped 1'] },
      },
      {
        ...{ trigger: 'signed', fired: false, reason: 'unseen' },
        checks: [
          { option: 'path', held: true, found: 'any path' },
          { option: 'verify', held: false, found: 'no signature' },
        ],
      },
      { trigger: 'secret', fired: false, reason: 'unseen', checks: [HELD_SECRET()] },
      { trigger: 'plain', fired: false, reason: 'not addressed', checks: [] },
      {
        ...{ trigger: 'straight', fired: true, reason: 'all conditions met', checks: [] },
        tally: { found: 1, passedOn: 1, steps: [] },
      },
      {
        ...{ trigger: 'empty', fired: false, reason: 'unseen', checks: [] },
        tally: { found: 0, passedOn: 0, steps: [] },
      },
      {
        ...{ trigger: 'formatted', fired: true, reason: 'unseen', checks: [] },
        tally: { found: 1, passedOn: 1, steps: ['format', 'limit'] },
      },
    ],
    jobs: [
      {
        ...{ file: 'a.yml', items: 2 },
        jobs: [
          {
            ...{ id: 'one', line: 5, verdict: 'runs', why: 'no condition', combinations: 2 },
            facts: [
              FACT,
              { ...FACT, line: 8, outcome: { value: { a: 1 } } },
              { ...FACT, line: 9, outcome: { fails: 'no number' } },
              { ...FACT, line: 10, outcome: { unknown: 'secrets.A' } },
            ],
          },
          { id: 'two', line: 6, verdict: 'skipped', why: 'its if is false', facts: [] },
        ],
      },
      {
        ...{ file: 'b.yml', items: 1 },
        jobs: [
          { id: 'three', line: 1, verdict: 'unknown', why: 'a', facts: [], combinations: 1 },
          { id: 'four', line: 2, verdict: 'fails', why: 'b', facts: [], combinations: 0 },
        ],
      },
    ],
  },
)

function HELD_SECRET() {
  return { option: 'secretToken', held: true, found: 'the token' }
}

const STAGE: ShownStage = {
  ...{
    stage: 'received',
    state: 'ok',
    at: '2026-01-03T08:09:10.000Z',
    found: 'POST',
    wanted: 'unseen',
  },
  cure: null,
}

/** Every stage of a delivery, in every state. */
const STAGES: readonly ShownStage[] = [
  STAGE,
  { ...STAGE, stage: 'verified', state: 'skipped', at: null, found: null, wanted: null },
  {
    ...STAGE,
    stage: 'filtered',
    state: 'failed',
    at: 'some time',
    wanted: 'a signature',
    cure: 'wait',
  },
  { ...STAGE, stage: 'sent', state: 'waiting', wanted: null, at: '2026-01-02T08:09:10.000Z' },
  { ...STAGE, stage: 'run found', state: 'unknown', found: 'https://h/runs/7' },
  { ...STAGE, stage: 'a', state: 'waiting', wanted: 'a run', found: 'http://h/ 7' },
  { ...STAGE, stage: 'b', found: 'see https://h/' },
]

inBrowser('the page shows', () => {
  let stage: InspectorStage
  let page: Page
  beforeAll(async () => {
    stage = await openInspectorStage()
    page = stage.page
  })
  beforeEach(() => {
    stage.answers.clear()
    stage.faults.clear()
    stage.orders.length = 0
    stage.found = []
  })
  afterAll(() => stage.close())

  /** The HTML of a part of the page, one element a line. */
  async function htmlOf(selector: string): Promise<string> {
    const html = await page.evaluate<string>(
      `[...document.querySelectorAll('${selector}')].map((one) => one.outerHTML).join('\\n')`,
    )
    return `${html.replace(/></g, '>\n<')}\n`
  }

  /**
   * Compares a part of the page with `shown/<name>.txt`. To approve other HTML, run the tests with
   * `HOOKLINE_TEST_APPROVE=1`, and read the difference.
   */
  async function expectShown(name: string, selector: string): Promise<void> {
    const file = new URL(`shown/${name}.txt`, import.meta.url)
    if (process.env.HOOKLINE_TEST_APPROVE) {
      await page.waitForTimeout(500)
      writeFileSync(file, await htmlOf(selector))
    }
    const expected = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const latest = performance.now() + 10_000
    while (performance.now() < latest && (await htmlOf(selector)) !== expected) {
      await page.waitForTimeout(20)
    }
    expect(await htmlOf(selector)).toBe(expected)
  }

  const toast = (text: string) => page.locator('#toast').getByText(text, { exact: true }).waitFor()
  const press = (key: string) => page.keyboard.press(key)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  describe('an event', () => {
    const POLLED = { request: null, path: '', origin: 'poll', delivery: '' } as const
    const NAMELESS = { path: '', workflow: '', trigger: '' }

    test.each<[string, Detail]>([
      ['whole', WHOLE],
      ['skipped', EVENT],
      ['polled', fired({ text: 'a' }, { ...POLLED, found: [{ text: 'a' }], milliseconds: null })],
      [
        'refused',
        { ...EVENT, ...NAMELESS, outcome: 'refused', reason: 'Too large!', request: null },
      ],
      ['mistaken', { ...EVENT, outcome: 'mistaken', reason: PROBLEM.text, problems: [PROBLEM] }],
      [
        'binary',
        {
          ...fired({ body: 'a' }, { found: [{ body: 'a' }, { body: 'b' }], milliseconds: 9.96 }),
          request: { ...REQUEST, headers: {}, body: '/w==', encoding: 'base64' },
        },
      ],
      ['bytes', { ...EVENT, request: { ...REQUEST, body: '/wCA', encoding: 'base64' } }],
      ['bodiless', { ...EVENT, milliseconds: 10, request: { ...REQUEST, body: '' } }],
      // Items that a trigger skipped are none of the outputs.
      [
        'unchanged',
        fired(
          { body: 1 },
          {
            items: [{ ...context({ body: 1 }), slack: { outcome: 'skipped', outputs: { a: 1 } } }],
            found: [{ body: 1 }],
          },
        ),
      ],
    ])('of dev: %s', async (name, detail) => {
      await stage.open({}, [detail])
      await expectShown(`event-${name}`, '#detail')
    })

    const values = [
      { name: 'attempts', value: '2' },
      { name: 'size', value: '11 bytes' },
    ]
    const refused = { ...RELAY, canReplay: false }

    test.each<[string, Detail]>([
      [
        'whole',
        {
          ...fired({ body: 1 }),
          stages: STAGES,
          values,
          relay: RELAY,
          outcome: 'dead',
        },
      ],
      ['partial', { ...DELIVERY, missing: 'The body is too large' }],
      ['unstored', { ...DELIVERY, request: null, missing: 'The relay stores no request.' }],
      ['refused', { ...DELIVERY, outcome: 'refused', missing: 'Only a part.', relay: refused }],
      ['gone', { ...DELIVERY, request: null, missing: null, relay: refused, outcome: 'filtered' }],
    ])('of a relay: %s', async (name, detail) => {
      await stage.open(ON_RELAY, [detail])
      await expectShown(`delivery-${name}`, '#detail')
    })

    test('that is no longer stored, or that the relay does not give', async () => {
      stage.faults.set('r-1', 'the relay does not respond')
      await stage.open(ON_RELAY, [DELIVERY], 'r-9')
      await expectShown('gone', '#detail')
      await page.evaluate("location.hash = 'r-1'")
      await expectShown('unreachable', '#detail')
    })
  })

  describe('outputs', () => {
    const many: Json = Array.from({ length: 205 }, (_, at) => at)
    const thirteen = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`k${at}`, at]))
    const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`t${at}`, at]))

    test('as a tree, whose branches open', async () => {
      const outputs = {
        ...{ headers: { 'x-a': 'b' }, search: '?', method: 'post', own: 1, params: { id: '7' } },
        body: {
          ...{ text: 'x'.repeat(2000), long: 'x'.repeat(2001), empty: '', none: null, yes: true },
          ...{ headers: { a: 1 }, deep: { b: { c: { d: { e: 1 } } } }, thirteen, twelve },
          ...{ object: {}, list: [], zero: 0 },
        },
      }
      await stage.open({}, [fired(outputs)])
      await expectShown('tree', '.tree')
      await page.locator('summary', { hasText: 'thirteen: {13}' }).click()
      await button('k12: 12').waitFor()
      await page.locator('summary', { hasText: 'c: {1}' }).click()
      await page.locator('summary', { hasText: 'd: {1}' }).click()
      await button('e: 1').waitFor()
    })

    test('page by page', async () => {
      await stage.open({}, [fired({ body: many })])
      await page.locator('summary', { hasText: 'body: [205]' }).click()
      await button('99: 99').waitFor()
      expect(await button('100: 100').count()).toBe(0)
      await button('105 more…').click()
      await button('5 more…').click()
      await button('204: 204').waitFor()
      expect(await page.locator('.more').count()).toBe(0)
    })

    const job = { file: 'w.yml', job: 'on', step: { id: 'hook' } }
    const READERS: Detail['readers'] = [
      { kind: 'source', file: 'workflows/w.yml' },
      { kind: 'steps', ...job, step: { id: null } },
      { kind: 'needs', ...job, reader: 'one', outputs: {} },
    ]
    const OUTPUTS = { body: { title: 'hello', list: [1] } }

    test('with the expressions that read a value', async () => {
      await stage.open({}, [fired(OUTPUTS, { readers: READERS })])
      await button('title: hello').click()
      await toast('Copied the expression ${{ on.webhook.outputs.body.title }}')
      await expectShown('picker', '.picker')
      await press('v')
      await toast('Copied the value hello')
      await page.locator('.pick').nth(1).click()
      await toast('Copied the expression ${{ toJSON(on.webhook.outputs.body.list) }}')
      await press('v')
      await toast('Copied the value [ 1 ]')
      // Each key selects the next form, and after the last one the first.
      const chosen = page.locator('.offer.current strong')
      for (const form of ['job on, later steps', 'job one', 'for hookline build']) {
        await press('x')
        await chosen.getByText(form, { exact: true }).waitFor()
      }
      await press('x')
      await button('title: hello').click()
      await expectShown('picker-second', '.picker')
      await button('id: hookline').first().click()
      await toast('Copied the line id: hookline')
      await button('Close the expressions').click()
      await page.getByText('Click a value to copy its expression').waitFor()
      // The form stays for the next visit.
      await page.reload()
      await button('title: hello').click()
      await chosen.getByText('job on, later steps', { exact: true }).waitFor()
    })

    test.each<[string, Detail['readers']]>([
      ['no file', []],
      ['a source', [{ kind: 'source', file: 'workflows/w.yml' }]],
      ['a native file', [{ kind: 'steps', ...job }]],
    ])('for %s', async (name, readers) => {
      await stage.open({}, [fired(OUTPUTS, { readers })])
      await button('title: hello').click()
      await expectShown(`picker-${name.replaceAll(' ', '-')}`, '.picker')
    })

    test('of each item, and none of a value that the item lacks', async () => {
      const items = [context({ a: { b: 1 }, c: 1 }), context({ a: 2 })]
      const two = { ...fired({ a: 1, c: 1 }), items, count: 2 }
      await stage.open({}, [two])
      await button('b: 1').click()
      await expectShown('items', '#detail section[aria-labelledby="outputs-title"]')
      await page.getByRole('combobox', { name: 'Item' }).selectOption('Item 2 of 2')
      await page.getByText('Click a value to copy its expression').waitFor()
      await button('a: 2').click()
      await toast('Copied the expression ${{ on.webhook.outputs.a }}')
      await page
        .locator('.picker')
        .getByText(/\.outputs\.items .*\[1\]/)
        .waitFor()
      await button('Copy as JSON').click()
      await toast(
        'Copied the outputs { "webhook": { "outcome": "success", "outputs": { "a": 2 } } }',
      )
      expect(await copied(page)).toBe(JSON.stringify(items[1], null, 2))
      // Another event begins with its first item.
      stage.add([{ ...two, id: 'r-2', number: 2 }])
      await button('1 newer').click()
      await page.getByText('Item 1 of 2').waitFor({ state: 'attached' })
      await button('b: 1').waitFor()
    })
  })

  describe('the list', () => {
    const line = (number: number, more: Partial<Detail>): Detail => ({
      ...{ ...EVENT, id: `r-${number}`, number, ...more },
    })
    const kinds = [
      line(9, { origin: 'poll', path: '', outcome: 'fired', count: 1 }),
      line(8, { origin: 'replay', outcome: 'fired', count: 2, event: 'push' }),
      line(7, { origin: 'composed', outcome: 'fired', count: 0, milliseconds: null }),
      line(6, { outcome: 'unverified', reason: 'no signature' }),
      line(5, { outcome: 'mistaken', jobsResult: { text: '1 job fails', kind: 'bad' } }),
      line(4, { outcome: 'refused', path: '', workflow: '', trigger: '', time: 'some time' }),
      line(3, { time: '2026-01-02T12:34:56.000Z', path: '', trigger: '' }),
    ]

    test('of dev, with each kind of line', async () => {
      await stage.open({}, kinds)
      await expectShown('list-dev', '.bar, .list')
    })

    test('of a relay, with each kind of line', async () => {
      const states = ['delivered', 'waiting', 'uncertain', 'dead', 'filtered', 'refused'] as const
      const lines = states.map((outcome, at) =>
        line(9 - at, {
          ...{ outcome, reason: at % 2 ? 'why' : null, trigger: 'unseen' },
          time: at === 1 ? '2026-01-02T12:34:56.000Z' : at === 2 ? 'some time' : EVENT.time,
          relay: {
            ...{
              ...RELAY,
              outcome: at < 2 ? 'nothing_fired' : '',
              canReplay: outcome !== 'refused',
            },
            endpoint: at < 3 ? 'octo/orders' : '',
          },
        }),
      )
      await stage.open(ON_RELAY, lines)
      await expectShown('list-relay', '.bar, .list')
      await press('m')
      await button('Replay 1 delivery…').waitFor()
      await press('m')
      await button('Select all 5 a').click()
      await button('Replay 5 deliveries…').waitFor()
      await expectShown('marks', '.marks')
      await press('a')
      await button('Select all 5 a').waitFor()
      await page.getByRole('checkbox').first().check()
      await button('Replay 1 delivery…').waitFor()
      await press('a')
      await button('Replay 5 deliveries…').waitFor()
      // A delivery that the relay deletes is marked no longer.
      stage.add([], ['r-9'])
      await button('Replay 4 deliveries…').waitFor()
      await button('Clear the selection').click()
      await button('Select all 4 a').waitFor()
    })

    const tally = async (text: string) => {
      await page.locator('#tally').getByText(text, { exact: true }).waitFor()
    }

    test('with the number of its events', async () => {
      await stage.open({}, [])
      await tally('New requests appear here.')
      stage.add([line(1, {})])
      await tally('1 request, following the newest')
      stage.add([line(2, {})], ['r-1'])
      await tally('The last 1 of 2 requests, following the newest')
      stage.add([line(3, {})])
      await tally('The last 2 of 3 requests, following the newest')
      await press('j')
      await tally('The last 2 of 3 requests')
      await stage.open({}, [line(2, {}), line(1, {})])
      await tally('2 requests, following the newest')
      await stage.open(ON_RELAY, [])
      await tally('New deliveries appear here.')
      await stage.open(ON_RELAY, [{ ...DELIVERY, number: 7 }])
      await tally('1 delivery, following the newest')
      const full = { relay: { ...(ON_RELAY.relay as NonNullable<Welcome['relay']>), isFull: true } }
      await stage.open(full, [line(9, { relay: RELAY }), line(8, { relay: RELAY })])
      await tally('The newest 2 deliveries, following the newest')
    })

    test('by a filter over its lines, and over what the server finds', async () => {
      stage.found = ['r-4']
      await stage.open({}, kinds)
      const filter = page.getByRole('searchbox')
      const shows = async (text: string, ids: readonly string[]) => {
        await filter.fill(text)
        const listed = () =>
          page.evaluate<string>(
            "[...document.querySelectorAll('#rows li')].map((one) => one.dataset.id).join()",
          )
        while ((await listed()) !== ids.join()) await page.waitForTimeout(10)
      }
      await shows('poll', ['r-9', 'r-4'])
      await shows('push', ['r-8', 'r-4'])
      await shows('composed', ['r-7', 'r-4'])
      await shows('signature', ['r-6', 'r-4'])
      await shows('fails', ['r-5', 'r-4'])
      // Only the server knows whether an event contains an excluded word.
      await shows('-nothing', ['r-4'])
      await tally('1 of 7 requests')
      stage.found = []
      await shows('-all', [])
      await expectShown('unmatched', '.list > :not(.filter), #detail')
      await button('Clear the filter').click()
      await tally('The last 7 of 9 requests, following the newest')
      expect(await filter.inputValue()).toBe('')
      await filter.focus()
      await press('Enter')
      expect(await page.evaluate("document.activeElement.id === 'filter'")).toBe(false)
    })

    test('of a relay by its choices, without asking the server', async () => {
      const other = { ...RELAY, endpoint: 'octo/stock', outcome: 'failure', repository: 'octo/lab' }
      const lines = [line(3, { relay: RELAY }), line(2, { relay: other, outcome: 'dead' })]
      stage.found = ['r-3']
      await stage.open(ON_RELAY, lines)
      const choose = (name: string, value: string) =>
        page.getByRole('combobox', { name, exact: true }).selectOption(value)
      await choose('Endpoint', 'octo/stock')
      await tally('1 of 2 deliveries')
      stage.add([], ['r-2'])
      await tally('0 of 1 delivery')
      await expectShown('choices', '.list > :not(.filter), #detail')
      stage.add([line(2, { relay: other, outcome: 'dead' })])
      await page.getByRole('searchbox').fill('lab -orders')
      await tally('1 of 2 deliveries')
      await choose('State', 'dead')
      await choose('Outcome of the run', 'failure')
      await tally('1 of 2 deliveries')
      await choose('Endpoint', '')
      await choose('State', 'skipped')
      await tally('0 of 2 deliveries')
      await button('Clear the filter').click()
      await tally('2 deliveries, following the newest')
    })

    describe('of which only the visible lines are in the document', () => {
      interface View {
        readonly top: number
        readonly height: number
        readonly line: number
        readonly ids: readonly string[]
        readonly space: readonly string[]
      }
      const view = () =>
        page.evaluate<View>(`(() => {
          const list = document.getElementById('rows')
          const all = [...list.querySelectorAll('li')]
          return {
            top: list.scrollTop,
            height: list.clientHeight,
            line: all[0].getBoundingClientRect().height,
            ids: all.map((one) => one.dataset.id),
            space: ['--above', '--below'].map((name) => list.style.getPropertyValue(name)),
          }
        })()`)
      /** Scrolls, and waits until the page has rendered it. */
      const scrollTo = (top: number) =>
        page.evaluate(`new Promise((resolve) => {
          document.getElementById('rows').scrollTop = ${top}
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))
        })`)
      const COUNT = 120

      test('400 pixels before and behind what is seen, and the space of all others', async () => {
        await stage.open(
          {},
          [...Array(COUNT).keys()].map((at) => line(COUNT - at, {})),
        )
        // Each line is measured once.
        for (let top = 0; top < COUNT * 100; top += 500) await scrollTo(top)
        for (const top of [0, 399, 400, 1234, 3001, 1e6, 0]) {
          await scrollTo(top)
          const { line: tall, height, ids, space, ...seen } = await view()
          const from = Math.floor(Math.max(0, seen.top - 400) / tall)
          const to = Math.min(COUNT, Math.floor((seen.top + height + 400) / tall) + 1)
          expect([top, ids]).toEqual([
            top,
            [...Array(to - from).keys()].map((at) => `r-${COUNT - from - at}`),
          ])
          const [above, below] = space.map((text) => Number.parseFloat(text))
          expect(above).toBeCloseTo(from * tall, 1)
          expect(below).toBeCloseTo((COUNT - to) * tall, 1)
        }
      })

      test('with the selected line in view, and what is read in its place', async () => {
        await stage.open(
          {},
          [...Array(COUNT).keys()].map((at) => line(COUNT - at, {})),
        )
        for (let top = 0; top < COUNT * 100; top += 500) await scrollTo(top)
        await scrollTo(0)
        const { line: tall, height } = await view()
        const fitting = Math.floor(height / tall)
        for (let at = 0; at < fitting - 1; at++) await press('j')
        expect((await view()).top).toBe(0)
        // The next line does not fit: the list scrolls by as little as shows all of it.
        await press('j')
        const latest = performance.now() + 5000
        const lowest = (fitting + 1) * tall - height
        while (Math.abs((await view()).top - lowest) > 1 && performance.now() < latest) {
          await page.waitForTimeout(20)
        }
        expect(Math.abs((await view()).top - lowest)).toBeLessThanOrEqual(1)
        await scrollTo(30 * tall + 7)
        await press('k')
        await scrollTo(30 * tall + 7)
        await press('k')
        const above = fitting - 2
        while ((await view()).top > above * tall + 1) await page.waitForTimeout(20)
        // New lines above, and lines that go, leave what is read in its place.
        await scrollTo(20 * tall + 7)
        stage.add([line(COUNT + 1, {}), line(COUNT + 2, {})])
        // A line that was not measured yet counts as 64 pixels.
        const added = 20 * tall + 2 * 64 + 7
        while (Math.abs((await view()).top - added) > 1) await page.waitForTimeout(20)
        stage.add([], [`r-${COUNT}`])
        while (Math.abs((await view()).top - added + tall) > 1) await page.waitForTimeout(20)
        // At the top, new lines are shown.
        await scrollTo(0)
        stage.add([line(COUNT + 3, {})])
        await page.locator(`#rows li[data-id="r-${COUNT + 3}"]`).waitFor()
        expect((await view()).top).toBe(0)
      })
    })

    test('with the changes of the event that is shown', async () => {
      const waiting = line(1, { relay: RELAY, outcome: 'waiting', stages: STAGES.slice(0, 1) })
      await stage.open(ON_RELAY, [waiting])
      await page.locator('.stage strong').getByText('received', { exact: true }).waitFor()
      const ended = { jobsResult: { text: 'success', kind: 'good' } as const }
      stage.add([{ ...waiting, ...ended, stages: STAGES.slice(1, 2) }])
      await page.locator('.stage strong').getByText('verified', { exact: true }).waitFor()
      stage.add([{ ...waiting, ...ended, reason: 'why', stages: STAGES.slice(3, 4) }])
      await page.locator('.stage strong').getByText('sent', { exact: true }).waitFor()
    })
  })

  describe('before the first event', () => {
    const get = { ...TRIGGER, method: 'GET', url: 'http://h/a', curl: null }

    test.each<[string, Partial<Welcome>]>([
      ['nothing', {}],
      ['a trigger', { triggers: [TRIGGER, get] }],
      ['a signed trigger', { triggers: [get], problems: [PROBLEM, ELSEWHERE] }],
      ['a bot', { polled: ['bot/messaging_bot', 'other/bot'] }],
      ['a polled bot', { polled: ['bot/messaging_bot'], polling: true }],
      ['polling without a bot', { polling: true }],
      ['a trigger and a polled bot', { triggers: [TRIGGER], polled: ['bot/a'], polling: true }],
      ['a relay', ON_RELAY],
    ])('%s', async (name, welcome) => {
      await stage.open(welcome, [])
      await expectShown(`empty-${name.replaceAll(' ', '-')}`, '#detail, .mistakes')
      expect(await page.title()).toBe(welcome.relay ? 'Hookline deliveries' : 'Hookline dev')
    })

    test('a request to copy or to compose', async () => {
      await stage.open({ triggers: [TRIGGER, { ...get, curl: 'curl b' }] }, [])
      await button('Copy').click()
      await toast('Copied the command curl a')
      await button('Copy curl for GET http://h/a').click()
      await toast('Copied the command curl b')
      await button('Compose a request for GET http://h/a').click()
      await page.getByRole('heading', { name: 'New request' }).waitFor()
    })
  })

  test('mistakes in files, with the first one in the line', async () => {
    const only = { text: 'a', place: null, notes: [] }
    await stage.open({ problems: [PROBLEM] }, [EVENT])
    await expectShown('mistake', '.mistakes')
    stage.change({ problems: [only, PROBLEM] })
    await expectShown('mistakes', '.mistakes')
    expect(await page.title()).toBe('POST hook/webhook?a=1 · Hookline dev')
  })

  test('the fault of a relay in place of the connection', async () => {
    await stage.open(ON_RELAY, [DELIVERY])
    expect(await page.title()).toBe('POST hook/webhook?a=1 · Hookline deliveries')
    const relay = { ...(ON_RELAY.relay as NonNullable<Welcome['relay']>), fault: 'no response' }
    stage.change({ relay })
    await expectShown('fault', '.bar')
  })

  test.each<[string, Partial<Welcome>]>([
    ['dev', {}],
    ['relay', ON_RELAY],
  ])('the shortcuts of %s', async (name, welcome) => {
    await stage.open(welcome, [])
    await button('Shortcuts ?').click()
    await expectShown(`help-${name}`, '#help')
  })

  describe('what the keys select', () => {
    const three = [3, 2, 1].map((number) => ({ ...EVENT, id: `r-${number}`, number }))
    const current = (id: string) =>
      page.locator(`#rows a[aria-current="true"][href="#${id}"]`).waitFor({ state: 'attached' })
    const value = (expression: string) => page.evaluate<string>(expression)
    const hash = () => value('location.hash')
    const focused = () => value("document.activeElement.id || document.activeElement.hash || ''")
    const view = () => value("[document.body.dataset.view, document.body.dataset.empty].join(' ')")

    test('in the list, and what they open', async () => {
      await stage.open({}, three)
      await current('r-3')
      expect([await hash(), await view()]).toEqual(['', 'list false'])
      await press('k')
      await current('r-3')
      await press('j')
      await current('r-2')
      expect([await hash(), await view(), await focused()]).toEqual(['#r-2', 'detail false', ''])
      // Arrows scroll what is read.
      await page.locator('#detail').focus()
      await press('ArrowDown')
      await press('ArrowUp')
      await page.waitForTimeout(50)
      expect([await hash(), await focused()]).toEqual(['#r-2', 'detail'])
      await page.locator('#rows a').first().focus()
      await press('ArrowDown')
      await current('r-1')
      expect(await focused()).toBe('#r-1')
      await press('j')
      await press('ArrowUp')
      await current('r-2')
      await press('k')
      await current('r-3')
      expect([await hash(), await focused()]).toEqual(['#r-3', '#r-3'])
      await press('o')
      expect([await hash(), await focused()]).toEqual(['#r-3', 'detail'])
      await press('h')
      await current('r-3')
      expect([await hash(), await focused(), await view()]).toEqual(['', '#r-3', 'list false'])
      await press('o')
      expect([await hash(), await focused()]).toEqual(['#r-3', 'detail'])
      await press('Escape')
      expect(await hash()).toBe('')
      // Enter presses what has the focus.
      await page.locator('#rows a').nth(1).focus()
      await press('Enter')
      await current('r-2')
      expect(await focused()).toBe('#r-2')
      await page.locator('#detail').focus()
      await press('Enter')
      expect([await hash(), await focused()]).toEqual(['#r-2', 'detail'])
    })

    test('opens what was chosen last, also before it has come', async () => {
      await stage.open({}, three)
      await current('r-3')
      await page.locator('#detail h2').waitFor()
      const never = '**/inspector/requests/*'
      await page.route(never, () => {})
      await press('j')
      await press('o')
      expect([await hash(), await focused()]).toEqual(['#r-2', 'detail'])
      await page.unroute(never)
    })

    test('without Ctrl, Alt and Meta, and not in fields', async () => {
      await stage.open(
        ON_RELAY,
        three.map((one) => ({ ...one, relay: RELAY })),
      )
      await current('r-3')
      for (const key of ['Control+j', 'Alt+j', 'Meta+j']) await press(key)
      await page.getByRole('combobox', { name: 'State' }).focus()
      await press('j')
      await press('/')
      expect(await focused()).toBe('')
      await page.getByRole('checkbox').first().focus()
      await press('/')
      expect(await focused()).toBe('filter')
      await press('j')
      expect(await page.getByRole('searchbox').inputValue()).toBe('j')
      expect(await hash()).toBe('')
      await press('Escape')
      // Keys of dev have no effect.
      for (const key of ['n', 'e']) await press(key)
      expect(await page.locator('#composer').count()).toBe(0)
    })

    test('not if they are turned off', async () => {
      await stage.open({}, three)
      await press('?')
      await page.getByLabel('Single-character shortcuts').uncheck()
      await button('Close').click()
      await press('j')
      await page.reload()
      await current('r-3')
      // Escape and arrows are no characters.
      await page.locator('#rows a').first().focus()
      await press('ArrowDown')
      await current('r-2')
      await press('Escape')
      await current('r-3')
      for (const key of ['j', 'n', '?']) await press(key)
      await page.waitForTimeout(50)
      expect([await hash(), await page.locator('dialog[open], #composer').count()]).toEqual(['', 0])
      await button('Shortcuts ?').click()
      const box = page.getByLabel('Single-character shortcuts')
      expect(await box.isChecked()).toBe(false)
      await box.check()
      expect(await value("localStorage.getItem('hookline-shortcuts')")).toBe('on')
      // Keys of the page have no effect in the dialog.
      await press('j')
      await button('Close').click()
      await current('r-3')
      await press('j')
      await current('r-2')
      // Keys of a relay have no effect.
      for (const key of ['m', 'a', 'd']) await press(key)
      expect(stage.orders).toEqual([])
      await press('n')
      await page.locator('#composer').waitFor()
      expect(await view()).toBe('compose false')
    })

    test('beside the pointer and the wheel, which keep what is read', async () => {
      const names = Array.from({ length: 60 }, (_, at) => [`x-${at}`, 'a'])
      const long = { ...REQUEST, headers: Object.fromEntries(names) }
      const two = [2, 1].map((number) => ({ ...EVENT, id: `r-${number}`, number, request: long }))
      await stage.open({}, two)
      await current('r-2')
      await page.mouse.move(900, 500)
      await page.mouse.wheel(0, 300)
      while ((await hash()) !== '#r-2') await page.waitForTimeout(10)
      const scrolled = () => page.evaluate<number>("document.getElementById('detail').scrollTop")
      while ((await scrolled()) === 0) await page.waitForTimeout(10)
      // Another event begins at its top.
      await press('j')
      await current('r-1')
      while ((await scrolled()) > 0) await page.waitForTimeout(10)
      await press('Escape')
      await current('r-2')
      await page.locator('.headers dd').first().click()
      expect(await hash()).toBe('#r-2')
      await button('Skip to the request').focus()
      await press('Enter')
      expect(await focused()).toBe('detail')
    })

    test('on a narrow screen, where the focus goes with the view', async () => {
      await stage.open({}, three)
      await page.setViewportSize({ width: 600, height: 800 })
      await page.locator('#rows a').nth(1).click()
      await page.locator('#detail:focus').waitFor()
      expect(await hash()).toBe('#r-2')
      await page.getByRole('link', { name: 'All requests' }).click()
      await page.locator('#rows a').nth(1).waitFor()
    })
  })

  describe('the composer', () => {
    const field = (name: string) => page.getByLabel(name, { exact: true })
    const form = async () => ({
      method: await field('Method').inputValue(),
      path: await field('Path').inputValue(),
      headers: await field('Headers').inputValue(),
      body: await page.locator('#compose-body').inputValue(),
    })
    const other = {
      ...{ ...TRIGGER, workflow: 'other', trigger: 'typeform', scheme: 'typeform' },
      request: {
        ...REQUEST,
        path: 'other/typeform/a',
        body: '{"b":[]}',
        headers: { a: 'b', c: 'd' },
      },
    }

    test('with nothing known, then with the request of the first trigger', async () => {
      await stage.open({}, [])
      await press('n')
      await expectShown('composer', '#composer')
      expect(await form()).toEqual({
        ...{ method: 'POST', path: '', headers: 'content-type: application/json', body: '{}' },
      })
      stage.change({ triggers: [other, TRIGGER] })
      await page.getByText('Sign it now as').waitFor()
      expect(await form()).toEqual({
        ...{ method: 'POST', path: 'other/typeform/a', headers: 'a: b\nc: d' },
        body: '{\n  "b": []\n}',
      })
      await expectShown('composer-signed', '#composer')
    })

    test('with the request of the trigger that is shown, as long as nothing was written', async () => {
      const shown = { ...EVENT, workflow: 'other', trigger: 'typeform' }
      await stage.open({ triggers: [TRIGGER, other] }, [shown])
      await page.getByRole('heading', { name: 'POST hook/webhook?a=1' }).waitFor()
      await press('n')
      expect((await form()).path).toBe('other/typeform/a')
      await field('Path').fill('mine')
      await press('Escape')
      await press('n')
      expect((await form()).path).toBe('mine')
    })

    test('signs what the trigger at the path verifies, and nothing else', async () => {
      stage.answers.set('replay', { status: 200, delivery: 'd-9', body: '{"success":true}' })
      await stage.open({ triggers: [TRIGGER, other] }, [EVENT])
      await press('n')
      const sign = page.getByRole('checkbox', { name: 'Sign it now as typeform' })
      for (const [path, isSigned] of [
        ['other/typeform/a', true],
        ['other/typeform', true],
        ['/webhook/other/typeform/b?c=d', true],
        ['other/typeform?a', true],
        ['other/type', false],
        ['other', false],
        ['hook/webhook', false],
        ['', false],
      ] as const) {
        await field('Path').fill(path)
        await sign.waitFor({ state: isSigned ? 'visible' : 'detached' })
      }
      await field('Path').fill('other/typeform/x y')
      await field('Method').selectOption('PUT')
      await field('Headers').fill('A: b\nno header')
      await page.locator('#compose-body').fill('hello')
      await button('Copy as curl').click()
      await page.locator('#toast').getByText("curl -X PUT -H 'a: b' -d 'hello'").waitFor()
      const sent = {
        method: 'PUT',
        path: 'other/typeform/x%20y',
        headers: { a: 'b' },
        body: 'hello',
      }
      await button('Send Ctrl ↵').click()
      await expectShown('answer', '.answer')
      await sign.uncheck()
      await button('Send Ctrl ↵').click()
      while (stage.orders.length < 2) await page.waitForTimeout(10)
      const order = { of: null, ...sent, encoding: 'text' }
      expect(stage.orders).toEqual([
        ['replay', { ...order, sign: true }],
        ['replay', { ...order, sign: false }],
      ])
    })

    test('sends an unchanged body byte for byte, and does not sign it again', async () => {
      stage.answers.set('replay', { status: 200, delivery: 'd-9', body: '' })
      const request = {
        ...REQUEST,
        path: 'other/typeform',
        body: '{"a":  1}',
        headers: { a: '***' },
      }
      await stage.open({ triggers: [other] }, [{ ...EVENT, request }])
      await button('Edit and replay e').click()
      await expectShown('composer-edit', '#composer')
      expect((await form()).body).toBe('{\n  "a": 1\n}')
      expect(await page.getByRole('checkbox', { name: 'Sign it now' }).isChecked()).toBe(false)
      await page.locator('#compose-body').press('Control+Enter')
      await page.getByText('Response 200').waitFor()
      await page.locator('#compose-body').fill('{}')
      await page.locator('#compose-body').press('Control+Enter')
      while (stage.orders.length < 2) await page.waitForTimeout(10)
      const order = { of: 'r-1', sign: false, ...request }
      expect(stage.orders).toEqual([
        ['replay', order],
        ['replay', { ...order, body: '{}' }],
      ])
    })

    test('of a body that is base64 says so', async () => {
      const request = { ...REQUEST, body: '/wA=', encoding: 'base64' } as const
      await stage.open({}, [{ ...EVENT, request }])
      await press('e')
      await page.getByText('Body, as base64').waitFor()
      expect(await page.locator('#compose-body-hint').count()).toBe(0)
      expect((await form()).body).toBe('/wA=')
    })

    test.each<[string, object | Error]>([
      ['accepted', { status: 399, delivery: '', body: 'hello' }],
      ['refused', { status: 400, delivery: '', body: '{"error":{"message":"a","hint":"b"}}' }],
      ['without-hint', { status: 500, delivery: '', body: '{"error":{"message":"a","hint":1}}' }],
      ['of-another-form', { status: 200, delivery: '', body: '{"error":{}}' }],
      ['empty', { status: 200, delivery: '', body: '' }],
      ['failed', new UserError({ message: 'no such secret' })],
    ])('tells a response: %s', async (name, answer) => {
      stage.answers.set('replay', answer)
      await stage.open({ triggers: [TRIGGER] }, [EVENT])
      await press('n')
      await button('Send Ctrl ↵').click()
      await page.locator('.answer:not(:empty)').waitFor()
      await expectShown(`answer-${name}`, '.answer')
      // What is opened anew has no response yet.
      await button('Close Esc').click()
      await press('n')
      await page.locator('.answer:empty').waitFor({ state: 'attached' })
    })

    test('warns of a body that is not JSON, if the headers say that it is', async () => {
      await stage.open({ triggers: [TRIGGER] }, [])
      await press('n')
      const hint = page.getByText('The body is not JSON, but the content type is.')
      for (const [headers, body, isBroken] of [
        ['Content-Type: application/JSON', '{', true],
        ['content-type: application/json', '', false],
        ['content-type: application/json', '1', false],
        ['content-type: text/plain', '{', false],
      ] as const) {
        await field('Headers').fill(headers)
        await page.locator('#compose-body').fill(body)
        await hint.waitFor({ state: isBroken ? 'visible' : 'detached' })
      }
    })

    test('gives way to the result on a narrow screen', async () => {
      stage.answers.set('replay', { status: 200, delivery: 'd-9', body: '' })
      await stage.open({ triggers: [TRIGGER] }, [EVENT])
      await page.setViewportSize({ width: 600, height: 800 })
      await press('n')
      await page.locator('#composer:focus').waitFor()
      await page.locator('#composer .primary').click()
      await toast('Sent, response 200')
      await page.locator('#composer').waitFor({ state: 'detached' })
      await page.setViewportSize({ width: 1280, height: 720 })
      await press('n')
      await page.locator('#compose-path:focus').waitFor()
      await press('Escape')
      await press('e')
      await page.locator('#compose-body:focus').waitFor()
    })
  })

  describe('what a request is used for', () => {
    test('as it is copied, saved and sent again', async () => {
      stage.answers.set('replay', { status: 202, delivery: 'd-9', body: '' })
      await stage.open({}, [{ ...EVENT, path: 'a', request: REQUEST }])
      await press('c')
      await page.locator('#toast').getByText(`'${stage.base}/webhook/hook/webhook?a=1'`).waitFor()
      await press('b')
      await toast('Copied the body {"n":1}')
      await press('s')
      await toast('Saved post-hook-webhook.json')
      await button('Replay r').click()
      await toast('Sent again, response 202')
      // The new event is shown as soon as it is listed.
      stage.add([{ ...EVENT, id: 'r-7', number: 7, delivery: 'd-9', path: 'again' }])
      await page.getByRole('heading', { name: 'POST again' }).waitFor()
      expect(await page.evaluate('location.hash')).toBe('#r-7')
      stage.answers.delete('replay')
      await button('Replay r').click()
      await toast('Not sent: no answer')
    })

    test('a long text is copied whole, and shown with its beginning', async () => {
      const body = 'x'.repeat(201)
      await stage.open({}, [{ ...EVENT, request: { ...REQUEST, body } }])
      await button('Copy body b').click()
      await toast(`Copied the body ${'x'.repeat(200)}…`)
      expect(await copied(page)).toBe(body)
      await stage.open({}, [{ ...EVENT, request: { ...REQUEST, body: 'x'.repeat(200) } }])
      await press('b')
      await toast(`Copied the body ${'x'.repeat(200)}`)
    })

    test('a browser that refuses to copy is told of, with the text', async () => {
      await stage.open({}, [EVENT])
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
      await press('b')
      await toast('The browser refused to copy: {"n":1}')
    })

    test('a delivery is opened in dev', async () => {
      stage.answers.set('open', { status: 200, delivery: 'd-9', body: '' })
      await stage.open(ON_RELAY, [DELIVERY])
      await button('Open in dev d').click()
      await toast('Sent to http://localhost:3000, response 200: see the inspector of hookline dev')
      expect(stage.orders).toEqual([['open', { ids: ['r-1'] }]])
      stage.answers.set('open', new UserError({ message: 'dev does not run' }))
      await press('d')
      await toast('Not sent: dev does not run')
      await press('c')
      await page.locator('#toast').getByText('http://localhost:3000/webhook/hook').waitFor()
    })

    test('a part of a request is not sent, and an event without a body has none to copy', async () => {
      await stage.open({}, [{ ...EVENT, request: { ...REQUEST, body: '' }, missing: 'no body' }])
      await page.getByText('no body').waitFor()
      for (const key of ['b', 'c', 's', 'r', 'e']) await press(key)
      await page.waitForTimeout(100)
      expect(await page.locator('#toast').innerText()).toBe('')
      expect([stage.orders, await page.locator('#composer').count()]).toEqual([[], 0])
    })

    test('the command of a cure', async () => {
      const cures = [
        'Find the reason: hookline doctor',
        'Store it: HOOKLINE_KEY=a hookline endpoint update a, then: gh run rerun 7, or wait',
        'Wait for GitHub',
      ]
      const stages = cures.map((cure, at) => ({ ...STAGE, stage: `s${at}`, cure }))
      await stage.open(ON_RELAY, [{ ...DELIVERY, stages }])
      for (const [at, text] of [
        'hookline doctor',
        'HOOKLINE_KEY=a hookline endpoint update a && gh run rerun 7',
        'Wait for GitHub',
      ].entries()) {
        await page.locator('.cure button').nth(at).click()
        await toast(`Copied the cure ${text}`)
      }
    })
  })

  describe('a replay of deliveries', () => {
    const deliveries = (...outcomes: Detail['outcome'][]) =>
      outcomes.map((outcome, at) => ({
        ...{ ...DELIVERY, id: `r-${9 - at}`, number: 9 - at, outcome },
        missing: outcome === 'refused' ? 'Only a part.' : null,
        relay: { ...RELAY, canReplay: outcome !== 'refused' },
      }))
    const dialog = () => page.getByRole('dialog')
    const confirm = (count: number) => button(`Replay ${count}`).click()

    test.each<[string, Detail['outcome'][]]>([
      ['accepted', ['delivered', 'delivered']],
      ['mixed', ['delivered', 'dead', 'refused', 'delivered']],
      ['dead', ['dead']],
    ])('asks with its number first: %s', async (name, outcomes) => {
      await stage.open(ON_RELAY, deliveries(...outcomes))
      await rows(page).first().waitFor()
      await press('a')
      await press('r')
      await dialog().waitFor()
      await expectShown(`replay-${name}`, '#replay')
      await button('Cancel').click()
      await dialog().waitFor({ state: 'hidden' })
      await press('r')
      await dialog().waitFor()
      await press('Escape')
      await dialog().waitFor({ state: 'hidden' })
      expect(stage.orders).toEqual([])
    })

    test.each<[string, object | Error, string]>([
      ['all', { ids: ['x', 'y'], failures: [], failed: 0 }, '2 deliveries replayed'],
      [
        ...(['one of two', { ids: ['x'], failures: ['too old', 'b'], failed: 1 }] as const),
        '1 delivery replayed; 1 not replayed: too old',
      ],
      [
        ...(['none', new UserError({ message: 'no response' })] as const),
        '0 deliveries replayed; 2 not replayed: no response',
      ],
    ])('tells what became of it: %s', async (_, answer, text) => {
      stage.answers.set('replay', answer)
      await stage.open(ON_RELAY, deliveries('dead', 'dead'))
      await rows(page).first().waitFor()
      await press('a')
      await press('r')
      await confirm(2)
      await toast(text)
      await dialog().waitFor({ state: 'hidden' })
      expect(stage.orders).toEqual([['replay', { ids: ['r-9', 'r-8'] }]])
      // Nothing is marked any more.
      await button('Select all 2 a').waitFor()
      expect(await page.evaluate('location.hash')).toBe('')
    })

    test('of one delivery shows it: the same one, or the new one', async () => {
      stage.answers.set('replay', { ids: ['r-8'], failures: [], failed: 0 })
      await stage.open(ON_RELAY, deliveries('dead', 'dead'))
      await page.locator('#rows a[aria-current]').waitFor()
      await press('j')
      await button('Replay r').click()
      await confirm(1)
      await toast('1 delivery replayed')
      expect(await page.evaluate('location.hash')).toBe('#r-8')
      stage.answers.set('replay', { ids: ['d-new'], failures: [], failed: 0 })
      await press('r')
      await confirm(1)
      await toast('1 delivery replayed')
      const fresh = { ...DELIVERY, id: 'd-new', number: 99, delivery: 'd-new', path: 'fresh' }
      stage.add([fresh])
      await page.getByRole('heading', { name: 'POST fresh' }).waitFor()
    })

    test('is sent in parts of 20', async () => {
      stage.answers.set('replay', { ids: [], failures: [], failed: 0 })
      const many = Array.from({ length: 41 }, (_, at) => ({
        ...{ ...DELIVERY, id: `m-${at}`, number: 41 - at, outcome: 'dead' as const },
      }))
      await stage.open(ON_RELAY, many)
      await rows(page).first().waitFor()
      await press('a')
      await press('r')
      await confirm(41)
      await toast('41 deliveries replayed')
      const sizes = stage.orders.map(([, order]) => (order as { ids: string[] }).ids.length)
      expect(sizes).toEqual([20, 20, 1])
      expect(stage.orders.flatMap(([, order]) => (order as { ids: string[] }).ids)).toEqual(
        many.map(({ id }) => id),
      )
      // After a failure, the rest is not sent, and counts as not replayed.
      const first = { ids: ['x'], failures: ['too old'], failed: 19 }
      stage.answers.set('replay', [first, new UserError({ message: 'no response' })])
      await press('a')
      await press('r')
      await confirm(41)
      await toast('1 delivery replayed; 40 not replayed: too old')
      expect(stage.orders).toHaveLength(5)
    })

    test('of a refused request is none', async () => {
      await stage.open(ON_RELAY, [...deliveries('refused'), { ...DELIVERY, id: 'r-1', number: 1 }])
      await page.locator('#rows a[aria-current]').waitFor()
      await press('m')
      await button('Select all 1 a').waitFor()
      await press('r')
      expect(await dialog().count()).toBe(0)
      // The marked ones may have become refused ones.
      await press('a')
      await button('Replay 1 delivery…').waitFor()
      stage.add([{ ...DELIVERY, id: 'r-1', number: 1, relay: { ...RELAY, canReplay: false } }])
      await page.locator('#rows input:disabled').nth(1).waitFor()
      await press('r')
      await toast('Not replayed: a refused request has no stored payload')
    })
  })
})
