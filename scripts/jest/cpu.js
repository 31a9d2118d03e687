// npm run measure:tests [-- <path part>]   CPU seconds of every suite, and of its processes,
// highest first
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Clock ticks per second in /proc; it has been 100 on Linux for a long time. */
const TICKS = 100

/** A reporter of jest. It needs suites one after the other within its process: `--runInBand`. */
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

/** The CPU time of this process and of its ended child processes; only Linux reports it. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1_000_000, processes: childTicks() / TICKS }
}

function childTicks() {
  try {
    // The fields after the name in parentheses, which can contain anything: cutime and cstime are
    // 13 and 14 fields later.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[13]) + Number(fields[14])
  } catch {
    return 0
  }
}
