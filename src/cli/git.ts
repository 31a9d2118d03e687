import { execFileSync } from 'node:child_process'
import { environmentFor, GIT_VARIABLES } from './programs.ts'

/** Configuration that makes git start a program although the command itself needs none. */
const NO_PROGRAMS = {
  'core.fsmonitor': '',
  'core.hooksPath': '/dev/null',
  'log.showSignature': 'false',
}

/**
 * Runs git in a folder, and returns its output without blanks at both ends. The folder may be a download,
 * so its `.git/config` starts no program: no monitor, no hook, no signature check, and no filter. Pass
 * `--ignore-submodules=all` to a command that reads submodules, because each has its own configuration.
 *
 * @returns `undefined` if git is not installed or fails, for example outside of a repository
 */
export function git(folder: string, ...args: readonly string[]): string | undefined {
  const filters = call(folder, {}, [
    'config',
    '--null',
    '--name-only',
    '--get-regexp',
    '^filter\\.',
  ])
  const names = new Set(filters?.split('\0').filter((name) => name !== ''))
  const noFilters = [...names].map((name) => [name, name.endsWith('.required') ? 'false' : ''])
  return call(folder, { ...NO_PROGRAMS, ...Object.fromEntries(noFilters) }, args)?.trim()
}

/** The command that pushes the current branch; a branch without an upstream gets one. */
export function pushLine(): string {
  const upstream = git('.', 'rev-parse', '--abbrev-ref', '@{upstream}')
  return upstream === undefined ? 'git push -u origin HEAD' : 'git push'
}

function call(
  cwd: string,
  config: Readonly<Record<string, string>>,
  args: readonly string[],
): string | undefined {
  const options = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  try {
    return execFileSync('git', [...options, ...args], {
      cwd,
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: environmentFor(...GIT_VARIABLES),
    })
  } catch {
    return undefined
  }
}
