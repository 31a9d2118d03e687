import type { ChildProcess } from 'node:child_process'
import {
  DEFINE_GLOBALS,
  SCRIPT_GLOBALS,
  type ScriptHost,
  scriptHost,
  URL_PARTS,
} from './script-globals.ts'

/** Starting a process may take long on a busy machine. */
const LONGEST_CHILD = 60_000

const MOST_ATTEMPTS = 5

/** `import(…)` and its kin, whatever space or comment stands between. */
export const IMPORT: RegExp = /(?<![\w$])import(?=\s*[(./<-])/

/** For the whole process: an object of the host that did get out makes no program of a text. */
const NO_EVAL = '--disallow-code-generation-from-strings'

/**
 * Scripts of the user. Each runs in a process of its own that has nothing but the items: no variable
 * of the environment, no file, no other process (Node's permission model). Within it the script has a
 * context of its own, with nothing but the language. It keeps mistakes in; what a script reaches that
 * breaks out is a process that knows nothing, on a machine that has a network.
 */
export const scripts: Scripts = createScripts(2_000)

/** @param longest milliseconds that a script may take for all items of a run */
export function createScripts(longest: number): Scripts {
  return {
    async run(script, items) {
      if (IMPORT.test(script.body)) throw new ScriptFailure('does not compile: there is no import')
      const { spawn } = await import('node:child_process')
      const permission = process.allowedNodeEnvironmentFlags.has('--permission')
        ? '--permission'
        : '--experimental-permission'
      const flags = ['--no-warnings', permission, '--experimental-vm-modules', NO_EVAL]
      const host = `(${scriptHost})(${JSON.stringify(URL_PARTS)})`
      const code = `'use strict';(${runInChild})(${host}, ${endsInTime})`
      const child = spawn(process.execPath, [...flags, '-e', code], {
        env: {},
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: LONGEST_CHILD,
        killSignal: 'SIGKILL',
      })
      const answer = await exchange(child, {
        source: `this.script = function (${script.parameters.join(', ')}) {\n${script.body}\n}`,
        globals: SCRIPT_GLOBALS.test(script.body) ? DEFINE_GLOBALS : '',
        driver: driver(script.drive),
        filename: `config.${script.option}`,
        items,
        longest,
        mostAttempts: MOST_ATTEMPTS,
      })
      const [outcome, text] = [answer.slice(0, 1), answer.slice(1)]
      if (outcome === '=') return text
      // The message speaks of the script alone, which stands in the workflow file.
      if (outcome === '?') throw new ScriptFailure(`does not compile: ${text}`)
      if (outcome === 'T') throw new ScriptFailure(tooLong(longest))
      throw new ScriptFailure(outcome === '!' ? failureText(text) : 'ended without a result')
    },

    async within(milliseconds, work) {
      const vm = await import('node:vm')
      let result: { readonly value: ReturnType<typeof work> } | undefined
      const context = vm.createContext({
        work() {
          result = { value: work() }
        },
      })
      const run = () => void vm.runInContext('work()', context, { timeout: milliseconds })
      if (!endsInTime(milliseconds, MOST_ATTEMPTS, run))
        throw new ScriptFailure(tooLong(milliseconds))
      if (!result) throw new ScriptFailure('did not end')
      return result.value
    },
  }
}

/** What the process of a script is given. */
interface Task {
  readonly source: string
  /** What defines what the script uses beside the language; empty when it uses nothing. */
  readonly globals: string
  readonly driver: string
  readonly filename: string
  readonly items: string
  readonly longest: number
  readonly mostAttempts: number
}

/** @returns what it printed; empty when it could not be started, or was ended */
function exchange(child: ChildProcess, task: Task): Promise<string> {
  return new Promise((resolve) => {
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
    child.on('error', () => resolve(''))
    child.on('close', (code) => resolve(code === 0 ? printed : ''))
    child.stdin?.on('error', () => {}) // it ended before it had read all: its answer tells
    child.stdin?.end(JSON.stringify(task))
  })
}

/**
 * The whole program of the process: only its text gets there, so it names nothing from outside. It
 * prints `=` and the result, `!` and what was thrown, `?` and why it does not compile, or `T`.
 */
function runInChild({ urlParts, encodings }: ScriptHost, inTime: typeof endsInTime): void {
  const vm = process.getBuiltinModule('node:vm')
  const fs = process.getBuiltinModule('node:fs')
  const task = JSON.parse(fs.readFileSync(0, 'utf8')) as Task // written by this file
  // Where hardly any stack is left, what this process does for a script may throw an error of its own:
  // nothing that this leads to can be changed, nor makes a program of a text.
  for (const one of [Object, Function, Array, Promise, Error, RangeError, TypeError]) {
    Object.freeze(one)
    Object.freeze(one.prototype)
  }
  const context = vm.createContext(Object.create(null), {
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  })
  context.input = task.items
  if (task.globals) vm.runInContext(task.globals, context)(urlParts, encodings)
  const refusal = 'Promise.reject(new Error("import"))'
  const options = {
    filename: task.filename,
    lineOffset: -1,
    // The error is one of the context: an error of the host would lead to the host.
    importModuleDynamically: () => vm.runInContext(refusal, context),
  }
  const drive = (): string => {
    let outcome: unknown
    try {
      const ended = inTime(task.longest, task.mostAttempts, () => {
        outcome = vm.runInContext(task.driver, context, { timeout: task.longest })
      })
      if (!ended) return 'T'
      return typeof outcome === 'string' ? outcome : ''
    } catch {
      return ''
    }
  }
  let answer: string
  try {
    new vm.Script(task.source, options).runInContext(context)
    answer = drive()
  } catch (error) {
    answer = `?${error instanceof Error ? error.message : ''}`
  }
  process.stdout.write(answer)
}

/** Runs within the context, so that whatever the script throws is made into text there as well. */
const driver = (expression: string) => `(() => {
  const { stringify, parse } = JSON
  try {
    const items = parse(input)
    const call = (...args) => {
      const result = script(...args)
      if (result && typeof result.then === 'function') throw new Error('promise')
      return result
    }
    return '=' + stringify(${expression})
  } catch (error) {
    return '!' + String(error && error.stack)
  }
})()`

/**
 * Runs until the time is over. A process that got too little of a busy processor meanwhile has not
 * had its time: it is given another one. Its text gets into the process of a script too, so it names
 * nothing from outside.
 *
 * @returns whether it ended in time
 */
function endsInTime(milliseconds: number, mostAttempts: number, run: () => void): boolean {
  for (let attempt = 1; ; attempt++) {
    const before = process.cpuUsage()
    try {
      run()
      return true
    } catch (error) {
      // The error belongs to the context, so it is no `Error` of this one.
      const code = typeof error === 'object' && error !== null && 'code' in error && error.code
      if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.cpuUsage(before)
      const hadItsTime = (user + system) / 1_000 > milliseconds / 2
      if (hadItsTime || attempt === mostAttempts) return false
    }
  }
}

function tooLong(milliseconds: number): string {
  return `took longer than ${milliseconds} ms, and was stopped`
}

/** Messages of the engine that speak of the script alone; others may quote an item. */
const HARMLESS =
  /^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/

function failureText(text: string): string {
  const [first = '', ...frames] = text.split('\n')
  if (first === 'Error: promise') return 'returned a promise; it must return at once'
  const line = frames.map((frame) => /config\.\w+:(\d+)/.exec(frame)?.[1]).find(Boolean)
  const kind = /^[A-Z]\w{0,40}/.exec(first)?.[0] ?? 'something'
  const what = HARMLESS.test(first) ? first : `threw ${kind}`
  return line === undefined ? what : `${what} (line ${line} of the script)`
}

/** JavaScript of the user, ready to be run on items. */
export interface Script {
  /** The option it stands in: `filterScript`. */
  readonly option: string
  readonly parameters: readonly string[]
  /** The body of a function with these parameters. */
  readonly body: string
  /**
   * An expression that calls `script` on the parsed `items`, through `call`, which refuses a promise.
   * Its value is what comes back, as JSON.
   */
  readonly drive: string
}

/** How the user's own code, and the user's own patterns, are kept from doing harm by mistake. */
export interface Scripts {
  /**
   * Runs a script with no access to anything but the items.
   *
   * @param items JSON text of an array
   * @returns JSON text
   * @throws ScriptFailure
   */
  run(script: Script, items: string): Promise<string>
  /**
   * Does some work that does not wait for anything, and breaks it off after so many milliseconds.
   *
   * @throws ScriptFailure when it was stopped
   */
  within<Result>(milliseconds: number, work: () => Result): Promise<Result>
}

/** A script that does not compile, failed, or took too long. */
export class ScriptFailure extends Error {
  override readonly name = 'ScriptFailure'
}
