import { realpathSync } from 'node:fs'
import { parentPort, Worker } from 'node:worker_threads'
import { evaluateQuery } from '../engine/option-outcomes.ts'
import {
  type QueryOutcome,
  type QueryTask,
  ScriptFailure,
  type ScriptOutcome,
  type Scripts,
  scripts,
  type UserScript,
} from '../engine/scripts.ts'

/** A script with the JSON of its items, or a query. */
type Task =
  | { readonly script: UserScript; readonly items: string; readonly limit: number | undefined }
  | { readonly query: QueryTask; readonly limit: number }

type ScriptQuestion = Task & { readonly number: number }

interface ScriptAnswer {
  readonly number: number
  /** The results, or the reason why there are none. */
  readonly result: readonly ScriptOutcome[] | QueryOutcome | string
}

/**
 * Runs scripts in a thread, so that a slow script does not block the server. The thread starts with the
 * first script, and again if it ends.
 *
 * @param file the program, which calls {@link answerScripts} when it is not the main thread
 */
export function threadScripts(file: string): Scripts {
  const open = new Map<number, (answer: ScriptAnswer) => void>()
  let worker: Worker | undefined
  let count = 0
  const start = () => {
    const thread = new Worker(realpathSync(file))
    thread.on('message', (answer: ScriptAnswer) => open.get(answer.number)?.(answer))
    thread.on('error', () => {}) // its end says the same
    thread.on('exit', () => {
      if (worker === thread) worker = undefined
      for (const [number, end] of open) end({ number, result: 'ended its engine' })
    })
    thread.unref() // at last, since to listen holds the process
    return thread
  }
  const ask = async (task: Task) => {
    worker ??= start()
    const thread = worker
    const number = ++count
    const { result } = await new Promise<ScriptAnswer>((resolve) => {
      open.set(number, resolve)
      thread.postMessage({ ...task, number } satisfies ScriptQuestion)
    })
    open.delete(number)
    return result
  }
  return {
    within: (milliseconds, work) => scripts.within(milliseconds, work),
    async run(script, items, limit) {
      const result = await ask({ script, items, limit })
      if (typeof result === 'string') throw new ScriptFailure(result)
      if ('length' in result) return [...result]
      throw new TypeError('the thread answered a script as a query')
    },
    async query(query, limit) {
      const result = await ask({ query, limit })
      if (typeof result === 'string') return { stopped: result }
      if ('length' in result) throw new TypeError('the thread answered a query as a script')
      return result
    },
  }
}

/** Runs in the thread: evaluates one script after the other. */
export function answerScripts(): void {
  let last: Promise<unknown> = Promise.resolve()
  parentPort?.on('message', (question: ScriptQuestion) => {
    last = last.then(async () => parentPort?.postMessage(await scriptAnswer(question)))
  })
}

async function scriptAnswer({ number, ...task }: ScriptQuestion): Promise<ScriptAnswer> {
  if ('query' in task)
    return { number, result: await evaluateQuery(task.query, task.limit, scripts) }
  try {
    return { number, result: await scripts.run(task.script, task.items, task.limit) }
  } catch (error) {
    // Any other error is a bug: the thread ends, and waiting calls are rejected.
    if (!(error instanceof ScriptFailure)) throw error
    return { number, result: error.message }
  }
}
