import { afterEach, expect, jest, test } from '@jest/globals'

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

test('jest.fn records its calls', () => {
  const double = jest.fn((value: number) => value * 2)
  expect([1, 2].map((value) => double(value))).toEqual([2, 4])
  expect(double.mock.calls).toEqual([[1], [2]])
})

test('jest.spyOn replaces a method, and restores it', () => {
  const spy = jest.spyOn(JSON, 'stringify').mockReturnValue('replaced')
  expect(JSON.stringify(1)).toBe('replaced')
  spy.mockRestore()
  expect(JSON.stringify(1)).toBe('1')
})

test('fake timers pass an hour without waiting', () => {
  jest.useFakeTimers({ now: 0 })
  const done = jest.fn()
  setTimeout(done, 3_600_000)
  jest.advanceTimersByTime(3_600_000)
  expect(done).toHaveBeenCalledTimes(1)
  expect(Date.now()).toBe(3_600_000)
})
