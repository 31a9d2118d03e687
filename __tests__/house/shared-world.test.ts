import { describe, expect, test } from '@jest/globals'
import SharedEnvironment from '../../scripts/jest/environment.js'

describe('a suite that shares its process gives back', () => {
  test('variables that it set, changed or removed', async () => {
    process.env.SHARED_BEFORE = 'a'
    process.env.SHARED_CHANGED = 'a'
    const environment = new SharedEnvironment()
    delete process.env.SHARED_BEFORE
    process.env.SHARED_CHANGED = 'b'
    process.env.SHARED_NEW = 'b'
    await environment.teardown()
    expect(process.env).toMatchObject({ SHARED_BEFORE: 'a', SHARED_CHANGED: 'a' })
    expect(process.env).not.toHaveProperty('SHARED_NEW')
    delete process.env.SHARED_BEFORE
    delete process.env.SHARED_CHANGED
  })

  test('globals', async () => {
    const { fetch } = globalThis
    const environment = new SharedEnvironment()
    globalThis.fetch = () => Promise.reject(new Error('replaced'))
    Reflect.set(globalThis, 'sharedNew', 1)
    await environment.teardown()
    expect(globalThis.fetch).toBe(fetch)
    expect(globalThis).not.toHaveProperty('sharedNew')
  })

  test('the way a process ends', async () => {
    const { exit } = process
    const environment = new SharedEnvironment()
    process.exit = () => {
      throw new Error('replaced')
    }
    await environment.teardown()
    expect(process.exit).toBe(exit)
  })
})
