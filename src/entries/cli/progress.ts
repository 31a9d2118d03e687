import type { Screen } from './terminal.ts'

/** Milliseconds after which a person begins to wonder. */
const PATIENCE = 1000

const CLEAR_LINE = '\r\u001b[K'

interface Output extends Screen {
  write(text: string): unknown
}

/**
 * Waits for what is being done; says so once it takes longer than a second. On a terminal the line
 * counts the seconds and goes away at the end, elsewhere it is written once.
 *
 * @param what is being done, in the form `asking GitHub`
 */
export async function withProgress<Result>(
  what: string,
  work: Promise<Result>,
  output: Output = process.stderr,
): Promise<Result> {
  let seconds = 0
  const timer = setInterval(() => {
    seconds++
    if (output.isTTY) output.write(`${CLEAR_LINE}${what} … ${seconds} s`)
    else if (seconds === 1) output.write(`${what} …\n`)
  }, PATIENCE)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (output.isTTY && seconds > 0) output.write(CLEAR_LINE)
  }
}
