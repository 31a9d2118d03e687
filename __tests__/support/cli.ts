import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from '@jest/globals'
import { bundle } from './build.ts'

/** The bundle that `hookline` runs. */
export const CLI_BUNDLE = bundle('cli/index.js')

/** An empty folder, for commands that read no files. */
const NOWHERE = mkdtempSync(join(tmpdir(), 'nowhere-'))

export interface Surroundings {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** The program to start instead of the command, with its arguments. */
  readonly as?: (args: readonly string[]) => string[]
}

/** A command that keeps running: its output line by line, and its end. */
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

  /** The first match in its output; waits for it as long as the command runs. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#seen('stdout', pattern)
  }

  /** The same for its standard error. */
  told(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#seen('stderr', pattern)
  }

  async #seen(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this[stream])
      if (found) return found
      if (!this.#running) {
        throw new Error(`ended without printing ${pattern}:\n${this.stdout}${this.stderr}`)
      }
      await Promise.race([once(this.process[stream] ?? this.process, 'data'), this.#ended])
    }
  }

  /** Writes to its standard input. */
  type(text: string): void {
    this.process.stdin?.on('error', () => {}) // the command may end before it has read everything
    this.process.stdin?.write(text)
  }

  /** Stops it by SIGINT, like Ctrl-C, and returns its exit code. */
  async stop(): Promise<number | null> {
    if (this.#running) this.process.kill('SIGTERM')
    await this.#ended
    return this.process.exitCode
  }

  /** Its exit code, after it ended by itself. */
  async ended(): Promise<number | null> {
    await this.#ended
    return this.process.exitCode
  }
}

export interface CommandEnd {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandRun {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The content of its standard input. */
  readonly input?: string
  /** The bundle of an installed package, instead of the built one. */
  readonly bundle?: string
}

const MANY = fileURLToPath(new URL('many-commands.cjs', import.meta.url))

/** The process that all runs of a suite share. */
let shared: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

afterAll(async () => {
  if (!shared) return
  const gone = once(shared, 'exit')
  shared.kill()
  shared = undefined
  await gone
})

function sharedProcess(): ChildProcess {
  if (shared) return shared
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const
  const child = spawn(process.execPath, [MANY], { stdio: [...stdio], env: {} })
  child.once('exit', () => {
    if (shared === child) shared = undefined
  })
  shared = child
  return child
}

/**
 * Runs the command line to its end, in a process that all runs of a suite share, because starting a
 * process costs as much as the rest of a run. For tests of a command's effects, not of its process.
 */
export function runShared(args: readonly string[], run: CommandRun = {}): Promise<CommandEnd> {
  const ended = last.then(() => runThere(args, run))
  last = ended.catch(() => {})
  return ended
}

async function runThere(args: readonly string[], run: CommandRun): Promise<CommandEnd> {
  const { cwd = NOWHERE, env, input = '', bundle: file = CLI_BUNDLE } = run
  const child = sharedProcess()
  const gone = new AbortController()
  const onExit = () => gone.abort(new Error('the shared process of the command line ended'))
  child.once('exit', onExit)
  try {
    const answer = once(child, 'message', { signal: gone.signal })
    const all = { PATH: process.env.PATH ?? '', ...env }
    child.send({ bundle: file, args, cwd, env: all, input })
    const [end] = await answer
    return end
  } finally {
    child.off('exit', onExit)
  }
}
