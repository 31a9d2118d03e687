import { minify } from '@swc/core'

/** Names of functions and classes stay, for the frames of a bug report. */
const NAMES = { keep_fnames: true, keep_classnames: true }

/**
 * A module without what nothing in it uses, which ncc leaves in: the engine reads all of it at every
 * start. In ASCII, since one letter beyond makes the engine keep two bytes for every other one.
 *
 * @param {string} code
 */
export async function shrink(code) {
  const shrunk = await minify(code, {
    module: true,
    ecma: 2022,
    ...NAMES,
    mangle: NAMES,
    compress: { defaults: false, unused: true, dead_code: true, passes: 2 },
    format: { comments: false, asciiOnly: true },
  })
  return shrunk.code
}
