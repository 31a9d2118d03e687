import type { Writable } from 'node:stream'

/**
 * Writes lines, all those of one turn of the event loop together: a pipe is written to synchronously
 * on Linux, and a system call for every request would be felt.
 */
export function lineWriter(stream: Writable): (line: string) => void {
  let lines: string[] = []
  const flush = () => {
    stream.write(`${lines.join('\n')}\n`)
    lines = []
  }
  return (line) => {
    if (lines.push(line) === 1) setImmediate(flush)
  }
}
