// npm test [-- <part of a path>]   runs every check, then all tests or those whose path contains
// the part
import { spawnSync } from 'node:child_process'

/** The checks in the order in which they fail fastest. */
const CHECKS = ['typecheck', 'lint', 'generate:check']

/**
 * The tests of each file run in a random order, which stays the same for a week: if the tests fail, the
 * change is the cause and not the order. `npm run jest` takes a new order each time.
 */
const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const seed = `--seed=${Math.floor(Date.now() / WEEK_MS)}`

const args = process.argv.slice(2)
for (const check of CHECKS) run(check, [])
run('jest', args.some((arg) => arg.startsWith('--seed')) ? args : [seed, ...args])

/**
 * Runs a script of package.json, and ends with its exit code if it fails.
 *
 * @param {string} script
 * @param {readonly string[]} args
 */
function run(script, args) {
  const words = ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])]
  // On Windows npm is a batch file, which only a shell starts.
  const { status } = spawnSync('npm', words, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}
