// npm test [-- <part of a path>]   runs every check, then all tests or those whose path contains
// the part
import { spawnSync } from 'node:child_process'

/** The checks in the order in which they fail fastest. */
const CHECKS = ['typecheck', 'lint', 'generate:check']

for (const check of CHECKS) run(check, [])
run('jest', process.argv.slice(2))

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
