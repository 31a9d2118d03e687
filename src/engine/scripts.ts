import type { QuickJSContext, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { errorCode } from '../wire/errors.ts'
import { type Json, parseJson } from '../wire/json.ts'

const MOST_ATTEMPTS = 5

/**
 * `import(…)` and `import.meta`, with any white space or comment in between.
 */
export const IMPORT: RegExp = /(?<![\w$])import(?=\s*[(./<-])/

/** Megabytes of memory for a script and its items. */
const MOST_MEMORY = 128

/** Bytes of stack. The engine must reach this limit before the stack of WebAssembly ends. */
const MOST_STACK = 128 * 1024

/**
 * Runs the user's scripts in QuickJS, a JavaScript engine compiled to WebAssembly. It has the
 * language and nothing else: no object of this process, no file, no network. Items go in and come
 * back as JSON. V8 interrupts WebAssembly when the time is over, even inside a regular expression
 * of the engine.
 */
export const scripts: Scripts = createScripts(2_000)

/** @param longest milliseconds for all items of a run */
export function createScripts(longest: number): Scripts {
  let engine: Promise<QuickJSWASMModule> | undefined
  return {
    async run(script, items, limit = longest) {
      if (IMPORT.test(script.body))
        throw new ScriptFailure('does not compile: import is not available')
      const { scriptGlobals } = await import('./script-globals.ts')
      const task = { script, items, globals: await scriptGlobals(script.body) }
      const output = await withinLimit(limit, async () => {
        engine ??= loadEngine()
        const current = engine
        const loaded = await current
        return () => {
          // An interrupted engine may be in an inconsistent state, so it is not used again, by a run at the same time either.
          const isSound = engine === current
          engine = undefined
          const made = runInEngine(loaded, task)
          if (made.isWhole && isSound) engine = current
          return made
        }
      })
      return parsedOutcomes(output, script.body)
    },
    within: (milliseconds, work) => withinLimit(milliseconds, async () => work),
  }
}

/**
 * Runs synchronous work within a time limit; again, if the processor was too busy to run it.
 *
 * @param prepare makes the work for each attempt
 * @throws ScriptFailure at the limit
 */
async function withinLimit<Result>(
  milliseconds: number,
  prepare: () => Promise<() => Result>,
): Promise<Result> {
  const vm = await import('node:vm')
  for (let attempt = 1; ; attempt++) {
    const work = await prepare()
    let result: { readonly value: Result } | undefined
    const context = vm.createContext({
      work() {
        result = { value: work() }
      },
    })
    const before = process.cpuUsage()
    try {
      vm.runInContext('work()', context, { timeout: milliseconds })
    } catch (error) {
      if (errorCode(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    }
    if (result) return result.value
    const { user, system } = process.cpuUsage(before)
    const isStopped = (user + system) / 1_000 > milliseconds / 2
    if (isStopped || attempt === MOST_ATTEMPTS) {
      throw new ScriptFailure(`timed out after ${milliseconds} ms`)
    }
  }
}

async function loadEngine(): Promise<QuickJSWASMModule> {
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core')
  // The package is imported in parts: its index contains the WebAssembly again as escapes, which
  // doubles the size.
  return newQuickJSWASMModuleFromVariant({
    type: 'sync',
    importFFI: async () =>
      ownExports(await import('@jitl/quickjs-singlefile-cjs-release-sync/ffi')).QuickJSFFI,
    importModuleLoader: async () => {
      const module = await import('@jitl/quickjs-singlefile-cjs-release-sync/emscripten-module')
      return ownExports(ownExports(module).default)
    },
  })
}

/** The exports of a CommonJS module. Node and some bundlers put them into the default export. */
function ownExports<Module extends object>(
  module: Module & { readonly default?: unknown },
): Module {
  const inner = module.default
  // both have the same shape
  return typeof inner === 'object' && inner !== null ? (inner as Module) : module
}

interface Task {
  readonly script: UserScript
  readonly items: string
  /** Code that defines the globals that the script uses; empty if it uses none. */
  readonly globals: string
}

/** The result of the engine: `=` and the outcomes, `!` and an error, or `?` and a compile error. */
interface ScriptOutput {
  readonly text: string
  /** False if the engine itself was interrupted. */
  readonly isWhole: boolean
}

function runInEngine(engine: QuickJSWASMModule, { script, items, globals }: Task): ScriptOutput {
  const { option, parameters, body } = script
  try {
    const runtime = engine.newRuntime({
      memoryLimitBytes: MOST_MEMORY * 1024 * 1024,
      maxStackSizeBytes: MOST_STACK,
    })
    const context = runtime.newContext()
    const source = `globalThis.script = function (${parameters.join(', ')}) {\n${body}\n}`
    context.newString(items).consume((text) => context.setProp(context.global, 'input', text))
    const text =
      failureOf(context, globals, 'globals') ??
      failureOf(context, source, `config.${option}`) ??
      context
        .unwrapResult(context.evalCode(driver(script)))
        .consume((made) => context.getString(made))
    context.dispose()
    runtime.dispose()
    return { text, isWhole: true }
  } catch (error) {
    // The engine stops anywhere when stack or memory run out. V8 would have reported a time-out
    // before.
    if (error instanceof Error) return { text: `!${OVERFLOW}`, isWhole: false }
    throw error
  }
}

const OVERFLOW = 'InternalError: out of memory'

/** The compile error of a script: `?`, its line and its message; `undefined` if it compiles. */
function failureOf(context: QuickJSContext, text: string, file: string): string | undefined {
  if (text === '') return undefined
  const result = context.evalCode(text, file)
  if (!result.error) {
    result.value.dispose()
    return undefined
  }
  const { message, lineNumber } = result.error.consume((error) => context.dump(error)) as {
    readonly message?: unknown
    readonly lineNumber?: unknown
  }
  const line = typeof lineNumber === 'number' ? lineNumber : ''
  return `?${line} ${typeof message === 'string' ? message : ''}`
}

/**
 * Calls the script in the engine. Each call has its own `try`, so that an error belongs to one item; an
 * error becomes a string there, because the script may have changed the error's own methods.
 */
const driver = ({ call, only, isOnce }: UserScript) => `(() => {
  const { stringify, parse } = JSON
  const describe = (error) => {
    try {
      return error instanceof Error ? error.name + ': ' + error.message + '\\n' + error.stack : ''
    } catch {
      return ''
    }
  }
  const items = parse(input)
  const invoke = (...args) => {
    const result = script(...args)
    if (result && typeof result.then === 'function') throw new Error('promise')
    return result
  }
  const outcome = (item, index) => {
    try {
      const text = stringify(${call})
      return text === undefined ? {} : { json: text }
    } catch (error) {
      return { error: describe(error) }
    }
  }
  const outcomes = ${isOnce ? '[outcome()]' : only === undefined ? 'items.map(outcome)' : `[outcome(items[${only}], ${only})]`}
  return '=' + stringify(outcomes)
})()`

function parsedOutcomes({ text }: ScriptOutput, body: string): OptionResult<Json | undefined>[] {
  const [kind, rest] = [text.slice(0, 1), text.slice(1)]
  if (kind === '?') throw new ScriptFailure(compileFailure(rest, body))
  if (kind !== '=') throw new ScriptFailure(failureText(rest, body))
  const outcomes = JSON.parse(rest) as { json?: string; error?: string }[] // written by `driver`
  return outcomes.map(({ json, error }) => {
    if (error !== undefined) return { reason: failureText(error, body) }
    try {
      return { value: json === undefined ? undefined : parseJson(json) }
    } catch {
      return { reason: 'returned a value that is nested too deeply' }
    }
  })
}

/** The message of the compiler quotes only the script, which is part of the workflow file. */
function compileFailure(text: string, body: string): string {
  const [, line, message = ''] = /^(\d*) (.*)$/s.exec(text) ?? []
  const what = `does not compile: ${message}`
  if (!line) return what
  // The function header is one line before the script's first line; the brace that ends the function
  // is behind its last one.
  const own = Number(line) - 1
  const isBehind = own > body.split('\n').length
  return `${what} (${isBehind ? 'at the end' : `line ${own}`} of the script)`
}

/** Messages of the engine that only concern the script; others may quote an item. */
const HARMLESS =
  /^\w*Error: (cannot (read|set) property '[\w$]{1,60}' of (undefined|null)|'?[\w$.]{0,80}'? ?(is )?not (a function|defined|iterable|a constructor)|'[\w$]{1,60}' is read-only|stack overflow)$/

/** Errors of the language. The name of any other error can come from an item. */
const ERRORS = /^(?:Aggregate|Eval|Internal|Range|Reference|Syntax|Type|URI)?Error$/

function failureText(text: string, body: string): string {
  const [first = '', ...frames] = text.split('\n')
  if (first === 'Error: promise') return 'returned a promise; return the value itself'
  if (first === OVERFLOW) return `used more than ${MOST_MEMORY} MB of memory`
  // The function header is one line before the script's first line.
  const line = frames.map((frame) => /config\.\w+:(\d+)/.exec(frame)?.[1]).find(Boolean)
  // The message for `a[b]` contains the value of `b`, which can come from an item: show it only if
  // the script contains the word.
  const written = new Set(body.match(/[\w$]+/g))
  const [name = ''] = /^[A-Z]\w*/.exec(first) ?? []
  const kind = ERRORS.test(name) || written.has(name) ? name : 'something'
  const names = /'?([\w$.]+)'?(?= of |'? (?:is )?not |' is read-only)/.exec(first)?.[1] ?? ''
  const isWritten = names.split('.').every((name) => name === '' || written.has(name))
  const what = HARMLESS.test(first) && isWritten ? first : `threw ${kind}`
  return line === undefined ? what : `${what} (line ${Number(line) - 1} of the script)`
}

/** JavaScript of the user, and the expression that calls it. */
export interface UserScript {
  /** The option that holds the script: `filterScript`. */
  readonly option: string
  readonly parameters: readonly string[]
  /** The body of a function with these parameters. */
  readonly body: string
  /** An expression over `item`, `index` and `items` that calls the script by `invoke(…)`. */
  readonly call: string
  /** True: the call is evaluated once, for all items together. */
  readonly isOnce?: boolean
  /** The index of the only item to call the script for; all items if absent. */
  readonly only?: number | undefined
}

/** The result of an option for one item; a reason contains no part of the item. */
export type OptionResult<Value> = { readonly value: Value } | { readonly reason: string }

/** Runs scripts and patterns of the user within limits of time, memory and access. */
export interface Scripts {
  /**
   * Runs a script with no access to anything but the items.
   *
   * @param items JSON text of an array
   * @param limit milliseconds for all calls together; the default limit if absent
   * @returns one result for each call; the value is `undefined` if the script returned nothing
   * @throws ScriptFailure if the script does not compile, or is stopped before its end
   */
  run(script: UserScript, items: string, limit?: number): Promise<OptionResult<Json | undefined>[]>
  /**
   * Does synchronous work, and stops it after so many milliseconds.
   *
   * @throws ScriptFailure if the work was stopped
   */
  within<Result>(milliseconds: number, work: () => Result): Promise<Result>
}

export class ScriptFailure extends Error {
  override readonly name = 'ScriptFailure'
}
