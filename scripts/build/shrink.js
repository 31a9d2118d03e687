import { minify } from '@swc/core'

/** Names of functions and classes stay, for the frames of a bug report. */
const NAMES = { keep_fnames: true, keep_classnames: true }

/** Stands for a pair of parentheses while the printer, which would drop them, is at work. */
const EAGER = '__eager__'

/**
 * A module without what nothing in it uses, which ncc leaves in: the engine reads all of it at every
 * start. In ASCII, since one letter beyond makes the engine keep two bytes for every other one.
 *
 * The functions that webpack puts round modules stay in the parentheses it prints them in: those the
 * engine compiles at once, while it reads any other function twice, first to find its end.
 *
 * Bytes that stand in a text, as WebAssembly does, take four times the room as escapes: a module that
 * would grow stays as it is.
 *
 * @param {string} code as webpack prints it
 * @param {{ module: boolean, smallest?: boolean | undefined }} format `module`: true for ES modules,
 *   false for CommonJS; `smallest`: what is sent to every place at the edge, where a start costs little
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
    compress: smallest || { defaults: false, unused: true, dead_code: true, passes: 2 },
    format: { comments: false, asciiOnly: true },
  }
  const once = await minify(marked, options)
  // What is inlined the first time can be folded the second time.
  const shrunk = smallest ? await minify(once.code, options) : once
  const text = shrunk.code.replaceAll(`${EAGER}(`, '(')
  return Buffer.byteLength(text) < Buffer.byteLength(code) ? text : code
}
