import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { joinBatch, writeBatchPayload } from '../../src/wire/batch-payload.ts'
import { gzip, toBase64 } from '../../src/wire/bytes.ts'
import { writeClientPayload } from '../../src/wire/payload.ts'
import { type ActionRun, dispatchEvent, runInShared, runReplyInShared } from '../support/action.ts'
import { fired } from '../support/chats.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'
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

/** Not even root can open a socket as a file. This one has the path of a file of `exportOutputs`. */
const sockets = mkdtempSync(join(tmpdir(), 'hookline-socket-'))
const socket = join(sockets, 'hook', 'webhook', '1.json')
const NO_FILE = /: [a-z/ ]{8,} \((?:ENXIO|EOPNOTSUPP)\)/
const listener = createServer()

beforeAll(async () => {
  mkdirSync(dirname(socket), { recursive: true })
  await new Promise<void>((resolve) => listener.listen(socket, resolve))
})

afterAll(async () => {
  await new Promise((resolve) => listener.close(resolve))
  rmSync(sockets, { recursive: true })
})

describe('a file of the runner that cannot be written', () => {
  const folder = import.meta.dirname
  const missing = join(folder, 'none', 'file')
  const step = (env: Record<string, string>, inputs = {}) =>
    runInShared({ ...dispatchEvent(payload()), inputs: { on: 'webhook', ...inputs }, env })

  test.each([
    ['a missing file', missing, /: no such file or directory \(ENOENT\)/],
    ['a socket', socket, NO_FILE],
  ])('is a warning with path and cause if it is the summary: %s', async (_, path, cause) => {
    const run = await step({ GITHUB_STEP_SUMMARY: path })
    expect([run.exitCode, run.outputs.triggered]).toEqual([0, 'true'])
    expect(run.stdout).toContain(`::warning::GITHUB_STEP_SUMMARY cannot be written: ${path}: `)
    expect(run.stdout).toMatch(cause)
  })

  test.each([
    ['a missing file', missing, /: no such file or directory \(ENOENT\)/],
    ['a file in a file', '/dev/null/output', /: a part of the path is not a directory \(ENOTDIR\)/],
    ['a folder', folder, /: the path is a directory \(EISDIR\)/],
    ['a socket', socket, NO_FILE],
  ])('is an error with path and cause if it is that of the outputs: %s', async (_, path, cause) => {
    const run = await step({ GITHUB_OUTPUT: path })
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain(`GITHUB_OUTPUT cannot be written: ${path}: `)
    expect(run.stdout).toMatch(cause)
    expect(run.stdout).not.toContain('internal error')
  })

  test('does not hide the error of the step', async () => {
    const run = await step({ GITHUB_OUTPUT: folder }, { on: 'webhook: { method: psot }' })
    expect(run.stdout).toMatch(/GITHUB_OUTPUT cannot be written.*unknown HTTP method "psot"/s)
  })

  describe('after a reply', () => {
    let telegram: TelegramStandIn

    beforeAll(async () => {
      telegram = await new TelegramStandIn().start()
    })

    afterAll(() => telegram.stop())

    const replied = (inputs: Record<string, string>, path: string) =>
      runReplyInShared({
        ...dispatchEvent(payload()),
        inputs: {
          to: fired('messaging_bot', { message_id: 5, chat: { id: 7001, type: 'private' } }),
          ...{ text: 'done', token: BOT_TOKEN, 'telegram-api-url': telegram.url, ...inputs },
        },
        env: { GITHUB_OUTPUT: path },
      })

    test.each([
      ['a warning', 'false', 0, '::warning', folder, /: the path is a directory \(EISDIR\)/],
      ['a warning', 'false', 0, '::warning', socket, NO_FILE],
      ['an error', 'true', 1, '::error', folder, /: the path is a directory \(EISDIR\)/],
    ])('is %s that says that it was sent, if fail-on-error is %s', async (...row) => {
      const [, failOnError, exitCode, command, path, cause] = row
      telegram.calls.length = 0
      const run = await replied({ 'fail-on-error': failOnError }, path)
      expect(telegram.calls.map(({ method }) => method)).toEqual(['sendMessage'])
      expect(run.exitCode).toBe(exitCode)
      expect(run.stdout).toContain(
        `${command} title=Hookline::the reply was sent, but the output "id" is not set: GITHUB_OUTPUT cannot be written: ${path}: `,
      )
      expect(run.stdout).toMatch(cause)
    })

    test('does not matter if nothing was sent, because an output that is not set is empty', async () => {
      const run = await replied({ to: '{}' }, folder)
      expect([run.exitCode, run.stdout]).toEqual([
        0,
        expect.stringMatching(
          /^::warning title=Hookline::the reply was not sent%0A(?!.*GITHUB_OUTPUT)/m,
        ),
      ])
    })
  })
})

test('a file of exportOutputs that cannot be written is a fault with its path, and no bug', async () => {
  const { exitCode, stdout } = await fire(
    `webhook: {config: {exportOutputs: true, outputsDir: '${sockets}'}}`,
  )
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`error: ${socket}: `)])
  expect(stdout).toMatch(NO_FILE)
  expect(stdout).toContain('"config.outputsDir"')
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
