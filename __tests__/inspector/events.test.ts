import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../support/dev.ts'
import { EventReader } from '../support/inspector.ts'

let dev: Dev
const readers: EventReader[] = []

beforeEach(async () => {
  dev = await startDev({ files: { 'workflows/hook.yml': 'on: webhook' } })
})
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close()
  await dev.stop()
})

function read(lastEventId?: string): EventReader {
  const reader = new EventReader(dev.url, lastEventId)
  readers.push(reader)
  return reader
}

async function send(...names: string[]): Promise<void> {
  for (const name of names) await post(dev.hook(`hook/webhook/${name}`), {})
}

function paths(summaries: readonly { readonly path: string }[]): string[] {
  return summaries.map(({ path }) => path.replace('hook/webhook/', ''))
}

test('a reader gets what is kept, then each request as it comes', async () => {
  await send('a', 'b')
  const reader = read()
  expect(paths(await reader.summaries(2))).toEqual(['a', 'b'])
  await send('c')
  expect(paths(await reader.summaries(3))).toEqual(['a', 'b', 'c'])
})

test('a reader that lost the connection gets what it missed, and nothing twice', async () => {
  const first = read()
  await send('a', 'b')
  await first.summaries(2)
  const seen = first.events.at(-1)?.id
  await first.close()
  await send('c', 'd')
  const second = read(seen)
  await send('e')
  expect(paths(await second.summaries(3))).toEqual(['c', 'd', 'e'])
})

test('a reader of an earlier run gets all that is kept', async () => {
  await send('a', 'b')
  expect(paths(await read('another-run-1').summaries(2))).toEqual(['a', 'b'])
})

test('open streams do not keep the server from stopping', async () => {
  const reader = read()
  await send('a')
  await reader.summaries(1)
  const began = performance.now()
  expect(await dev.stop()).toBe(0)
  // It would wait nine seconds for an answer that does not end.
  expect(performance.now() - began).toBeLessThan(8000)
  await reader.ended
})
