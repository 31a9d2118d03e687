import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { type Dev, post, startDev } from '../../support/dev.ts'
import { detail, EventReader } from '../../support/inspector.ts'

const WORKFLOW = `on:
  webhook:
    path: /doc/:id
    config: {batch: true, filter: {body.n: {$gt: 0}}}
jobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'true'}]}}
`
const COMBINED = WORKFLOW.replace('batch: true', 'batch: true, outputsMode: combine')

let dev: Dev
beforeAll(async () => {
  dev = await startDev({
    files: {
      'workflows/hook.yml': WORKFLOW,
      'workflows/all.yml': COMBINED,
      'workflows/one.yml': 'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
    },
    args: ['--json'],
  })
})
afterAll(() => dev.stop())

interface Line {
  readonly delivery: string
  readonly count: number
  readonly reason: string | null
  readonly messages?: readonly { readonly code: string; readonly text: string }[]
  readonly problems?: readonly { readonly message: string }[]
  readonly items: readonly { readonly webhook: { readonly outputs: { params: { id: string } } } }[]
}

/** The line of an event, after it was printed. */
async function lineOf(delivery: string | null): Promise<Line> {
  const [line] = await dev.command.printed(new RegExp(`^\\{"delivery":"${delivery}".*`, 'm'))
  return JSON.parse(line)
}

async function sendSome(path: string, query: string) {
  const answers = []
  for (const n of [0, 1, 2]) {
    answers.push(await post(`${dev.hook(`${path}/doc/${n}`)}?${query}`, { n }))
  }
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  const ids = new Set(answers.map(({ headers }) => headers.get('x-hookline-batch')))
  expect(ids.size).toBe(1)
  const [first] = answers
  return { id: [...ids][0] ?? '', first: first?.headers.get('x-hookline-delivery') ?? '' }
}

test('events are collected in memory, and evaluated as one', async () => {
  const { id, first } = await sendSome('hook/webhook', '__batch=30&__debounce=1')
  expect(await lineOf(first)).toMatchObject({ count: 0, reason: `waits in the batch ${id}` })
  const { count, items, messages } = await lineOf(id)
  expect(count).toBe(2)
  expect(messages).toMatchObject([{ code: 'batch', text: 'a batch of 3 events' }])
  expect(items.map(({ webhook }) => webhook.outputs.params.id)).toEqual(['1', '2'])
})

test('with outputsMode: combine there is one context', async () => {
  const { id } = await sendSome('all/webhook', '__batch=1')
  const { items } = await lineOf(id)
  expect(items).toHaveLength(1)
  expect(items[0]?.webhook.outputs).toHaveLength(2)
})

test('a trigger that takes one event says so', async () => {
  const answer = await post(`${dev.hook('one/webhook')}?__batch=1`, {})
  const { count, problems } = await lineOf(answer.headers.get('x-hookline-batch'))
  expect(count).toBe(0)
  expect(problems?.[0]?.message).toContain('a batch of 1 event')
})

test('the inspector shows each event with its request, and the batch with its items', async () => {
  // With --json, dev prints no key for the inspector.
  const shown = await startDev({ files: { 'workflows/hook.yml': WORKFLOW } })
  const reader = new EventReader(shown.url)
  const detailOf = async (delivery: string | undefined) => {
    for (let count = 1; ; count++) {
      const summaries = await reader.summaries(count)
      const summary = summaries.find((each) => each.delivery === delivery)
      if (summary) return detail(shown.url, summary.number)
    }
  }
  const answers = []
  for (const n of [0, 1]) {
    const url = `${shown.hook(`hook/webhook/doc/${n}`)}?__batch=1`
    answers.push(await post(url, { n }, { authorization: 'Bearer a-secret' }))
  }
  const id = answers[0]?.headers.get('x-hookline-batch') ?? ''
  const deliveries = answers.map(({ headers }) => headers.get('x-hookline-delivery') ?? '')
  const batch = await detailOf(id)
  const events = [await detailOf(deliveries[0]), await detailOf(deliveries[1])]
  await reader.close()
  await shown.stop()
  for (const [at, each] of events.entries()) {
    expect(each).toMatchObject({
      delivery: deliveries[at],
      request: { path: `hook/webhook/doc/${at}`, headers: { authorization: '***' } },
      reason: `waits in the batch ${id}`,
    })
  }
  expect(batch).toMatchObject({
    ...{ delivery: id, request: null, outcome: 'fired', count: 1 },
    decisions: [{ tally: { found: 2, passedOn: 1 } }],
  })
  expect(JSON.stringify(batch)).not.toContain('a-secret')
})

test('send --count fills one', async () => {
  const args = ['send', `${dev.hook('hook/webhook/doc/7')}`, '--data', '{"n":7}', '--count', '4']
  const { exitCode, stdout } = await runShared([...args, '--json'], {})
  expect(exitCode).toBe(0)
  const { batch } = JSON.parse(stdout)
  expect((await lineOf(batch)).count).toBe(4)
})
