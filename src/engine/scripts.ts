import type { QuickJSContext, QuickJSWASMModule } from 'quickjs-emscripten-core'

const MOST_ATTEMPTS = 5

/** `import(…)` and its kin, whatever space or comment stands between. */
export const IMPORT: RegExp = /(?<![\w$])import(?=\s*[(./<-])/

/** Megabytes that a script and its items may take. */
const MOST_MEMORY = 128

/** Bytes of stack: so few that the engine sees its end before WebAssembly's own comes. */
const MOST_STACK = 128 * 1024

/**
 * Scripts of the user. They run in QuickJS, an engine compiled to WebAssembly, which has the language
 * and nothing else: no object of this process, no file, no network. The items go in and come back as
 * text. V8 breaks WebAssembly off when the time is over, a regular expression within the engine too.
 */
export const scripts: Scripts = createScripts(2_000)

/** @param longest milliseconds that a script may take for all items of a run */
export function createScripts(longest: number): Scripts {
  let engine: Promise<QuickJSWASMModule> | undefined
  return {
    async run(script, items, limit = longest) {
      if (IMPORT.test(script.body))
        throw new ScriptFailure('does not compile: import is not available')
      const { scriptGlobals } = await import('./script-globals.ts')
      const task = { script, items, globals: await scriptGlobals(script.body) }
      for (let attempt = 1; ; attempt++) {
        engine ??= loadEngine()
        const loaded = await engine
        let answer: Answer | undefined
        const end = await endOf(limit, () => {
          answer = runInEngine(loaded, task)
        })
        // An engine that did not come to an end is in no state to be used again.
        if (answer?.isWhole !== true) engine = undefined
        if (answer) return resultOf(answer, script.body)
        if (end === 'stopped' || attempt === MOST_ATTEMPTS) throw tooLong(limit)
      }
    },

    async within(milliseconds, work) {
      let result: { readonly value: ReturnType<typeof work> } | undefined
      for (let attempt = 1; ; attempt++) {
        const end = await endOf(milliseconds, () => {
          result = { value: work() }
        })
        if (result) return result.value
        if (end === 'stopped' || attempt === MOST_ATTEMPTS) throw tooLong(milliseconds)
      }
    },
  }
}

/**
 * Does some work that does not wait for anything, until the time is over.
 *
 * @returns `ended`, `stopped`, or `starved`: so busy was the processor that the work has not had its time
 */
async function endOf(
  milliseconds: number,
  work: () => void,
): Promise<'ended' | 'stopped' | 'starved'> {
  const vm = await import('node:vm')
  const context = vm.createContext({ work })
  const before = process.cpuUsage()
  try {
    vm.runInContext('work()', context, { timeout: milliseconds })
    return 'ended'
  } catch (error) {
    // The error belongs to the context, so it is no `Error` of this one.
    const code = typeof error === 'object' && error !== null && 'code' in error && error.code
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > milliseconds / 2 ? 'stopped' : 'starved'
  }
}

async function loadEngine(): Promise<QuickJSWASMModule> {
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core')
  // Its parts: its index holds the WebAssembly again as escapes, which is twice the size.
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

/** What a CommonJS module exports: in Node, and in some bundles, that is one of what is imported by default. */
function ownExports<Module extends object>(
  module: Module & { readonly default?: unknown },
): Module {
  const inner = module.default
  return typeof inner === 'object' && inner !== null ? (inner as Module) : module // of the same shape
}

interface Task {
  readonly script: Script
  readonly items: string
  /** What defines what the script uses beside the language; empty when it uses nothing. */
  readonly globals: string
}

/** The end of a script: `=` and its outcomes, `!` and an error, or `?` and why it does not compile. */
interface Answer {
  readonly text: string
  /** False where the engine itself broke off. */
  readonly isWhole: boolean
}

function runInEngine(engine: QuickJSWASMModule, { script, items, globals }: Task): Answer {
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
    // At the end of the stack or of the memory it breaks off wherever it is; V8 told of a stop by then.
    if (error instanceof Error) return { text: `!${OVERFLOW}`, isWhole: false }
    throw error
  }
}

const OVERFLOW = 'InternalError: out of memory'

/** Why a text does not compile; `undefined` when it does. */
function failureOf(context: QuickJSContext, text: string, file: string): string | undefined {
  if (text === '') return undefined
  const result = context.evalCode(text, file)
  if (!result.error) {
    result.value.dispose()
    return undefined
  }
  const { message } = result.error.consume((error) => context.dump(error)) as { message?: unknown }
  return `?${typeof message === 'string' ? message : ''}`
}

/**
 * Calls the script in the engine. Each call has its own `try`, so that an error belongs to one item; an
 * error becomes a string there, because the script may have changed the error's own methods.
 */
const driver = ({ call, only, isOnce }: Script) => `(() => {
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

function resultOf({ text }: Answer, body: string): ScriptOutcome[] {
  const [kind, rest] = [text.slice(0, 1), text.slice(1)]
  // The message of the compiler quotes only the script, which is part of the workflow file.
  if (kind === '?') throw new ScriptFailure(`does not compile: ${rest}`)
  if (kind !== '=') throw new ScriptFailure(failureText(rest, body))
  const outcomes = JSON.parse(rest) as { json?: string; error?: string }[] // the driver wrote them
  return outcomes.map(({ json, error }) =>
    error === undefined ? { json } : { failure: failureText(error, body) },
  )
}

function tooLong(milliseconds: number): ScriptFailure {
  return new ScriptFailure(`timed out after ${milliseconds} ms`)
}

/** Messages of the engine that speak of the script alone; others may quote an item. */
const HARMLESS =
  /^\w*Error: (cannot (read|set) property '[\w$]{1,60}' of (undefined|null)|'?[\w$.]{0,80}'? ?(is )?not (a function|defined|iterable|a constructor)|'[\w$]{1,60}' is read-only|stack overflow)$/

/** The language's own: a name that a script gives may be an item's, too. */
const ERRORS = /^(?:Aggregate|Eval|Internal|Range|Reference|Syntax|Type|URI)?Error$/

function failureText(text: string, body: string): string {
  const [first = '', ...frames] = text.split('\n')
  if (first === 'Error: promise') return 'returned a promise; return the value itself'
  if (first === OVERFLOW) return `used more than ${MOST_MEMORY} MB of memory`
  // The line that begins the function stands before the script's own.
  const line = frames.map((frame) => /config\.\w+:(\d+)/.exec(frame)?.[1]).find(Boolean)
  // `a[b]` names what b is, which is an item's own: only what the script itself writes is shown.
  const written = new Set(body.match(/[\w$]+/g))
  const [name = ''] = /^[A-Z]\w*/.exec(first) ?? []
  const kind = ERRORS.test(name) || written.has(name) ? name : 'something'
  const names = /'?([\w$.]+)'?(?= of |'? (?:is )?not |' is read-only)/.exec(first)?.[1] ?? ''
  const isWritten = names.split('.').every((name) => name === '' || written.has(name))
  const what = HARMLESS.test(first) && isWritten ? first : `threw ${kind}`
  return line === undefined ? what : `${what} (line ${Number(line) - 1} of the script)`
}

/** JavaScript of the user, with the expression that calls it. */
export interface Script {
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
  readonly only?: number
}

/** The result of one call: its value as JSON (absent for `undefined`), or why the call failed. */
export type ScriptOutcome =
  | { readonly json: string | undefined; readonly failure?: never }
  | { readonly failure: string; readonly json?: never }

/** Runs scripts and patterns of the user within limits of time, memory and access. */
export interface Scripts {
  /**
   * Runs a script with no access to anything but the items.
   *
   * @param items JSON text of an array
   * @param limit milliseconds for all calls together; the default limit if absent
   * @returns one outcome for each call
   * @throws ScriptFailure if the script does not compile, or is stopped before its end
   */
  run(script: Script, items: string, limit?: number): Promise<ScriptOutcome[]>
  /**
   * Does synchronous work, and stops it after so many milliseconds.
   *
   * @throws ScriptFailure if the work was stopped
   */
  within<Result>(milliseconds: number, work: () => Result): Promise<Result>
}

/** A script that does not compile, or was stopped. */
export class ScriptFailure extends Error {
  override readonly name = 'ScriptFailure'
}
