// npm run measure:tests [-- <path part>]   CPU seconds of every suite with its processes, worst first
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Clock ticks of a second in /proc; Linux has had no other number for long. */
const TICKS = 100

/** A reporter of jest. Suites must run one after the other within its process: `--runInBand`. */
export default class Cpu {
  #before = 0
  /** @type {{ path: string, seconds: number }[]} */
  #suites = []

  onTestFileStart() {
    this.#before = cpuSeconds()
  }

  /**
   * @param {{ path: string }} test
   * @param {{ numFailingTests: number, testExecError?: unknown }} result
   */
  onTestFileResult({ path }, { numFailingTests, testExecError }) {
    const seconds = cpuSeconds() - this.#before
    const failed = numFailingTests > 0 || testExecError ? '  FAILED' : ''
    this.#suites.push({ path: `${relative(process.cwd(), path)}${failed}`, seconds })
  }

  onRunComplete() {
    const sorted = this.#suites.sort((one, other) => other.seconds - one.seconds)
    const total = sorted.reduce((sum, { seconds }) => sum + seconds, 0)
    for (const { path, seconds } of [...sorted, { path: 'all of these', seconds: total }]) {
      console.log(`${seconds.toFixed(1).padStart(8)} s  ${path}`)
    }
  }
}

/** Of this process and of those that it started and that have ended; elsewhere of this one alone. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000 + childTicks() / TICKS
}

function childTicks() {
  try {
    // Behind the name in brackets, which may hold anything: cutime and cstime are 13 and 14 fields on.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[13]) + Number(fields[14])
  } catch {
    return 0
  }
}
