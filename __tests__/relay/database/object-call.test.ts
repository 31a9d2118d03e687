import { expect, test } from '@jest/globals'
import {
  answerObjectCall,
  askObject,
  type ObjectNamespace,
  readObjectCall,
  storeInObject,
} from '../../../src/relay/workers/object-call.ts'

interface Store {
  add(name: string, count: number): Promise<string>
  find(name: string): Promise<string | undefined>
}

const store: Store = {
  add: async (name, count) => `${name} ${count}`,
  find: async () => undefined,
}

const inObject = () =>
  storeInObject<Store>(async (body) => answerObjectCall(store, readObjectCall(JSON.parse(body))))

test('a store in an object answers as the store itself does', async () => {
  expect(await inObject().add('a', 2)).toBe('a 2')
  expect(await inObject().find('a')).toBeUndefined()
})

test('a store in an object can be the result of a promise', async () => {
  const resolved = await Promise.resolve(inObject())
  expect(await resolved.add('a', 2)).toBe('a 2')
})

/** An object that never responds. @param signals takes the signal of each call */
function silentObject(signals: (AbortSignal | undefined)[] = []): ObjectNamespace {
  const fetch = (_url: string, { signal }: { signal?: AbortSignal }) =>
    new Promise<Response>((_, reject) => {
      signals.push(signal)
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  return { idFromName: (name) => name, get: () => ({ fetch }) }
}

test('a call with a time ends with a TimeoutError when the object never responds', async () => {
  const call = askObject(silentObject(), 'index', '/index', { method: 'POST', body: '{}' }, 10)
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
})

test.each([
  ['no method', { given: [] }, 'no call'],
  ['no arguments', { method: 'add' }, 'no call'],
  ['an unknown method', { method: 'drop', given: [] }, 'the object has no method drop'],
])('a call with %s fails', async (_, body, message) => {
  const answer = async () => answerObjectCall(store, readObjectCall(body))
  await expect(answer()).rejects.toThrow(message)
})
