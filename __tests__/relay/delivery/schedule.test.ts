import { expect, test } from '@jest/globals'
import { CallBudget, Schedule, type Task } from '../../../src/relay/delivery/schedule.ts'

/** Tasks of a schedule, each with the time when it is due and the calls that each of its runs got. */
function begin(...times: (number | undefined)[]) {
  const time = { now: 100 }
  let changes = 0
  const tasks = times.map((due) => {
    const waiting: (() => void)[] = []
    const calls: number[] = []
    const run: Task['run'] = (budget) => {
      let count = 0
      for (; count < 100 && budget.attempts > 0; count++) budget.use()
      // `attempts` is 0 while less than 4 calls are left.
      calls.push(count === 100 ? Number.POSITIVE_INFINITY : count + 3)
      return new Promise((resolve) => waiting.push(resolve))
    }
    return { calls, run, next: () => due, end: () => waiting.shift()?.() }
  })
  const schedule = new Schedule(tasks, { now: () => time.now, changed: () => changes++ })
  return { schedule, tasks, time, changes: () => changes, calls: () => tasks.map((t) => t.calls) }
}

test('the next time is the earliest of the tasks that do not run', async () => {
  const { schedule, tasks, changes } = begin(undefined, 90, 80)
  expect(schedule.next()).toBe(80)
  const run = schedule.run()
  expect(schedule.next()).toBeUndefined()
  tasks[2]?.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect([schedule.next(), changes()]).toEqual([80, 1])
  tasks[1]?.end()
  await run
  expect([schedule.next(), changes()]).toEqual([80, 2])
  expect(begin(undefined).schedule.next()).toBeUndefined()
  expect(begin().schedule.next()).toBeUndefined()
})

test('a run begins the tasks that are due, each once at a time', async () => {
  const { schedule, tasks, calls } = begin(100, 101, undefined)
  const first = schedule.run()
  const second = schedule.run()
  await second
  expect(calls()).toEqual([[Number.POSITIVE_INFINITY], [], []])
  tasks[0]?.end()
  await first
  const third = schedule.run()
  tasks[0]?.end()
  await third
  expect(calls()).toEqual([Array(2).fill(Number.POSITIVE_INFINITY), [], []])
})

test.each([
  [[1, 1, 1], 40, [[32], [8], [8]]],
  [[1, 1, 999], 40, [[32], [8], []]],
  [[1, 999, 999], 40, [[40], [], []]],
  [[999, 1, 999], 40, [[], [40], []]],
  [[999, 1, 1], 40, [[], [8], [8]]],
  [[1, 1, 1], undefined, Array(3).fill([Number.POSITIVE_INFINITY])],
])('of tasks due at %j, a run with %p calls gives %j', (times, most, given) => {
  const { schedule, calls } = begin(...times)
  void schedule.run(most === undefined ? {} : { calls: most })
  expect(calls()).toEqual(given)
})

test('a schedule that stops begins nothing, and waits for what runs', async () => {
  const { schedule, tasks, calls } = begin(1)
  void schedule.run()
  let isStopped = false
  const stopped = schedule.stop().then(() => {
    isStopped = true
  })
  await schedule.run()
  expect([schedule.next(), isStopped]).toEqual([undefined, false])
  tasks[0]?.end()
  await stopped
  await schedule.run()
  expect([schedule.next(), calls()]).toEqual([undefined, [[Number.POSITIVE_INFINITY]]])
})

test('a budget is used up when less than four calls are left', () => {
  const budget = new CallBudget(9)
  expect([budget.attempts, budget.isUsedUp]).toEqual([2, false])
  budget.use()
  budget.use(4)
  expect([budget.attempts, budget.isUsedUp]).toEqual([1, false])
  budget.use()
  expect([budget.attempts, budget.isUsedUp]).toEqual([0, true])
  expect(new CallBudget().attempts).toBe(Number.POSITIVE_INFINITY)
})
