import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Milliseconds for one example. */
const PATIENCE = 60_000

/** A program, and everything that it prints. */
export class Program {
  #child
  #stdout = ''
  #stderr = ''
  #hasEnded = false

  /** @param {string} file @param {string[]} args @param {{ cwd: string, env: Record<string, string> }} options */
  constructor(file, args, options) {
    this.#child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.#stdout += text
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text
    })
    this.ended = once(this.#child, 'close').then(() => {
      this.#hasEnded = true
    })
  }

  /** Standard error last, because the order of two streams differs between runs. */
  get printed() {
    return this.#stdout + this.#stderr
  }

  /** @param {RegExp} pattern @returns {Promise<RegExpExecArray>} */
  async saw(pattern) {
    const deadline = Date.now() + PATIENCE
    for (;;) {
      const found = pattern.exec(this.printed)
      if (found) return found
      if (this.#hasEnded || Date.now() > deadline) {
        throw new Error(
          `${this.#child.spawnargs.slice(2).join(' ')} did not print ${pattern}:\n${this.printed}`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Waits for the end; a program that does not end is killed, so that its output is compared anyway. */
  async end() {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE)
    await this.ended
    clearTimeout(timer)
  }

  /** @param {NodeJS.Signals} signal */
  kill(signal) {
    this.#child.kill(signal)
  }

  async stop() {
    this.kill('SIGTERM')
    await this.end()
  }
}

/** The words of a command, with quotes as in a shell. @param {string} text */
export function words(text) {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  )
}
