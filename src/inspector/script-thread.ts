import { realpathSync } from 'node:fs'
import { parentPort, Worker } from 'node:worker_threads'
import {
  type Script,
  ScriptFailure,
  type ScriptOutcome,
  type Scripts,
  scripts,
} from '../engine/scripts.ts'

interface Question {
  readonly number: number
  readonly script: Script
  readonly items: string
  readonly limit: number | undefined
}

interface Answer {
  readonly number: number
  /** The outcomes, or why there are none. */
  readonly result: readonly ScriptOutcome[] | string
}

/**
 * Scripts in a thread of their own, so that one that takes its whole time keeps nobody waiting. The
 * thread is made with the first script, and anew should it ever end.
 *
 * @param file the program, which calls {@link answerScripts} when it is not the main thread
 */
export function threadScripts(file: string): Scripts {
  const open = new Map<number, (answer: Answer) => void>()
  let worker: Worker | undefined
  let count = 0
  const start = () => {
    const thread = new Worker(realpathSync(file))
    thread.on('message', (answer: Answer) => open.get(answer.number)?.(answer))
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
      const answer = await new Promise<Answer>((resolve) => {
        open.set(number, resolve)
        thread.postMessage({ number, script, items, limit } satisfies Question)
      })
      open.delete(number)
      if (typeof answer.result === 'string') throw new ScriptFailure(answer.result)
      return [...answer.result]
    },
  }
}

/** The other side: runs one script after the other. */
export function answerScripts(): void {
  let last: Promise<unknown> = Promise.resolve()
  parentPort?.on('message', (question: Question) => {
    last = last.then(async () => parentPort?.postMessage(await answerOf(question)))
  })
}

async function answerOf({ number, script, items, limit }: Question): Promise<Answer> {
  try {
    return { number, result: await scripts.run(script, items, limit) }
  } catch (error) {
    // Anything else is a fault of ours: the thread ends, and what waits is told so.
    if (!(error instanceof ScriptFailure)) throw error
    return { number, result: error.message }
  }
}
