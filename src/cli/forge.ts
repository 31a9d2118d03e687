import { http } from '../action/http-client.ts'
import { isLoopback } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github-api.ts'
import { type Environment, type Forge, rawSetting, readSetting } from '../wire/settings.ts'
import { type Origin, originHere } from './origin.ts'

/** The forge that has the repository. `forge-tokens.ts` decides which tokens it gets. */
export interface ForgeHere {
  readonly kind: Forge
  /** `https://api.github.com` */
  readonly apiUrl: URL
  /** Address of its pages, without a slash at the end: `https://github.com` */
  readonly webUrl: string
  /** Host of the pages, as `gh auth token --hostname` takes it. */
  readonly host: string
  /** True if the user named the API in HOOKLINE_API_URL, or GitHub did in GITHUB_API_URL. */
  readonly isConfigured: boolean
}

const GITHUB = { kind: 'github', host: 'github.com', webUrl: 'https://github.com' } as const

/**
 * The forge of the repository: HOOKLINE_API_URL if it is set, otherwise the host of the git remote
 * `origin`, otherwise GH_HOST, otherwise github.com. An unknown host is asked, without a token, whether it
 * is GitHub Enterprise Server, Forgejo or Gitea; HOOKLINE_FORGE answers that too.
 *
 * @throws UserError for a host that is none of them, or does not respond
 */
export async function forgeHere(
  env: Environment = process.env,
  origin: Origin | undefined = originHere(),
): Promise<ForgeHere> {
  const configured = readSetting(env, 'HOOKLINE_FORGE')
  if (rawSetting(env, 'HOOKLINE_API_URL') || env.GITHUB_API_URL) {
    return forgeOfApi(readSetting(env, 'HOOKLINE_API_URL'), env, configured)
  }
  const webUrl = origin?.webUrl ?? (env.GH_HOST ? `https://${env.GH_HOST}` : GITHUB.webUrl)
  const { host } = new URL(webUrl)
  const at = (kind: Forge, api: string): ForgeHere => {
    return { kind, host, webUrl, apiUrl: new URL(api), isConfigured: false }
  }
  if (host === GITHUB.host) return at('github', 'https://api.github.com')
  if (host.endsWith('.ghe.com')) return at('github', `https://api.${host}`)
  if (configured === 'github') return at('github', `${webUrl}/api/v3`)
  if (configured !== undefined) return at(configured, `${webUrl}/api/v1`)
  return detected(webUrl, origin?.webUrl ? 'the git remote "origin" is at' : 'GH_HOST names', at)
}

/** Milliseconds. */
const TIMEOUT = 10_000

async function detected(
  webUrl: string,
  source: string,
  at: (kind: Forge, api: string) => ForgeHere,
): Promise<ForgeHere> {
  const ask = (path: string) =>
    http({ method: 'GET', url: webUrl + path, timeout: TIMEOUT }).catch(() => undefined)
  const [gitea, enterprise] = await Promise.all([ask('/api/v1/version'), ask('/api/v3/meta')])
  const version = gitea?.status === 200 ? fieldsOf(gitea).version : undefined
  if (typeof version === 'string') {
    return at(/forgejo|\+gitea-/i.test(version) ? 'forgejo' : 'gitea', `${webUrl}/api/v1`)
  }
  if (enterprise?.headers['x-github-enterprise-version'] !== undefined) {
    return at('github', `${webUrl}/api/v3`)
  }
  throw new UserError({
    message: `${source} ${new URL(webUrl).host}, which is neither GitHub nor Forgejo nor Gitea`,
    hint: 'Run the command in a clone from one of them, or name the API of the host.',
    notes: [
      `GitHub Enterprise Server: HOOKLINE_API_URL=${webUrl}/api/v3`,
      `Forgejo or Gitea: HOOKLINE_API_URL=${webUrl}/api/v1`,
    ],
  })
}

/** The forge of an API that the user or the runner named. */
function forgeOfApi(apiUrl: URL, env: Environment, configured: Forge | undefined): ForgeHere {
  const named = rawSetting(env, 'HOOKLINE_SERVER_URL') || env.GITHUB_SERVER_URL
  const webUrl = (named || webUrlOfApi(apiUrl)).replace(/\/+$/, '')
  // Which of the two has no influence on the command line; the relay detects it.
  const kind = configured ?? (/\/api\/v1\/*$/.test(apiUrl.pathname) ? 'forgejo' : 'github')
  return { kind, apiUrl, webUrl, host: new URL(webUrl).host, isConfigured: true }
}

function webUrlOfApi({ protocol, host, pathname, hostname }: URL): string {
  if (host === 'api.github.com') return GITHUB.webUrl
  if (host.endsWith('.ghe.com')) return `https://${host.replace(/^api\./, '')}`
  // A stand-in on this machine has no pages; links lead to GitHub.
  if (isLoopback(hostname) && pathname === '/') return GITHUB.webUrl
  return `${protocol}//${host}${pathname.replace(/\/api\/v[13]\/*$/, '')}`
}

/** @throws UserError for a command that uses parts of the API that only GitHub has */
export function onlyGitHub(forge: ForgeHere, command: string): ForgeHere {
  if (forge.kind === 'github') return forge
  throw new UserError({
    message: `hookline ${command} works only with GitHub, and ${forge.host} is ${forge.kind === 'gitea' ? 'Gitea' : 'Forgejo'}`,
    hint: `Open the runs on its pages: ${forge.webUrl}/<owner>/<name>/actions`,
  })
}
