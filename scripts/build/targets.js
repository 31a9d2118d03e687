import { existsSync } from 'node:fs'

/**
 * What is bundled for whom.
 *
 * @typedef {object} Target
 * @property {string} entry compiled module in build/
 * @property {string} folder folder in dist/
 * @property {string} file name of the bundle in that folder
 * @property {boolean} [executable] it is started by its name
 * @property {boolean} [minify] its size is paid for at every start: the engine compiles all of it
 * @property {boolean} [portable] it also runs where there is no Node: one small file, no Node module
 */

/** @type {readonly Target[]} */
export const TARGETS = [
  { entry: 'build/action/index.js', folder: 'action', file: 'index.js', minify: true },
  { entry: 'build/cli/index.js', folder: 'cli', file: 'index.js', executable: true },
  {
    entry: 'build/relay/worker.js',
    folder: 'relay',
    file: 'worker.js',
    minify: true,
    portable: true,
  },
]

export function existingTargets() {
  return TARGETS.filter(({ entry }) => existsSync(entry))
}
