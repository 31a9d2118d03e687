import { minify } from '@swc/core'

/** Names of functions and classes remain, for the stack frames of a bug report. */
const NAMES = { keep_fnames: true, keep_classnames: true }

/** Replaces a pair of parentheses that the printer would drop. */
const EAGER = '__eager__'

/**
 * Minifies a module and removes unused code that ncc leaves in, because the engine parses all of it
 * at every start. The output is ASCII, because one other character makes the engine use two bytes
 * for each character.
 *
 * The functions that webpack wraps around modules keep their parentheses: the engine compiles those
 * immediately, while it parses any other function twice.
 *
 * Bytes in a string, such as WebAssembly, would become four times as long as escapes: a module that
 * would grow remains unchanged.
 *
 * @param {string} code from webpack
 * @param {{ module: boolean, smallest?: boolean | undefined }} format `module`: true for ES
 * modules, false for CommonJS; `smallest`: for a worker, whose size matters more than its start
 */
export async function shrink(code, { module, smallest = false }) {
  if (code.includes(EAGER)) throw new Error(`${EAGER} is a name of the build's own`)
  const names = smallest ? {} : NAMES
  const marked = code.replaceAll(/^\/\*{3}\/ \(/gm, `/***/ ${EAGER}(`)
  /** @type {import('@swc/core').JsMinifyOptions} */
  const options = {
    module,
    ecma: 2022,
    ...names,
    mangle: names,
    compress: smallest || { ...names, passes: 2 },
    format: { comments: false, asciiOnly: true },
  }
  const once = await minify(marked, options)
  // Code that was inlined the first time can be simplified the second time.
  const shrunk = smallest ? await minify(once.code, options) : once
  const text = shrunk.code.replaceAll(`${EAGER}(`, '(')
  return Buffer.byteLength(text) < Buffer.byteLength(code) ? text : code
}
