import { DEFINE_GLOBALS, encodings, SCRIPT_GLOBALS, urlParts } from './script-globals.ts'

/** A script may take so many milliseconds for all items of a run. */
const LONGEST = 2_000

const MOST_ATTEMPTS = 5

/**
 * Scripts in contexts of their own, where there is nothing but the language: items go in and come
 * back as text, so no object of this process is in reach. It keeps mistakes in, it is no sandbox
 * against malice.
 */
export const scripts: Scripts = {
  async run(script, items) {
    const vm = await import('node:vm')
    const context = vm.createContext(Object.create(null), {
      microtaskMode: 'afterEvaluate',
      codeGeneration: { strings: false, wasm: false },
    })
    context.input = items
    if (SCRIPT_GLOBALS.test(script.body)) {
      vm.runInContext(DEFINE_GLOBALS, context)(urlParts, encodings)
    }
    const filename = `config.${script.option}`
    try {
      new vm.Script(source(script), { filename, lineOffset: -1 }).runInContext(context)
    } catch (error) {
      // The message speaks of the script alone, which stands in the workflow file.
      throw new ScriptFailure(`does not compile: ${property(error, 'message')}`)
    }
    return drive(script, (code) => vm.runInContext(code, context, { timeout: LONGEST }))
  },

  async within(milliseconds, work) {
    const vm = await import('node:vm')
    let result: { readonly value: ReturnType<typeof work> } | undefined
    const context = vm.createContext({
      work() {
        result = { value: work() }
      },
    })
    limited(milliseconds, () => vm.runInContext('work()', context, { timeout: milliseconds }))
    if (!result) throw new ScriptFailure('did not end')
    return result.value
  },
}

function source({ parameters, body }: Script): string {
  return `this.script = function (${parameters.join(', ')}) {\n${body}\n}`
}

/** Runs within the context, so that whatever the script throws is made into text there as well. */
function drive(script: Script, run: (code: string) => unknown): string {
  const outcome = limited(LONGEST, () => run(DRIVER(script.drive)))
  const text = typeof outcome === 'string' ? outcome : ''
  if (text.startsWith('=')) return text.slice(1)
  throw new ScriptFailure(failureText(text))
}

const DRIVER = (expression: string) => `(() => {
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
 * had its time: it is given another one.
 */
function limited(milliseconds: number, run: () => unknown): unknown {
  for (let attempt = 1; ; attempt++) {
    const before = process.cpuUsage()
    try {
      return run()
    } catch (error) {
      // The error belongs to the context, so it is no `Error` of this one.
      if (property(error, 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.cpuUsage(before)
      const hadItsTime = (user + system) / 1_000 > milliseconds / 2
      if (hadItsTime || attempt === MOST_ATTEMPTS) {
        throw new ScriptFailure(`took longer than ${milliseconds} ms, and was broken off`)
      }
    }
  }
}

function property(value: unknown, name: 'code' | 'message'): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name] // any object may have it
    : undefined
}

/** Messages of the engine that speak of the script alone; others may quote an item. */
const HARMLESS =
  /^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/

function failureText(text: string): string {
  const [first = '', ...frames] = text.slice(1).split('\n')
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
   * @throws ScriptFailure when it was broken off
   */
  within<Result>(milliseconds: number, work: () => Result): Promise<Result>
}

/** A script that does not compile, failed, or took too long. */
export class ScriptFailure extends Error {
  override readonly name = 'ScriptFailure'
}
