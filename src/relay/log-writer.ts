import { write as writeTo } from 'node:fs'

/** Milliseconds that a line may wait for others: a system call for each would be felt. */
const DELAY = 20

/** Milliseconds until what could not be written is tried again. */
const AGAIN = 1000

/** Characters that wait for a reader who is slow, or gone; what comes beyond is dropped. */
const MOST_WAITING = 1024 * 1024

export interface LogWriter {
  (line: string): void
  /** Resolves when all is written, or was not within a second. */
  close(): Promise<void>
}

/**
 * Writes lines to an open file, some at a time, and never ends or blocks who writes: while nobody
 * reads, or the disk is full, lines are dropped and counted. `report` is told once when that begins,
 * and how many they were when the log is back.
 *
 * A stream of Node would not do: after one failed write it is closed for good, and to a pipe it waits.
 *
 * @param file its descriptor: 1 is standard output
 */
export function logWriter(file: number, report: (text: string) => void): LogWriter {
  let lines: string[] = []
  let waiting = 0
  let dropped = 0
  let isFailing = false
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const schedule = (delay: number) => {
    timer ??= setTimeout(() => {
      timer = undefined
      writing ??= flush()
    }, delay)
    // A log that cannot be written does not keep the process.
    if (isFailing) timer.unref()
  }

  async function flush(): Promise<void> {
    const [taken, count] = [`${lines.join('\n')}\n`, lines.length]
    lines = []
    waiting = 0
    const failure = await writeAll(file, Buffer.from(taken))
    if (failure === undefined) isBack()
    else hasFailed(count, failure)
    writing = undefined
    if (lines.length > 0) schedule(isFailing ? AGAIN : DELAY)
  }

  const hasFailed = (count: number, code: string) => {
    dropped += count
    if (!isFailing) report(`the log cannot be written (${code}): its lines are dropped`)
    isFailing = true
  }

  const isBack = () => {
    if (dropped > 0) report(`the log is written again: ${dropped} lines were dropped`)
    isFailing = false
    dropped = 0
  }

  const write = (line: string) => {
    if (waiting > MOST_WAITING) {
      hasFailed(1, 'its reader is slow')
      return
    }
    waiting += line.length
    lines.push(line)
    schedule(isFailing ? AGAIN : DELAY)
  }
  const close = async () => {
    clearTimeout(timer)
    const end = async () => {
      await writing
      if (lines.length > 0 && !isFailing) await flush()
    }
    await Promise.race([end(), new Promise((resolve) => setTimeout(resolve, AGAIN))])
  }
  return Object.assign(write, { close })
}

/** @returns why it could not be written; `undefined` when it was */
function writeAll(file: number, bytes: Buffer): Promise<string | undefined> {
  return new Promise((resolve) => {
    writeTo(file, bytes, (error, written) => {
      if (!error) {
        const rest = bytes.subarray(written)
        if (rest.length === 0) return resolve(undefined)
        return resolve(writeAll(file, rest))
      }
      // A pipe that does not wait says so while its reader is behind.
      if (error.code !== 'EAGAIN') return resolve(error.code ?? 'unknown')
      setTimeout(() => resolve(writeAll(file, bytes)), DELAY)
    })
  })
}
