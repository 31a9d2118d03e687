import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ActionResult, dispatchEvent, runInShared } from '../support/action.ts'
import { payloadOf } from '../support/receive.ts'
import { RECORDED } from './recorded.ts'
import { RECEIVED, type Recorded } from './recording.ts'

let folder: string
let run = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-seen-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The changes of a sender's retry, and of a different event. */
const AGAIN: Readonly<Record<string, (body: string) => string>> = {
  typeform: (body) => body.replace('Laura', 'Lara'),
  trello: (body) => body.replace('"consecutiveFailures":0', '"consecutiveFailures":1'),
  'slack, an event': (body) => body.replace('"event_time":1', '"event_time":2'),
  google_form: (body) => body.replace('Option 2', 'Option 3'),
  'aws_sns, a notification': (body) => body.replace('EXAMPLE', 'SAMPLE'),
}
const ANOTHER: Readonly<Record<string, (body: string) => string>> = {
  typeform: (body) => body.replace('LtWXD3crgy', 'LtWXD3crgz'),
  trello: (body) => body.replace('5f7073311f0aab7e1c3dd44c', '5f7073311f0aab7e1c3dd44d'),
  'slack, an event': (body) => body.replace('Ev123ABC456', 'Ev123ABC457'),
  google_form: (body) => body.replace('2_ABa', '3_ABa'),
  'aws_sns, a notification': (body) => body.replace('22b80b92', '22b80b93'),
}

/** The number of items of each request, each in its own run, with one store for all. */
async function fires(recorded: Recorded, ...bodies: readonly string[]) {
  const { trigger, contentType, moreHeaders } = recorded
  const headers = { 'Content-Type': contentType, ...moreHeaders }
  const on = `${trigger}:\n  config: { shouldDeduplicate: true }`
  const inputs = { on, state: `file:${join(folder, 'state.json')}` }
  const results: ActionResult[] = []
  for (const body of bodies) {
    const event = dispatchEvent(payloadOf(trigger, { headers, body, receivedAt: RECEIVED }))
    results.push(await runInShared({ ...event, env: { GITHUB_RUN_ID: String(++run) }, inputs }))
  }
  return results.map(({ outputs, stdout }) => outputs.count ?? stdout)
}

const rows = RECORDED.flatMap((recorded) =>
  Object.keys(AGAIN)
    .filter((name) => recorded.name.startsWith(name) && !recorded.name.includes('raw'))
    .map((name) => [name, recorded] as const),
)

test.each(rows)('%s: sent again it fires once, and another fires too', async (name, recorded) => {
  const { body } = recorded
  const bodies = [body, AGAIN[name]?.(body) ?? '', ANOTHER[name]?.(body) ?? '']
  expect(await fires(recorded, ...bodies)).toEqual(['1', '0', '1'])
})

test('a slash command has no such id: its key is a hash of all its fields', async () => {
  const command = RECORDED.find(({ name }) => name === 'slack, a slash command')
  if (!command) throw new Error('no recorded command')
  const another = command.body.replace('13345224609', '13345224610')
  expect(await fires(command, command.body, command.body, another)).toEqual(['1', '0', '1'])
})
