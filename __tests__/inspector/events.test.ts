import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../support/dev.ts'
import { EventReader } from '../support/inspector.ts'

let dev: Dev
const readers: EventReader[] = []
/** All events since the start of the run. */
const all: string[] = []

beforeEach(async () => {
  all.length = 0
  dev = await startDev({ files: { 'workflows/hook.yml': 'on: webhook' } })
})
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close()
  await dev.stop()
})

function read(): EventReader {
  const reader = new EventReader(dev.url)
  readers.push(reader)
  return reader
}

async function send(...names: string[]): Promise<void> {
  for (const name of names) await post(dev.hook(`hook/webhook/${name}`), {})
  all.push(...names)
}

function paths(summaries: readonly { readonly path: string }[]): string[] {
  return summaries.map(({ path }) => path.replace('hook/webhook/', ''))
}

test('a reader gets what is kept, then each request as it comes', async () => {
  await send('a', 'b')
  const reader = read()
  expect(paths(await reader.summaries(2))).toEqual(all)
  await send('c')
  expect(paths(await reader.summaries(3))).toEqual(all)
})

test('a reader that lost the connection gets the whole list again', async () => {
  const first = read()
  await send('d', 'e')
  await first.summaries(all.length)
  await first.close()
  await send('f', 'g')
  expect(paths(await read().summaries(all.length))).toEqual(all)
})

test('open streams do not keep the server from stopping', async () => {
  const reader = read()
  await send('k')
  await reader.summaries(all.length)
  const began = performance.now()
  expect(await dev.stop()).toBe(0)
  // A server that waits for the open response would take nine seconds.
  expect(performance.now() - began).toBeLessThan(8000)
  await reader.ended
})
