import type { HttpReply } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { type Finding, failed, ok, unknown, warning } from './findings.ts'

/** What of a repository the later checks need. */
export interface KnownRepository {
  readonly defaultBranch: string
}

interface RepositoryCheck {
  readonly findings: readonly Finding[]
  /** Absent when nothing more can be asked. */
  readonly known?: KnownRepository
}

const PERMISSION =
  'fine-grained: "Contents: Read and write" on this repository alone; classic: the scope "repo"'

export const NO_TOKEN = failed(
  'token',
  'token_missing',
  'HOOKLINE_TOKEN is not set',
  `make a token at https://github.com/settings/personal-access-tokens/new (${PERMISSION}), and set HOOKLINE_TOKEN to it`,
)

/** Token and repository, from the answer to `GET /repos/{owner}/{repo}`. */
export function judgeRepository(name: string, reply: HttpReply): RepositoryCheck {
  const refusal = refusalOf(reply)
  if (refusal) return { findings: [refused(name, refusal)] }
  const repository = fields(reply.text)
  const findings = [tokenFinding(name, reply, repository), repositoryFinding(name, repository)]
  return { findings, known: { defaultBranch: String(repository.default_branch ?? 'main') } }
}

const MENDS: Readonly<Record<GitHubRefusal['kind'], (name: string) => readonly [string, string]>> =
  {
    unauthorized: () => [
      'GitHub does not accept the token',
      'it is incomplete, expired or revoked: make a new one',
    ],
    sso: (name) => [
      `the organisation of ${name} has not authorised the token`,
      'open the token at https://github.com/settings/tokens, "Configure SSO", and authorise the organisation',
    ],
    limited: () => ["GitHub's rate limit is reached", 'try again in a while'],
    missing: (name) => [
      `the token cannot see ${name}`,
      `check the spelling; if it is right, the token must reach the repository: ${PERMISSION}`,
    ],
    forbidden: (name) => [`the token may not read ${name}`, `give it more: ${PERMISSION}`],
    other: () => ['GitHub gave an answer that says nothing', 'see https://www.githubstatus.com'],
  }

const CODES: Readonly<Record<GitHubRefusal['kind'], string>> = {
  unauthorized: 'token_rejected',
  sso: 'token_not_authorised',
  limited: 'rate_limited',
  missing: 'repository_not_visible',
  forbidden: 'token_cannot_read',
  other: 'github_unavailable',
}

function refused(name: string, { kind, status }: GitHubRefusal): Finding {
  const [message, mend] = MENDS[kind](name)
  return failed('token', CODES[kind], `${message} (${status})`, mend)
}

/** Classic tokens tell their scopes; what a fine-grained one may do shows only when it does it. */
function tokenFinding(
  name: string,
  { headers }: HttpReply,
  { permissions, private: isPrivate }: Record<string, unknown>,
): Finding {
  const scopes = headers['x-oauth-scopes']?.split(/\s*,\s*/).filter(Boolean)
  const enough = scopes?.includes('repo') || (!isPrivate && scopes?.includes('public_repo'))
  if (scopes && scopes.length > 0 && !enough) {
    return failed('token', 'token_scope_missing', 'the token lacks the scope "repo"', PERMISSION)
  }
  const { push } = { push: undefined, ...(permissions as object | undefined) }
  if (push === false) {
    const message = `the owner of the token may not write to ${name}`
    return failed(
      'token',
      'token_cannot_write',
      message,
      'a dispatch needs write access: ask an owner of the repository for it',
    )
  }
  if (enough) return ok('token', `the token may start workflows of ${name}`)
  return unknown(
    'token',
    'token_permission_unknown',
    'GitHub accepts the token, and does not tell whether it may write contents',
    `see that it has "Contents: Read and write", or try it: hookline doctor --deliver`,
  )
}

function repositoryFinding(
  name: string,
  { full_name, archived, disabled, default_branch }: Record<string, unknown>,
): Finding {
  if (archived === true) {
    return failed(
      'repository',
      'repository_archived',
      `${name} is archived, and takes no events`,
      'unarchive it in its settings',
    )
  }
  if (disabled === true) {
    return failed(
      'repository',
      'repository_disabled',
      `${name} is disabled by GitHub`,
      'ask GitHub support',
    )
  }
  if (typeof full_name === 'string' && full_name.toLowerCase() !== name.toLowerCase()) {
    return warning(
      'repository',
      'repository_renamed',
      `${name} is called ${full_name} now`,
      `use ${full_name} in the webhook URL`,
    )
  }
  return ok('repository', `the default branch of ${name} is ${default_branch}`)
}

/** Why GitHub did not do what it was asked for. */
interface GitHubRefusal {
  readonly kind: 'unauthorized' | 'sso' | 'limited' | 'missing' | 'forbidden' | 'other'
  readonly status: number
}

/** https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api */
export function refusalOf({ status, headers, text }: HttpReply): GitHubRefusal | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 401) return { kind: 'unauthorized', status }
  if (status === 404) return { kind: 'missing', status }
  const spent = headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'
  const limited = spent || /rate limit/i.test(text)
  if (status === 429 || (status === 403 && limited)) return { kind: 'limited', status }
  if (status === 403) return { kind: headers['x-github-sso'] ? 'sso' : 'forbidden', status }
  return { kind: 'other', status }
}

/** The fields of a JSON object; none for any other text. */
export function fields(text: string): Record<string, unknown> {
  const value = parsed(text)
  return isObject(value) ? value : {}
}

/** The objects of a JSON array; none for any other text. */
export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
