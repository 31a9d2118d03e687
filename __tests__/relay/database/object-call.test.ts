import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import {
  answerObjectCall,
  askObject,
  readObjectCall,
  storeInObject,
} from '../../../src/relay/database/object-call.ts'

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

describe('a call of an object', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())
  const ask = (fetch: (url: string, init: { signal: AbortSignal }) => Promise<Response>) =>
    askObject({ idFromName: (name) => name, get: () => ({ fetch }) }, 'o/r#own', '/queue', {
      method: 'POST',
      body: '{}',
    })

  test('that never responds ends with a TimeoutError after 15 s', async () => {
    const call = ask(
      (_url, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    jest.advanceTimersByTime(15_000)
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test.each([200, 500])('that responds with status %i leaves no timer', async (status) => {
    await ask(async () => new Response('', { status })).catch(() => {})
    expect(jest.getTimerCount()).toBe(0)
  })
})

test.each([
  ['no method', { given: [] }, 'no call'],
  ['no arguments', { method: 'add' }, 'no call'],
  ['an unknown method', { method: 'drop', given: [] }, 'the object has no method drop'],
])('a call with %s fails', async (_, body, message) => {
  const answer = async () => answerObjectCall(store, readObjectCall(body))
  await expect(answer()).rejects.toThrow(message)
})
