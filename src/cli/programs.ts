/** What a program needs to run at all, on any system, and where it finds what is its own. */
const NEEDED = [
  ...['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'LANG', 'LC_ALL', 'TERM', 'USER', 'LOGNAME'],
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'DISPLAY'],
  ...['SystemRoot', 'SystemDrive', 'PATHEXT', 'ComSpec', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
]

/** How a program reaches the network where only a proxy does. */
export const PROXY_VARIABLES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
]

/**
 * The environment for a program that is started: no token or key of ours goes to it.
 *
 * @param more names that this one program needs besides; a `*` at the end stands for any rest
 */
export function environmentFor(...more: readonly string[]): NodeJS.ProcessEnv {
  const isNeeded = (name: string) =>
    // Windows tells names apart by no case.
    [...NEEDED, ...more].some((each) =>
      each.endsWith('*')
        ? name.startsWith(each.slice(0, -1))
        : name === each ||
          (process.platform === 'win32' && name.toUpperCase() === each.toUpperCase()),
    )
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isNeeded(name)))
}

/** What `git` is told besides: its own settings, and who holds the keys. */
export const GIT_VARIABLES = ['GIT_*', 'SSH_AUTH_SOCK']

/** What `gh` is told besides: its own host and folder. Its tokens it keeps itself. */
export const GH_VARIABLES = ['GH_HOST', 'GH_CONFIG_DIR', 'GH_REPO', ...PROXY_VARIABLES]
