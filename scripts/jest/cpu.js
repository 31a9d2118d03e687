// npm run measure:tests [-- <path part>]   CPU seconds of every suite, and of its processes, worst first
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Clock ticks of a second in /proc; Linux has had no other number for long. */
const TICKS = 100

/** A reporter of jest. Suites must run one after the other within its process: `--runInBand`. */
export default class Cpu {
  #before = cpuSeconds()
  /** @type {{ path: string, own: number, processes: number }[]} */
  #suites = []

  onTestFileStart() {
    this.#before = cpuSeconds()
  }

  /**
   * @param {{ path: string }} test
   * @param {{ numFailingTests: number, testExecError?: unknown }} result
   */
  onTestFileResult({ path }, { numFailingTests, testExecError }) {
    const now = cpuSeconds()
    const failed = numFailingTests > 0 || testExecError ? '  FAILED' : ''
    this.#suites.push({
      path: `${relative(process.cwd(), path)}${failed}`,
      own: now.own - this.#before.own,
      processes: now.processes - this.#before.processes,
    })
  }

  onRunComplete() {
    const sorted = this.#suites.sort((one, other) => sum(other) - sum(one))
    const own = sorted.reduce((total, suite) => total + suite.own, 0)
    const processes = sorted.reduce((total, suite) => total + suite.processes, 0)
    console.log('   own  processes')
    for (const suite of [...sorted, { path: 'all of these', own, processes }]) {
      const [here, there] = [suite.own, suite.processes].map((seconds) => seconds.toFixed(1))
      console.log(`${here?.padStart(6)} + ${there?.padStart(6)} s  ${suite.path}`)
    }
  }
}

/** @param {{ own: number, processes: number }} suite */
function sum({ own, processes }) {
  return own + processes
}

/** Of this process, and of those that it started and that have ended, which only Linux tells. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1_000_000, processes: childTicks() / TICKS }
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
