/**
 * A bundle.
 *
 * @typedef {object} Target
 * @property {string} entry compiled module in build/
 * @property {string} folder folder in dist/
 * @property {string} file name of the bundle in that folder
 * @property {'commonjs' | 'module'} format CommonJS starts faster, because it loads Node modules
 * without the exports that an ES module would list
 * @property {boolean} [executable] it is started by its name
 * @property {boolean} [portable] it also runs without Node: one small file, no Node module
 * @property {string} [loads] it contains nothing but an import of the bundle with this name
 * @property {string} [licenses] name of its file of notices, if the folder has several
 * @property {string} [types] file of its types, copied beside it for users who import it
 */

/** @type {readonly Target[]} */
export const TARGETS = [
  {
    entry: 'build/action/index.js',
    folder: 'action',
    file: 'index.js',
    format: 'commonjs',
  },
  {
    entry: 'build/action/post-program.js',
    folder: 'action',
    file: 'post.js',
    format: 'commonjs',
    loads: './index.js',
  },
  {
    entry: 'build/action/reply-program.js',
    folder: 'reply',
    file: 'index.js',
    format: 'commonjs',
  },
  {
    entry: 'build/cli/index.js',
    folder: 'cli',
    file: 'index.js',
    format: 'commonjs',
    executable: true,
  },
  {
    entry: 'build/relay/workers/worker.js',
    folder: 'relay',
    file: 'worker.js',
    format: 'module',
    portable: true,
    types: 'scripts/build/worker.d.ts',
  },
  {
    // `worker.js` imports it at the first endpoint with a verification or a filter.
    entry: 'build/relay/webhook/verification.js',
    folder: 'relay',
    file: 'verification.js',
    licenses: 'verification.licenses.txt',
    format: 'module',
    portable: true,
  },
  {
    // `worker.js` imports it if its objects are bound.
    entry: 'build/relay/workers/relay-object.js',
    folder: 'relay',
    file: 'relay-object.js',
    licenses: 'relay-object.licenses.txt',
    format: 'module',
    portable: true,
  },
]
