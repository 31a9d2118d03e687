import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../support/dev.ts'
import { detail, EventReader } from '../support/inspector.ts'

let dev: Dev
let reader: EventReader
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-export-'))
  const configs = {
    formatted: "{ format: 'return { title: item.body.title.toUpperCase() }' }",
    filtered: '{ filter: { body.kind: wanted } }',
    exported: `{ exportOutputs: true, outputsDir: '${folder}' }`,
    once: '{ shouldDeduplicate: true }',
    debugged: '{ debug: true }',
  }
  const files = Object.entries(configs).map(([name, config]) => [
    `workflows/${name}.yml`,
    `on: { webhook: { config: ${config} } }`,
  ])
  dev = await startDev({ files: Object.fromEntries(files) })
  reader = new EventReader(dev.url)
})
afterAll(async () => {
  await reader.close()
  await dev.stop()
  await rm(folder, { recursive: true })
})

let sent = 0

/** The stored record of a request, after it was reported. */
async function keptOf(workflow: string, body: object) {
  await post(dev.hook(`${workflow}/webhook`), body)
  await reader.summaries(++sent)
  return detail(dev.url, sent)
}

test('items are kept as they were before config, and after it', async () => {
  expect(await keptOf('formatted', { title: 'hello' })).toMatchObject({
    outcome: 'fired',
    found: [{ body: { title: 'hello' } }],
    items: [{ webhook: { outputs: { title: 'HELLO' } } }],
  })
})

test('dropped items are stored, too, with the reason', async () => {
  const kept = await keptOf('filtered', { kind: 'other' })
  expect(kept).toMatchObject({
    outcome: 'skipped',
    found: [{ body: { kind: 'other' } }],
    items: [],
  })
  expect(kept.reason).toBe('filter: body.kind is "other", wanted "wanted"')
})

test('outputs that the action would write to a file are no file here, and it says so', async () => {
  expect(await keptOf('exported', { title: 'hello' })).toMatchObject({
    items: [{ webhook: { outputs: { path: `${folder}/exported/webhook/1.json` } } }],
    messages: [
      {
        level: 'warning',
        code: 'unwritten-file',
        text: 'config.exportOutputs: the action writes the file at "path"; here none is written',
      },
    ],
  })
  expect(await readdir(folder)).toEqual([])
})

test('messages that the action would log are stored', async () => {
  expect(await keptOf('debugged', {})).toMatchObject({
    messages: [
      { level: 'notice', text: expect.stringMatching(/^config\.debug has no effect here: /) },
    ],
  })
})

test('seen keys are remembered as long as it runs', async () => {
  const outcomes = []
  for (const id of ['a', 'b', 'a']) outcomes.push((await keptOf('once', { id })).outcome)
  expect(outcomes).toEqual(['fired', 'fired', 'skipped'])
})
