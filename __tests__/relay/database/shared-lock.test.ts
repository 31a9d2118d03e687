import { expect, test } from '@jest/globals'
import { SharedLock } from '../../../src/relay/workers/shared-lock.ts'

/** Work that lasts until it is ended, and notes its beginning and its end. */
function recorder(lock: SharedLock) {
  const log: string[] = []
  const ends = new Map<string, () => void>()
  const run = (kind: 'shared' | 'alone', name: string) =>
    lock[kind](async () => {
      log.push(`${name} begins`)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      log.push(`${name} ends`)
    })
  /** Lets work begin that waits for none. */
  const begin = () => new Promise((resolve) => setImmediate(resolve))
  const end = async (name: string) => {
    ends.get(name)?.()
    await begin()
  }
  return { log, run, begin, end }
}

test('shared work overlaps; work alone waits for earlier work, and holds back later work of both kinds', async () => {
  const { log, run, begin, end } = recorder(new SharedLock())
  const all = [run('shared', 'a'), run('shared', 'b'), run('alone', 'c'), run('shared', 'd')]
  all.push(run('alone', 'e'))
  await begin()
  await end('a')
  expect(log).toEqual(['a begins', 'b begins', 'a ends'])
  await end('b')
  await end('c')
  await end('d')
  await end('e')
  await Promise.all(all)
  expect(log.slice(3)).toEqual(
    ['b', 'c', 'd', 'e'].flatMap((name) => [`${name} begins`, `${name} ends`]).slice(1),
  )
})

test('work that fails lets the next work begin, and only its caller gets the error', async () => {
  const lock = new SharedLock()
  const fails = () => Promise.reject(new Error('no'))
  const failing = [lock.shared(fails), lock.alone(fails), lock.alone(fails), lock.shared(fails)]
  const outcomes = await Promise.allSettled([...failing, lock.alone(async () => 'done')])
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...failing.map(() => 'rejected'),
    'fulfilled',
  ])
})
