import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { joinBatch, writeBatchPayload } from '../../src/wire/batch-payload.ts'
import { gzip, toBase64 } from '../../src/wire/bytes.ts'
import { writeClientPayload } from '../../src/wire/payload.ts'
import { type ActionRun, dispatchEvent, runInShared, runReplyInShared } from '../support/action.ts'
import { fire, payload } from './step.ts'

/** The outputs of a failed step for jobs that continue with `continue-on-error`. */
const NOTHING = { triggered: 'false', count: '0', items: '[]', on: '{}', deliveries: '[]' }

/** Outputs that are not JSON if nothing fired. */
const STRINGS = ['trigger', 'workflow', 'delivery', 'received-at']

describe.each([...new Set(TRIGGERS.values())])('outputs when $name does not fire', (trigger) => {
  const { name, jsonOutputs, minimalOptions } = trigger
  const fields = Object.fromEntries(jsonOutputs.map((field) => [field, 'null']))
  const on = JSON.stringify({ [name]: minimalOptions })

  test.each<[string, Partial<ActionRun>]>([
    ['the webhook of another workflow', dispatchEvent(payload({ path: `other/${name}` }))],
    ['another trigger of its workflow', dispatchEvent(payload({ path: 'hook/other' }))],
    ['an event that cannot be read', dispatchEvent({ path: 5 })],
    ['a push', { event: 'push', payload: {} }],
    ['a step that fails', { inputs: { on: `${on.slice(0, -2)}, "wrong": 1}}` } }],
  ])('are valid JSON on %s', async (_, event) => {
    const { outputs } = await fire(on, {}, event)
    expect(outputs).toMatchObject({ ...fields, triggered: 'false', items: '[]' })
    for (const [output, text] of Object.entries(outputs)) {
      if (!STRINGS.includes(output)) expect([output, JSON.parse(text)]).toHaveLength(2)
    }
  })
})

async function batch(count: number): Promise<object> {
  const one = { path: 'hook/webhook', method: 'POST', headers: {}, body: '{"n":1}' }
  const events = Array.from({ length: count }, () => writeClientPayload(one))
  const packed = toBase64(await gzip(new TextEncoder().encode(joinBatch(events))))
  const about = { path: one.path, method: one.method, delivery: 'b', receivedAt: '2026-01-01' }
  return JSON.parse(writeBatchPayload({ ...about, count }, packed))
}

test.each<[string, () => Promise<object>, Record<string, string>]>([
  ['a mistake in "on"', async () => payload(), { on: 'webhook: { method: psot }' }],
  ['an input that cannot be read', async () => payload(), { on: 'webhook', secrets: '{' }],
  [
    'an option that needs a store',
    async () => payload(),
    { on: 'webhook: { config: { shouldDeduplicate: true } }' },
  ],
  ['a batch for a trigger that takes one event', () => batch(2), { on: 'webhook' }],
])(
  'a step that fails before anything fired says so in its outputs: %s',
  async (_, event, inputs) => {
    const run = await runInShared({ ...dispatchEvent(await event()), inputs })
    expect(run.exitCode).toBe(1)
    expect(run.outputs).toMatchObject(NOTHING)
  },
)

describe('a file of the runner that cannot be written', () => {
  const folder = import.meta.dirname
  const missing = join(folder, 'none', 'file')
  const step = (env: Record<string, string>, inputs = {}) =>
    runInShared({ ...dispatchEvent(payload()), inputs: { on: 'webhook', ...inputs }, env })

  test('is a warning with path and cause if it is the summary', async () => {
    const run = await step({ GITHUB_STEP_SUMMARY: missing })
    expect([run.exitCode, run.outputs.triggered]).toEqual([0, 'true'])
    expect(run.stdout).toContain(
      `::warning::GITHUB_STEP_SUMMARY cannot be written: ${missing}: no such file or directory (ENOENT)`,
    )
  })

  test.each([
    ['a missing file', missing, 'no such file or directory'],
    ['a folder', folder, 'the path is a directory (EISDIR)'],
  ])('is an error with path and cause if it is that of the outputs: %s', async (_, path, cause) => {
    const run = await step({ GITHUB_OUTPUT: path })
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain(`GITHUB_OUTPUT cannot be written: ${path}: ${cause}`)
    expect(run.stdout).not.toContain('internal error')
  })

  test('does not hide the error of the step', async () => {
    const run = await step({ GITHUB_OUTPUT: folder }, { on: 'webhook: { method: psot }' })
    expect(run.stdout).toMatch(/GITHUB_OUTPUT cannot be written.*unknown HTTP method "psot"/s)
  })

  test('is an error of reply, too', async () => {
    const run = await runReplyInShared({
      ...dispatchEvent(payload()),
      inputs: { to: '{}' },
      env: { GITHUB_OUTPUT: folder },
    })
    expect([run.exitCode, run.stdout]).toEqual([
      1,
      expect.stringContaining(
        `GITHUB_OUTPUT cannot be written: ${folder}: the path is a directory`,
      ),
    ])
  })
})

const DELIVERY = '0b6f6c1e-7f8e-4a3a-9d6e-3a5f1f6a2c11'
const received = { 'x-hookline-delivery': DELIVERY, 'x-hookline-received-at': '2026-01-01' }

test.each([
  ['format', 'format: "return item.body.missing.field"'],
  ['filterScript', 'filterScript: "return item.body.missing.field"'],
  ['size', 'format: "return {all: \'x\'.repeat(460000)}"'],
  ['format', 'skipOnError: true, format: "return item.body.missing.field"'],
])('the one event of a run that fails in %s is in the output failed: %s', async (step, config) => {
  const on = `webhook: { config: { ${config} } }`
  const event = payload({ headers: received, body: '{}' })
  const run = await runInShared({ ...dispatchEvent(event), inputs: { on } })
  expect(run.exitCode).toBe(config.startsWith('skip') ? 0 : 1)
  const failed = JSON.parse(run.outputs.failed ?? '')
  expect(failed).toEqual([{ delivery: DELIVERY, step, reason: expect.stringMatching(/\w/) }])
  expect(run.outputs.items).toBe('[]')
})

test('a batch becomes items, and its account in the summary', async () => {
  const on = 'webhook:\n  config: { batch: true, filter: { body.n: 1 } }\n'
  const run = await runInShared({ ...dispatchEvent(await batch(3)), inputs: { on } })
  expect(run.summary).not.toContain('<td>Body</td>')
  expect([run.exitCode, run.outputs.count, run.outputs.deliveries]).toEqual([0, '3', '[]'])
  expect(JSON.parse(run.outputs.items ?? '')).toHaveLength(3)
  expect(run.summary).toContain('3 events came; 3 items found, 3 passed on')
})
