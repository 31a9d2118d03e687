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
 * so its `.git/config` starts no program: no monitor, no hook, no signature check, no filter, and no fetch
 * of the objects that a partial clone lacks. Pass `--ignore-submodules=all` to a command that reads submodules, because each has its own configuration.
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

function call(
  cwd: string,
  config: Readonly<Record<string, string>>,
  args: readonly string[],
): string | undefined {
  const own = environmentFor(...GIT_VARIABLES)
  const entries = Object.entries(config)
  // `-c` ends a name at the first equals sign. Git before 2.31 reads no variables.
  const options = entries.flatMap(([name, value]) =>
    name.includes('=') ? [] : ['-c', `${name}=${value}`],
  )
  try {
    return execFileSync('git', [...options, ...args], {
      cwd,
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...own, ...NO_FETCH, ...configVariables(entries, own) },
    })
  } catch {
    return undefined
  }
}

/** No command here needs a remote. Older versions of git know only the first variable. */
const NO_FETCH = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }

/**
 * Configuration in the environment, after the entries that the user has there.
 *
 * https://git-scm.com/docs/git-config#ENVIRONMENT
 */
function configVariables(
  entries: readonly (readonly [name: string, value: string])[],
  own: NodeJS.ProcessEnv,
) {
  const first = Number(own.GIT_CONFIG_COUNT) || 0
  const variables = entries.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return { ...Object.fromEntries(variables), GIT_CONFIG_COUNT: String(first + entries.length) }
}
