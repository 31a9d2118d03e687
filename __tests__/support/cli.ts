import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The bundle that `npx hookline` starts. */
export const CLI_BUNDLE = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url))

export interface Surroundings {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** The program to start in place of the command, with its arguments. */
  readonly as?: (args: readonly string[]) => string[]
}

/** A command that keeps running: what it prints, line by line, and its end. */
export class RunningCommand {
  readonly process: ChildProcess
  stdout = ''
  stderr = ''
  readonly #ended: Promise<unknown>
  #running = true

  constructor(args: readonly string[], options: Surroundings = {}) {
    const env = { PATH: process.env.PATH ?? '', ...options.env }
    const [program = '', ...rest] = options.as?.(args) ?? [process.execPath, CLI_BUNDLE, ...args]
    this.process = spawn(program, rest, { cwd: options.cwd, env })
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.#ended = once(this.process, 'close').then(() => {
      this.#running = false
    })
  }

  /** The first match in what was printed; waits for it, as long as the command runs. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout)
      if (found) return found
      if (!this.#running) {
        throw new Error(`ended without printing ${pattern}:\n${this.stdout}${this.stderr}`)
      }
      await Promise.race([once(this.process.stdout ?? this.process, 'data'), this.#ended])
    }
  }

  /** Types on its standard input. */
  type(text: string): void {
    this.process.stdin?.on('error', () => {}) // it may end before it has read all
    this.process.stdin?.write(text)
  }

  /** Asks it to stop, as Ctrl-C does, and gives its exit code. */
  async stop(): Promise<number | null> {
    if (this.#running) this.process.kill('SIGTERM')
    await this.#ended
    return this.process.exitCode
  }

  /** Its exit code, once it ended by itself. */
  async ended(): Promise<number | null> {
    await this.#ended
    return this.process.exitCode
  }
}
