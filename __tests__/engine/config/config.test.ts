import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { itemsOf, runJob, webhookRun } from './scene.ts'

const BODY = { id: 7, action: 'opened', n: 3, title: 'Crash' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('a webhook fires, or does not, by', () => {
  test.each<[string, object, boolean]>([
    ['nothing', {}, true],
    ['active', { active: true }, true],
    ['active: false', { active: false }, false],
    ['a filter that matches', { filter: { 'body.action': 'opened' } }, true],
    ['a filter that does not', { filter: { 'body.action': { $in: ['closed'] } } }, false],
    ['a filter on a header', { filter: { 'headers.x-kind': { $exists: false } } }, true],
    ['a filterScript', { filterScript: 'return item.body.n > 3' }, false],
    [
      'filter and filterScript, both true',
      { filter: { 'body.n': 3 }, filterScript: 'return true' },
      true,
    ],
    ['skip', { skip: 1 }, false],
    ['limit', { limit: 1 }, true],
    ['sort and limit', { sort: { 'body.n': -1 }, sortScript: 'return 0', limit: 1 }, true],
    [
      'keys for polled triggers only',
      { every: 45, timeZone: 'Europe/Berlin', manualRunEvent: [], skipSchedule: true },
      true,
    ],
    ['force', { force: true }, true],
    ['shouldDeduplicate: false', { shouldDeduplicate: false }, true],
  ])('%s', async (_, config, fires) => {
    const { exitCode, outputs, summary } = await runJob(webhookRun(config, BODY))
    expect({ exitCode, triggered: outputs.triggered }).toEqual({
      exitCode: 0,
      triggered: String(fires),
    })
    expect(outputs.count).toBe(fires ? '1' : '0')
    if (!fires) expect(summary).toMatch(/config\.active is false|dropped 1/)
  })
})

describe('a job gets', () => {
  test('the fields that filterOutputs leaves, and null for the others', async () => {
    const run = await runJob(webhookRun({ filterOutputs: { 'body.title': 1, method: 1 } }, BODY))
    expect(itemsOf(run)).toEqual([
      {
        webhook: {
          outcome: 'success',
          conclusion: 'success',
          outputs: { method: 'post', body: { title: 'Crash' } },
        },
      },
    ])
    expect(run.outputs).toMatchObject({
      method: 'post',
      body: '{"title":"Crash"}',
    })
  })

  test('what format returns', async () => {
    const run = await runJob(
      webhookRun({ format: 'return { ...item, body: item.body.title }' }, BODY),
    )
    expect(run.outputs.body).toBe('Crash')
  })

  test('one context with a list, and no fields, with outputsMode: combine', async () => {
    const run = await runJob(webhookRun({ outputsMode: 'combine' }, BODY))
    expect(itemsOf(run)).toMatchObject([{ webhook: { outputs: [{ body: BODY, method: 'post' }] } }])
    expect(run.outputs).toMatchObject({ triggered: 'true', count: '1' })
    expect(run.outputs).not.toHaveProperty('body')
  })

  test.each([
    ['separate', (text: string) => JSON.parse(text)],
    ['combine', (text: string) => JSON.parse(text)[0]],
  ])('a file with exportOutputs, outputsMode %s', async (outputsMode, read) => {
    const config = { exportOutputs: true, outputsDir: `out/${outputsMode}`, outputsMode }
    const run = await runJob(webhookRun(config, BODY, { workspace: folder }))
    const [context] = itemsOf(run) as { webhook: { outputs: { path: string } } }[]
    const path = context?.webhook.outputs.path ?? ''
    expect(path).toBe(join(folder, `out/${outputsMode}/hook/webhook/1.json`))
    expect(read(await readFile(path, 'utf8'))).toMatchObject({ method: 'post', body: BODY })
    expect(run.outputs).not.toHaveProperty('body')
  })
})

describe('a trigger that fails', () => {
  const failing = { format: 'return item.body.no.such' }

  test('fails the step, at its place', async () => {
    const { exitCode, stdout } = await runJob(webhookRun(failing, BODY))
    expect(exitCode).toBe(1)
    expect(stdout).toContain(
      "error: config.format: TypeError: cannot read property 'such' of undefined",
    )
    expect(stdout).toMatch(/ --> input "on":1:\d+/)
  })

  test('is a warning and counts as skipped with skipOnError', async () => {
    const run = await runJob(webhookRun({ ...failing, skipOnError: true }, BODY))
    expect(run.exitCode).toBe(0)
    expect(run.outputs).toMatchObject({ triggered: 'false', count: '0', items: '[]' })
    expect(run.stdout).toMatch(/::warning::hook\/webhook failed: config\.format: TypeError/)
    expect(run.summary).toContain('failed: config.format')
  })

  test.each([{}, { skipOnError: true }])(
    'gives one item with buildOutputsOnError, together with %j',
    async (other) => {
      const run = await runJob(
        webhookRun({ ...failing, ...other, buildOutputsOnError: true }, BODY),
      )
      expect(run.exitCode).toBe(0)
      expect(run.outputs).toMatchObject({ triggered: 'true', count: '1', trigger: 'webhook' })
      expect(itemsOf(run)).toEqual([
        { webhook: { outcome: 'failure', conclusion: 'success', outputs: {} } },
      ])
    },
  )

  test('is not excused when it is the configuration that is wrong', async () => {
    const config = { shouldDeduplicate: true, skipOnError: true, buildOutputsOnError: true }
    expect((await runJob(webhookRun(config, BODY))).exitCode).toBe(1)
  })

  test('by an endless chain of promises waits for nothing', async () => {
    const format = 'const again = () => Promise.resolve().then(again); again(); return item'
    const { exitCode } = await runJob(webhookRun({ format }, BODY))
    expect(exitCode).toBe(0)
  })
})

test('a filterScript without a return says why it dropped the item', async () => {
  const { outputs, stdout } = await runJob(webhookRun({ filterScript: 'item.body.n > 3' }, BODY))
  expect(outputs.triggered).toBe('false')
  expect(stdout).toContain('filterScript: returned nothing; write "return" before the condition')
  const guard = await runJob(webhookRun({ filterScript: 'if (item.body.n > 3) return true' }, BODY))
  expect(guard.stdout).not.toContain('returned nothing')
})

test('the text of an item is in no error of a script', async () => {
  const config = { filterScript: 'throw new Error(item.body.title)', skipOnError: true }
  const { stdout, summary } = await runJob(webhookRun(config, { title: 'PAYLOAD-TEXT' }))
  expect(stdout).toContain('config.filterScript: threw Error')
  expect(stdout + summary).not.toContain('PAYLOAD-TEXT')
})
