import type { Runtime } from '../runtime.ts'

/** Work that recurs. While it runs, it decides by itself when it goes on. */
export interface Task {
  /** When it is due, in milliseconds since 1970; `undefined` if nothing is to be done. */
  next(): number | undefined
  /** Does what is due. Never rejects. */
  run(budget: CallBudget): Promise<void>
}

interface SchedulePorts extends Pick<Runtime, 'now'> {
  /** To be told that `next()` may have another value. */
  changed(): void
}

/** Calls of a run that stay for the other tasks while events wait: a long outage must not stop them. */
const OTHER_CALLS = 8

/**
 * Everything that recurs in one database, in one schedule: Node sets a timer for `next()`, a Durable
 * Object an alarm.
 */
export class Schedule {
  readonly #tasks: readonly Task[]
  readonly #ports: SchedulePorts
  readonly #running = new Map<Task, Promise<void>>()
  #isStopped = false

  /** @param tasks the first one gets what the others leave of a run's calls */
  constructor(tasks: readonly Task[], ports: SchedulePorts) {
    this.#tasks = tasks
    this.#ports = ports
  }

  /** When to call `run`; `undefined` if nothing waits, or all that waits is running. */
  next(): number | undefined {
    if (this.#isStopped) return undefined
    const times = this.#tasks.filter((task) => !this.#running.has(task)).map((task) => task.next())
    const next = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY))
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  /**
   * Begins all tasks that are due; resolves when they have ended. It may be called again while they run.
   *
   * @param calls of GitHub that these may make together, about
   */
  async run({ calls }: { readonly calls?: number } = {}): Promise<void> {
    const now = this.#ports.now()
    const due = this.#tasks.filter(
      (task) => !this.#running.has(task) && (task.next() ?? Number.POSITIVE_INFINITY) <= now,
    )
    if (this.#isStopped) return
    const others = due.length > 1 ? OTHER_CALLS : 0
    await Promise.all(
      due.map((task) => {
        const isFirst = task === this.#tasks[0]
        const share = isFirst || due.length === 1 ? (calls ?? 0) - others : OTHER_CALLS
        return this.#begin(task, new CallBudget(calls === undefined ? undefined : share))
      }),
    )
  }

  /** Begins no more tasks; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running.values())
  }

  #begin(task: Task, budget: CallBudget): Promise<void> {
    const running = task.run(budget).finally(() => {
      this.#running.delete(task)
      this.#ports.changed()
    })
    this.#running.set(task, running)
    return running
  }
}

/** An attempt may also ask for a token and the default branch, and a lookup reads several pages. */
const RESERVE = 4

/** Counts the calls of GitHub of one run: a Durable Object may make a limited number of requests. */
export class CallBudget {
  #left: number

  constructor(calls = Number.POSITIVE_INFINITY) {
    this.#left = calls
  }

  /** True if the rest might not do for another attempt. */
  get isUsedUp(): boolean {
    return this.#left < RESERVE
  }

  /** Attempts or lookups that may begin concurrently. */
  get attempts(): number {
    return Math.floor(this.#left / RESERVE)
  }

  use(calls = 1): void {
    this.#left -= calls
  }
}
