import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { dispatchEvent, runInShared, runPost } from '../../support/action.ts'
import { POLL } from '../../support/bot-run.ts'
import { textMessage } from '../../support/messages.ts'
import { memoryStore, poll, queueOf, scheduleEvent, updates } from '../../support/queue-trigger.ts'
import { single } from '../../support/stores.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'
import { itemsOf, runJob, webhookRun } from './scene.ts'

let workspace: string
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'hookline-peers-'))
})
afterAll(() => rm(workspace, { recursive: true }))

/**
 * Known faults of other tools, each with a test that Hookline does not have it. Faults of relays
 * are tested with the relay, under the same names.
 */

test('peers’ fault: a filterScript together with a filter is not ignored', async () => {
  const config = { filter: { 'body.n': 1 }, filterScript: 'return false' }
  expect((await runJob(webhookRun(config, { n: 1 }))).outputs.triggered).toBe('false')
})

test('peers’ fault: limit does not cut before deduplication, which would stop at what is known', async () => {
  const store = memoryStore()
  const queue = queueOf(2)
  const config = { limit: 2 }
  const first = await poll(queue, config, undefined, { store, run: { id: '1', at: 0 } })
  // The job commits, and the acknowledgement is lost: both items come again, before two new ones.
  await single(store).commit({ workflow: 'hook', trigger: 'queue' }, { id: '1', at: 0 })
  queue.put(...updates(3, 4))
  const second = await poll(queue, config, undefined, { store, run: { id: '2', at: 1 } })
  expect([first.texts, second.texts]).toEqual([
    ['t1', 't2'],
    ['t3', 't4'],
  ])
})

test('peers’ fault: every: 45 is a number of minutes, and no cron field', async () => {
  const at = (minutes: number) => ({ store, run: { id: '2', at: minutes * 60_000 } })
  const store = memoryStore()
  await single(store).commit({ workflow: 'hook', trigger: 'queue' }, { id: '1', at: 0 })
  for (const every of [45, '45']) {
    expect((await poll(queueOf(1), { every }, scheduleEvent('*/5 * * * *'), at(44))).texts).toEqual(
      [],
    )
    expect((await poll(queueOf(1), { every }, scheduleEvent('*/5 * * * *'), at(90))).texts).toEqual(
      ['t1'],
    )
  }
})

test('a schedule as rare as every is heeded at each of its starts, store or not', async () => {
  const store = memoryStore()
  await single(store).commit({ workflow: 'hook', trigger: 'queue' }, { id: '1', at: 40_000 })
  // The second run started 20 s sooner after its minute than the first.
  const run = { id: '2', at: 15 * 60_000 + 20_000 }
  const texts = async (schedule: string) =>
    (await poll(queueOf(1), { every: 15 }, scheduleEvent(schedule), { store, run })).texts
  expect(await texts('*/15 * * * *')).toEqual(['t1'])
  expect(await texts('*/5 * * * *')).toEqual([])
})

test('peers’ fault: an expression within a list of config is filled in', async () => {
  const on = `webhook: {config: {filter: {body.a: {$in: ["$\{{ vars.WANTED }}"]}}}}`
  const inputs = { on, vars: '{"WANTED":"yes"}' }
  const triggered = async (a: string) =>
    (await runJob(webhookRun({}, { a }, { inputs }))).outputs.triggered
  expect([await triggered('yes'), await triggered('no')]).toEqual(['true', 'false'])
})

test('peers’ fault: an id of 0 is an id', async () => {
  const config = { shouldDeduplicate: true }
  const count = async (run: string, body: object) => {
    const inputs = { on: JSON.stringify({ webhook: { config } }), state: 'file:state.json' }
    return (
      await runJob(webhookRun(config, body, { inputs, workspace, env: { GITHUB_RUN_ID: run } }))
    ).outputs.count
  }
  expect([await count('1', { id: 0, n: 1 }), await count('2', { id: 0, n: 2 })]).toEqual(['1', '0'])
})

test('peers’ fault: skipOnError keeps a failing trigger from failing the step', async () => {
  const config = { filterScript: 'return item.no.such', skipOnError: true }
  const { exitCode, outputs } = await runJob(webhookRun(config, {}))
  expect([exitCode, outputs.items]).toEqual([0, '[]'])
})

test('peers’ fault: buildOutputsOnError has an effect', async () => {
  const config = { filterScript: 'return item.no.such', buildOutputsOnError: true }
  const run = await runJob(webhookRun(config, {}))
  expect(itemsOf(run)).toMatchObject([{ webhook: { outcome: 'failure', conclusion: 'success' } }])
})

test('of two triggers, only the failing one is reported by buildOutputsOnError', async () => {
  const config = { filterScript: 'return item.no.such', buildOutputsOnError: true }
  const inputs = { on: JSON.stringify({ webhook: { config }, slack: {} }) }
  const [item] = itemsOf(await runJob(webhookRun({}, {}, { inputs })))
  const skipped = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
  expect(item).toEqual({
    webhook: { outcome: 'failure', conclusion: 'success', outputs: {} },
    slack: skipped,
  })
})

test('peers’ fault: active: false holds for webhooks too', async () => {
  const { exitCode, outputs, summary } = await runJob(webhookRun({ active: false }, {}))
  expect([exitCode, outputs.triggered]).toEqual([0, 'false'])
  expect(summary).toContain('config.active is false')
})

test('peers’ fault: keys are not saved before the outputs are written and the job has succeeded', async () => {
  const store = memoryStore()
  await poll(queueOf(1), {}, undefined, { store, run: { id: '1', at: 0 } })
  const { state } = await single(store).read({ workflow: 'hook', trigger: 'queue' })
  expect(state.claims.map(({ done }) => done)).toEqual([false])
})

test('peers’ fault: /hook/webhook2 is not taken for /hook/webhook', async () => {
  for (const path of ['hook/webhook2', 'hook/webhook-x/a', 'hooks/webhook']) {
    const event = dispatchEvent({ path, method: 'POST', headers: {}, body: '' })
    const { exitCode, outputs } = await runInShared({ ...event, inputs: { on: 'webhook' } })
    expect([path, exitCode, outputs.triggered]).toEqual([path, 0, 'false'])
  }
})

test('peers’ fault: a webhook that does not match does not fail the run', async () => {
  const inputs = { on: 'webhook: {method: put, path: /a}' }
  const { exitCode, outputs, stdout } = await runInShared(webhookRun({}, {}, { inputs }))
  expect([exitCode, outputs.items]).toEqual([0, '[]'])
  expect(stdout).not.toContain('::error')
})

test('peers’ fault: bad JSON and bytes that are no text are not lost', async () => {
  const bodyOf = async (body: string, headers: object) => {
    const event = dispatchEvent({ path: 'hook/webhook', method: 'POST', headers, body })
    return (await runInShared({ ...event, inputs: { on: 'webhook' } })).outputs.body
  }
  const json = { 'content-type': 'application/json' }
  expect(await bodyOf('{"a": 1,', json)).toBe('{"a": 1,')
  const binary = { 'content-type': 'image/png', 'x-hookline-body-encoding': 'base64' }
  expect(await bodyOf('/wCA', binary)).not.toContain('\ufffd')
})

describe('a bot that is polled', () => {
  let nextId = 1 // a server never reuses an update id
  let telegram: TelegramStandIn
  beforeEach(async () => {
    telegram = await new TelegramStandIn([BOT_TOKEN], nextId++ * 1_000).start()
  })
  afterEach(() => telegram.stop())

  const run = () => ({
    ...{ event: 'schedule', payload: {}, calling: 'bot', workspace },
    inputs: {
      ...{ on: POLL, state: 'file:bot.json', 'telegram-api-url': telegram.url },
      secrets: JSON.stringify({ BOT: BOT_TOKEN }),
    },
  })

  test('peers’ fault: an edited message does not crash the poll', async () => {
    telegram.enqueue('edited_message', textMessage('edited'))
    telegram.enqueue('message', textMessage('new'))
    const { exitCode, outputs } = await runJob(run())
    expect([exitCode, outputs.count, outputs.text]).toEqual([0, '1', 'new'])
  })

  test('peers’ fault: the offset is confirmed, so that it hears what comes after 100 messages', async () => {
    for (let at = 0; at < 100; at++) telegram.enqueue('message', textMessage(`${at}`))
    telegram.enqueue('message', textMessage('the last'))
    expect((await runJob(run())).outputs.count).toBe('100')
    expect((await runJob(run())).outputs).toMatchObject({ count: '1', text: 'the last' })
    expect((await runJob(run())).outputs.count).toBe('0')
    expect(telegram.kept).toEqual([])
  })

  test('peers’ fault: its token is in no error, no output, no file and no state', async () => {
    telegram.enqueue('message', textMessage('hi'))
    const main = await runInShared(run())
    const post = await runPost(run(), main.state)
    telegram.faults.push({
      status: 400,
      body: JSON.stringify({ ok: false, description: BOT_TOKEN }),
    })
    const refused = await runInShared(run())
    expect([main.exitCode, post.exitCode, refused.exitCode]).toEqual([0, 0, 1])
    // Only the line that makes the runner mask the secret may contain it.
    const masks = /^::add-mask::.*$/gm
    const said = JSON.stringify(
      [main, post, refused].map((one) => ({ ...one, stdout: one.stdout.replace(masks, '') })),
    )
    expect(said).not.toContain(BOT_TOKEN.split(':')[1])
    const files = await readdir(workspace, { recursive: true, withFileTypes: true })
    const written = files.filter((file) => file.isFile())
    expect(written.map(({ name }) => name)).toContain('bot.json')
    for (const { parentPath, name } of written) {
      expect(await readFile(join(parentPath, name), 'utf8')).not.toContain(BOT_TOKEN.split(':')[1])
    }
  })
})
