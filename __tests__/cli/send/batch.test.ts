import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { readBatch } from '../../../src/wire/batch-payload.ts'
import { readClientPayload } from '../../../src/wire/payload.ts'
import { runShared } from '../../support/cli.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { OUTBOX_RUNTIMES, type OutboxRelay } from '../../support/outbox-relays.ts'
import { payloadOf, TOKEN } from '../../support/scene.ts'

const [onNode] = OUTBOX_RUNTIMES
const run = onNode?.isThere ? test : test.skip
let github: GitHub
let relay: OutboxRelay
let hook: string

beforeAll(async () => {
  github = await startGitHub({ listsRunsByRule: true })
  if (!onNode?.isThere) return
  relay = await onNode.start({ HOOKLINE_API_URL: github.url })
  hook = `${relay.url}/octo/repo/hook/webhook`
})
afterEach(() => github.reset())
afterAll(async () => {
  await relay?.close()
  await github.close()
})

async function send(args: readonly string[]) {
  const env = {
    HOOKLINE_CREDENTIAL: TOKEN,
    HOOKLINE_WEBHOOK_SECRET: 'hush',
    HOOKLINE_API_URL: github.url,
  }
  const ended = await runShared(['send', ...args], { env })
  expect(ended.stdout + ended.stderr).not.toContain(TOKEN)
  return ended
}

const dispatches = () => github.calls.filter(({ url }) => url?.endsWith('/dispatches'))

run('the first event of a credential is sent alone, and the output says so', async () => {
  const { exitCode, stdout } = await send([hook, '--sender', 'stripe', '--count', '3'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(
    /^http:\S+\/octo\/repo\/hook\/webhook\n3 events .*\nbatch \S{36} {2}2 events\n1 event /,
  )
  expect(dispatches()).toHaveLength(1)
})

run('--count 3 sends three signed events to collect, and --wait follows their run', async () => {
  github.always(({ url }) => {
    if (url?.endsWith('/dispatches')) return { status: 204 }
    const ran = dispatches().map(({ body }, at) => ({
      ...{ id: at + 1, path: '.github/workflows/hook.yml', status: 'completed' },
      ...{ conclusion: 'success', created_at: '2026-11-20T10:00:00Z' },
      html_url: `https://github.com/octo/repo/actions/runs/${at + 1}`,
      display_title: `hook ${payloadOf(body).headers['x-hookline-delivery']}`,
    }))
    const [, id] = /\/runs\/(\d+)$/.exec(url ?? '') ?? []
    return {
      status: 200,
      body: JSON.stringify(id === undefined ? { workflow_runs: ran } : ran[Number(id) - 1]),
    }
  })
  const args = [
    `${relay.url}/octo/repo/hook/other?__batch=2`,
    ...['--sender', 'stripe', '--count', '3', '--wait', '--json'],
  ]
  const { exitCode, stdout, stderr } = await send(args)
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('success')])
  const { accepted, batch, responses } = JSON.parse(stdout)
  expect(accepted).toBe(true)
  expect(responses).toHaveLength(3)
  const one = dispatches().find(({ body }) => payloadOf(body).headers['x-hookline-batch'])
  const payload = readClientPayload(payloadOf(one?.body ?? ''))
  expect(payload.headers['x-hookline-delivery']).toBe(batch)
  const events = (await readBatch(payload))?.map(readClientPayload) ?? []
  expect(events.map(({ path }) => path)).toEqual(Array(3).fill('hook/other'))
  const signatures = events.map(({ headers }) => headers['stripe-signature'])
  expect(signatures.every((signature) => /v1=/.test(signature ?? ''))).toBe(true)
})

run('a collected event is printed with the id of its batch', async () => {
  const { exitCode, stdout } = await send([`${hook}?__batch=1`, '--sender', 'stripe'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/batch \S{36}\n/)
})

run.each([
  [
    'a bad period',
    () => [`${hook}?__batch=0`, '--sender', 'stripe', '--count', '3'],
    1,
    '1 event sent',
  ],
  ['a count that is no number', () => [hook, '--count', 'many'], 2, '9999'],
])('%s ends it', async (_, args, code, text) => {
  const { exitCode, stdout, stderr } = await send(args())
  expect([exitCode, stdout + stderr]).toEqual([code, expect.stringContaining(text)])
  expect(dispatches()).toEqual([])
})
