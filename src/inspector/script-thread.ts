import { realpathSync } from 'node:fs'
import { parentPort, Worker } from 'node:worker_threads'
import {
  ScriptFailure,
  type ScriptOutcome,
  type Scripts,
  scripts,
  type UserScript,
} from '../engine/scripts.ts'

interface ScriptQuestion {
  readonly number: number
  readonly script: UserScript
  readonly items: string
  readonly limit: number | undefined
}

interface ScriptAnswer {
  readonly number: number
  /** The results, or the reason why there are none. */
  readonly result: readonly ScriptOutcome[] | string
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
  return {
    within: (milliseconds, work) => scripts.within(milliseconds, work),
    async run(script, items, limit) {
      worker ??= start()
      const thread = worker
      const number = ++count
      const answer = await new Promise<ScriptAnswer>((resolve) => {
        open.set(number, resolve)
        thread.postMessage({ number, script, items, limit } satisfies ScriptQuestion)
      })
      open.delete(number)
      if (typeof answer.result === 'string') throw new ScriptFailure(answer.result)
      return [...answer.result]
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

async function scriptAnswer({
  number,
  script,
  items,
  limit,
}: ScriptQuestion): Promise<ScriptAnswer> {
  try {
    return { number, result: await scripts.run(script, items, limit) }
  } catch (error) {
    // Any other error is a bug: the thread ends, and waiting calls are rejected.
    if (!(error instanceof ScriptFailure)) throw error
    return { number, result: error.message }
  }
}
