import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Problem } from '../wire/errors.ts'

/** Variables that any program needs on any system. */
const NEEDED = [
  ...['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME'],
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'DISPLAY'],
  ...['SystemRoot', 'SystemDrive', 'PATHEXT', 'ComSpec', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
]

export const PROXY_VARIABLES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
]

/**
 * The environment of a child process, without tokens and keys of Hookline.
 *
 * @param more further names for this program; a `*` at the end matches any rest
 */
export function environmentFor(...more: readonly string[]): NodeJS.ProcessEnv {
  const isNeeded = (name: string) =>
    // Names of variables ignore case on Windows.
    [...NEEDED, ...more].some((each) =>
      each.endsWith('*')
        ? name.startsWith(each.slice(0, -1))
        : name === each ||
          (process.platform === 'win32' && name.toUpperCase() === each.toUpperCase()),
    )
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isNeeded(name)))
}

/** Variables for `git`: its settings and the SSH agent. */
export const GIT_VARIABLES = ['GIT_*', 'SSH_AUTH_SOCK']

/** Variables for `gh`: its host and folder. `gh` stores its tokens itself. */
export const GH_VARIABLES = ['GH_HOST', 'GH_CONFIG_DIR', 'GH_REPO', ...PROXY_VARIABLES]

/**
 * Whether a program can be started, without starting it.
 *
 * @param program a name on the PATH, or a path
 */
export function isInstalled(program: string): boolean {
  const { PATH = '' } = process.env
  const folders = /[/\\]/.test(program) ? [''] : PATH.split(delimiter)
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  return folders.some((folder) =>
    endings.some((ending) => {
      try {
        accessSync(join(folder, program + ending), constants.X_OK)
        return true
      } catch {
        return false
      }
    }),
  )
}

/** Warns that the relay ignores the proxy variables, because it calls GitHub directly. */
export function unusedProxyProblems(env: NodeJS.ProcessEnv): Problem[] {
  if (!PROXY_VARIABLES.some((name) => !/^no_proxy$/i.test(name) && env[name])) return []
  const message = 'the relay ignores the proxy variables and calls GitHub directly'
  return [
    { message, hint: 'If only the proxy can reach GitHub, run the relay on Cloudflare Workers.' },
  ]
}
