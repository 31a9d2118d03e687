import { existsSync, readFileSync } from 'node:fs'

/** Whether this machine reports the resource usage of processes. */
export const hasUsage = existsSync('/proc/self/stat')

const TICKS_PER_SECOND = 100

/**
 * Milliseconds of CPU of a process, measured from outside, because clocks do not advance inside a
 * worker.
 */
export function cpuMilliseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

/** Bytes of memory that a process holds. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
