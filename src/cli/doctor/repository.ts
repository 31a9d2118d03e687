import type { HttpReply } from '../../wire/http.ts'
import type { DispatchEvent } from '../../wire/payload.ts'
import { fields, type GitHubRefusal, refusalOf } from '../github.ts'
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

/** Of `workflow_dispatch`: nothing else, and so no code can be pushed. */
const DIRECT_PERMISSION =
  'fine-grained: "Actions: Read and write" on this repository alone, which cannot push code'

export const NO_TOKEN = failed(
  'token',
  'token_missing',
  'HOOKLINE_TOKEN is not set',
  `make a token at https://github.com/settings/personal-access-tokens/new (${PERMISSION}), and set HOOKLINE_TOKEN to it`,
)

const NOT_GITHUB = failed(
  'token',
  'not_github',
  "what answers in GitHub's place does not answer as its API does",
  'check HOOKLINE_API_URL: https://api.github.com, or https://<host>/api/v3; a proxy may stand between',
)

/** Token and repository, from the answer to `GET /repos/{owner}/{repo}`. */
export function judgeRepository(
  name: string,
  reply: HttpReply,
  event: DispatchEvent = 'repository_dispatch',
): RepositoryCheck {
  const refusal = refusalOf(reply)
  if (refusal) {
    const { kind, status } = refusal
    const [message, mend] = MENDS[kind](name)
    return { findings: [failed('token', CODES[kind], `${message} (${status})`, mend)] }
  }
  const repository = fields(reply.text)
  if (typeof repository.default_branch !== 'string') return { findings: [NOT_GITHUB] }
  const findings = [
    tokenFinding(name, reply, repository, event),
    repositoryFinding(name, repository),
  ]
  return { findings, known: { defaultBranch: repository.default_branch } }
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

/** Classic tokens tell their scopes; what a fine-grained one may do shows only when it does it. */
function tokenFinding(
  name: string,
  { headers }: HttpReply,
  { permissions, private: isPrivate }: Record<string, unknown>,
  event: DispatchEvent,
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
    'GitHub accepts the token, and does not tell whether it may start workflows',
    `see that it has what it needs (${event === 'workflow_dispatch' ? DIRECT_PERMISSION : PERMISSION}), or try it: npx hookline doctor --deliver`,
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
