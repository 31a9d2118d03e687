import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../support/dev.ts'
import { detail, EventReader } from '../support/inspector.ts'

let dev: Dev
let reader: EventReader

afterEach(async () => {
  await reader.close()
  await dev.stop()
})

async function start(config: string): Promise<void> {
  dev = await startDev({
    files: { 'workflows/hook.yml': `on: { webhook: { config: ${config} } }` },
  })
  reader = new EventReader(dev.url)
}

test('items are kept as they were before config, and after it', async () => {
  await start("{ format: 'return { title: item.body.title.toUpperCase() }' }")
  await post(dev.hook('hook/webhook'), { title: 'hello' })
  await reader.summaries(1)
  expect(await detail(dev.url, 1)).toMatchObject({
    outcome: 'fired',
    found: [{ body: { title: 'hello' } }],
    items: [{ webhook: { outputs: { title: 'HELLO' } } }],
  })
})

test('what a filter dropped is kept too, and why', async () => {
  await start('{ filter: { body.kind: wanted } }')
  await post(dev.hook('hook/webhook'), { kind: 'other' })
  await reader.summaries(1)
  const kept = await detail(dev.url, 1)
  expect(kept).toMatchObject({
    outcome: 'skipped',
    found: [{ body: { kind: 'other' } }],
    items: [],
  })
  expect(kept.reason).toContain('filter dropped 1')
})

test('outputs that the action would write to a file are no file here, and it says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-export-'))
  await start(`{ exportOutputs: true, outputsDir: '${folder}' }`)
  await post(dev.hook('hook/webhook'), { title: 'hello' })
  await reader.summaries(1)
  expect(await detail(dev.url, 1)).toMatchObject({
    items: [{ webhook: { outputs: { path: `${folder}/hook/webhook/1.json` } } }],
    warnings: ['config.exportOutputs: the action writes the file at "path"; here none is written'],
  })
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('what was seen is remembered as long as it runs', async () => {
  await start('{ shouldDeduplicate: true }')
  for (const id of ['a', 'b', 'a']) await post(dev.hook('hook/webhook'), { id })
  const summaries = await reader.summaries(3)
  expect(summaries.map(({ outcome }) => outcome)).toEqual(['fired', 'fired', 'skipped'])
})
