import { expect, test } from '@jest/globals'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'
import {
  answerObjectCall,
  type ObjectNamespace,
  storeInObject,
} from '../../../src/relay/workers/object-call.ts'
import { OwnerObjects } from '../../../src/relay/workers/owner-objects.ts'

interface Store {
  add(name: string, count: number): Promise<string>
  find(name: string): Promise<string | undefined>
}

const store: Store = {
  add: async (name, count) => `${name} ${count}`,
  find: async () => undefined,
}

const inObject = () =>
  storeInObject<Store>(async (body) => answerObjectCall(store, JSON.parse(body)))

test('a store in an object answers as the store itself does', async () => {
  expect(await inObject().add('a', 2)).toBe('a 2')
  expect(await inObject().find('a')).toBeUndefined()
})

test('a store in an object can be the result of a promise', async () => {
  const resolved = await Promise.resolve(inObject())
  expect(await resolved.add('a', 2)).toBe('a 2')
})

test('a question that a request waits for has a time, and storing has none', async () => {
  const signals: (AbortSignal | undefined)[] = []
  const fetch = async (_: string, { signal }: { readonly signal?: AbortSignal }) => {
    signals.push(signal)
    return Response.json({})
  }
  const namespace: ObjectNamespace = { idFromName: (name) => name, get: () => ({ fetch }) }
  const objects = new OwnerObjects(namespace, { now: () => 0, report: () => {} })
  await objects.of('octo').named('orders')
  await objects
    .of('octo')
    .versions()
    .catch(() => {})
  await objects.deliveries.wasAccepted('octo/shop#own')
  await objects.deliveriesOf('octo').put([])
  expect(signals).toEqual([...Array(3).fill(expect.any(AbortSignal)), undefined])
})

test.each([
  ['no method', { given: [] }, 'no call'],
  ['no arguments', { method: 'add' }, 'no call'],
  ['an unknown method', { method: 'drop', given: [] }, 'the object has no method drop'],
])('a call with %s fails', async (_, body, message) => {
  const answer = async () => answerObjectCall(store, body)
  await expect(answer()).rejects.toThrow(message)
})

test('the outcome of an event reaches its object although the response to its storing was lost', async () => {
  const urls: string[] = []
  const fetch = async (url: string) => {
    urls.push(url)
    if (urls.length === 1) throw new Error('the response is lost')
    return Response.json({})
  }
  const namespace: ObjectNamespace = { idFromName: (name) => name, get: () => ({ fetch }) }
  const objects = new OwnerObjects(namespace, { now: () => 0, report: () => {} })
  const row: NewDelivery = {
    ...{ id: 'a', request: 'a', replayOf: null, queue: 'octo/shop#own', endpoint: 'orders' },
    ...{ path: 'orders/webhook', method: 'POST', received: 0, size: 0, state: 'waiting' },
    ...{ reason: 'stored', attempts: 0, doubts: 0, wait: 0, accepted: null, githubMs: null },
    ...{ run: null, explanation: null, key: null, content: null, follows: false, collection: null },
  }
  expect(await objects.deliveries.put([row])).toBe(false)
  await objects.deliveries.settle(row, { kind: 'failed', reason: 'github_unavailable' })
  expect(urls).toEqual(['https://object/octo/deliveries', 'https://object/octo/deliveries'])
})
