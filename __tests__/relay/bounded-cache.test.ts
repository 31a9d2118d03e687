import { expect, test } from '@jest/globals'
import { BoundedCache } from '../../src/relay/bounded-cache.ts'

test('forgets what was not asked for the longest, and never holds more than it may', () => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  expect(cache.get('a')).toBe(1)
  cache.set('c', 3)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
  for (let at = 0; at < 1000; at++) cache.set(`${at}`, at)
  expect(cache.size).toBe(2)
})

test('a value that is set anew counts as new', () => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)
  expect([cache.get('a'), cache.get('b')]).toEqual([3, undefined])
  cache.delete('a')
  expect([cache.get('a'), cache.size]).toEqual([undefined, 1])
})

test('a value of the older half moves to the recent one, and each is stored once', () => {
  const cache = new BoundedCache<string, number>(4)
  for (const [at, name] of ['a', 'b', 'c'].entries()) cache.set(name, at)
  // `a` and `b` are the older half.
  expect([cache.size, cache.get('a'), cache.size]).toEqual([3, 0, 3])
  cache.set('d', 3)
  expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name))).toEqual([0, undefined, 2, 3])
  // Half of an odd number is rounded up.
  const odd = new BoundedCache<string, number>(3)
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) odd.set(name, at)
  expect(['a', 'd'].map((name) => odd.get(name))).toEqual([0, 3])
})
