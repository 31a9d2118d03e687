import { existsSync } from 'node:fs'

/**
 * What is bundled for whom.
 *
 * @typedef {object} Target
 * @property {string} entry compiled module in build/
 * @property {string} folder folder in dist/
 * @property {string} file name of the bundle in that folder
 * @property {'commonjs' | 'module'} format CommonJS starts faster: a Node module is loaded without
 *   the parts of it that an ES module's list of exports would ask for
 * @property {boolean} [executable] it is started by its name
 * @property {boolean} [minify] its size is paid for at every start: the engine compiles all of it
 * @property {boolean} [portable] it also runs where there is no Node: one small file, no Node module
 * @property {string} [loads] it loads the bundle of this name beside it, and holds nothing itself
 * @property {string} [licenses] name of the file with its notices, where others are in the folder
 * @property {string} [types] file of its types, laid beside it for those who import it
 */

/** @type {readonly Target[]} */
export const TARGETS = [
  {
    entry: 'build/action/index.js',
    folder: 'action',
    file: 'index.js',
    format: 'commonjs',
    minify: true,
  },
  {
    entry: 'build/action/post-program.js',
    folder: 'action',
    file: 'post.js',
    format: 'commonjs',
    minify: true,
    loads: './index.js',
  },
  {
    entry: 'build/action/reply-program.js',
    folder: 'reply',
    file: 'index.js',
    format: 'commonjs',
    minify: true,
  },
  {
    entry: 'build/cli/index.js',
    folder: 'cli',
    file: 'index.js',
    format: 'commonjs',
    executable: true,
    minify: true,
  },
  {
    entry: 'build/relay/http/worker.js',
    folder: 'relay',
    file: 'worker.js',
    format: 'module',
    minify: true,
    portable: true,
    types: 'scripts/build/worker.d.ts',
  },
  {
    // What `worker.js` imports at the first grant that asks for something.
    entry: 'build/relay/request/verification.js',
    folder: 'relay',
    file: 'verification.js',
    licenses: 'verification.licenses.txt',
    format: 'module',
    minify: true,
    portable: true,
  },
  {
    // What `worker.js` imports where there is an outbox, or an operator.
    entry: 'build/relay/durable-outbox.js',
    folder: 'relay',
    file: 'durable-outbox.js',
    licenses: 'durable-outbox.licenses.txt',
    format: 'module',
    minify: true,
    portable: true,
  },
  {
    // What `worker.js` imports where `HOOKLINE_SCHEDULE` is set.
    entry: 'build/relay/schedule/scheduler.js',
    folder: 'relay',
    file: 'scheduler.js',
    licenses: 'scheduler.licenses.txt',
    format: 'module',
    minify: true,
    portable: true,
  },
]

export function existingTargets() {
  return TARGETS.filter(({ entry }) => existsSync(entry))
}
