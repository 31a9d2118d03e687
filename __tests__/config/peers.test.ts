import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { memoryStore, poll, queueOf, scheduleEvent, updates } from '../support/queue-trigger.ts'
import { itemsOf, runJob, webhookRun } from './scene.ts'

let workspace: string
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'hookline-peers-'))
})
afterAll(() => rm(workspace, { recursive: true }))

/** Faults of other tools in the field, each with the test that this one does not share it. */

test('a filterScript beside a filter is not forgotten', async () => {
  const config = { filter: { 'body.n': 1 }, filterScript: 'return false' }
  expect((await runJob(webhookRun(config, { n: 1 }))).outputs.triggered).toBe('false')
})

test('limit does not cut before deduplication, which would stop at what is known', async () => {
  const store = memoryStore()
  const queue = queueOf(2)
  const config = { limit: 2 }
  const first = await poll(queue, config, undefined, { store, run: { id: '1', at: 0 } })
  // The job commits, and the acknowledgement is lost: both come again, before two new ones.
  await store.commit({ workflow: 'hook', trigger: 'queue' }, { id: '1', at: 0 })
  queue.put(...updates(3, 4))
  const second = await poll(queue, config, undefined, { store, run: { id: '2', at: 1 } })
  expect([first.texts, second.texts]).toEqual([
    ['t1', 't2'],
    ['t3', 't4'],
  ])
})

test('every: 45 is a number of minutes, and no cron field', async () => {
  const at = (minutes: number) => ({ store, run: { id: '2', at: minutes * 60_000 } })
  const store = memoryStore()
  await store.commit({ workflow: 'hook', trigger: 'queue' }, { id: '1', at: 0 })
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
  await store.commit({ workflow: 'hook', trigger: 'queue' }, { id: '1', at: 40_000 })
  // The second start came 20 s sooner after its minute than the first.
  const run = { id: '2', at: 15 * 60_000 + 20_000 }
  const texts = async (schedule: string) =>
    (await poll(queueOf(1), { every: 15 }, scheduleEvent(schedule), { store, run })).texts
  expect(await texts('*/15 * * * *')).toEqual(['t1'])
  expect(await texts('*/5 * * * *')).toEqual([])
})

test('an expression within a list of config is filled in', async () => {
  const on = `webhook: {config: {filter: {body.a: {$in: ["$\{{ vars.WANTED }}"]}}}}`
  const inputs = { on, vars: '{"WANTED":"yes"}' }
  const triggered = async (a: string) =>
    (await runJob(webhookRun({}, { a }, { inputs }))).outputs.triggered
  expect([await triggered('yes'), await triggered('no')]).toEqual(['true', 'false'])
})

test('an id of 0 is an id', async () => {
  const config = { shouldDeduplicate: true }
  const count = async (run: string, body: object) => {
    const inputs = { on: JSON.stringify({ webhook: { config } }), state: 'file:state.json' }
    return (
      await runJob(webhookRun(config, body, { inputs, workspace, env: { GITHUB_RUN_ID: run } }))
    ).outputs.count
  }
  expect([await count('1', { id: 0, n: 1 }), await count('2', { id: 0, n: 2 })]).toEqual(['1', '0'])
})

test('skipOnError keeps a failing trigger from failing the step', async () => {
  const config = { filterScript: 'return item.no.such', skipOnError: true }
  const { exitCode, outputs } = await runJob(webhookRun(config, {}))
  expect([exitCode, outputs.items]).toEqual([0, '[]'])
})

test('buildOutputsOnError has an effect', async () => {
  const config = { filterScript: 'return item.no.such', buildOutputsOnError: true }
  const run = await runJob(webhookRun(config, {}))
  expect(itemsOf(run)).toMatchObject([{ webhook: { outcome: 'failure', conclusion: 'success' } }])
})

test('active: false holds for webhooks too', async () => {
  const { exitCode, outputs, summary } = await runJob(webhookRun({ active: false }, {}))
  expect([exitCode, outputs.triggered]).toEqual([0, 'false'])
  expect(summary).toContain('config.active is false')
})

test('keys are not saved before the outputs are written and the job has succeeded', async () => {
  const store = memoryStore()
  await poll(queueOf(1), {}, undefined, { store, run: { id: '1', at: 0 } })
  const { claims } = await store.read({ workflow: 'hook', trigger: 'queue' })
  expect(claims.map(({ done }) => done)).toEqual([false])
})
