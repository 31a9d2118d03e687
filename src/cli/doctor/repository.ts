import { fieldsOf, type GitHubResponse, type RefusalKind } from '../../wire/github.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import type { Asked } from '../github.ts'
import { type Finding, failed, ok, type Target, unknown, warning } from './findings.ts'

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

/** What the token needs for the one event or the other. */
function permissionFor(dispatch: DispatchMode | undefined): string {
  return dispatch === 'workflow' ? DIRECT_PERMISSION : PERMISSION
}

export function noToken(dispatch: DispatchMode | undefined): Finding {
  return failed(
    'token',
    'token_missing',
    'HOOKLINE_GITHUB_TOKEN is not set',
    `make a token at https://github.com/settings/personal-access-tokens/new (${permissionFor(dispatch)}), and set HOOKLINE_GITHUB_TOKEN to it`,
  )
}

const NOT_GITHUB = failed(
  'token',
  'not_github',
  "what answers in GitHub's place does not answer as its API does",
  'check HOOKLINE_API_URL: https://api.github.com, or https://<host>/api/v3; a proxy may stand between',
)

/** Token and repository, from the answer to `GET /repos/{owner}/{repo}`. */
export function judgeRepository(
  target: Target,
  { answer, refusal }: Asked,
  now: Date,
): RepositoryCheck {
  const { repository: name, dispatch } = target
  if (refusal) {
    const { kind, status } = refusal
    const [code, words] = WORDS.get(kind) ?? OTHERWISE
    const [message, mend] = words(name, permissionFor(dispatch))
    return { findings: [failed('token', code, `${message} (${status})`, mend)] }
  }
  const repository = fieldsOf(answer)
  if (typeof repository.default_branch !== 'string') return { findings: [NOT_GITHUB] }
  const findings = [
    tokenFinding(target, answer, repository),
    ...endingSoon(answer, now),
    repositoryFinding(name, repository),
  ]
  return { findings, known: { defaultBranch: repository.default_branch } }
}

type Words = (name: string, permission: string) => readonly [message: string, mend: string]

/** What a refusal is called, and what it means for the token. */
const WORDS: ReadonlyMap<RefusalKind, readonly [code: string, words: Words]> = new Map<
  RefusalKind,
  readonly [string, Words]
>([
  [
    'unauthorized',
    [
      'token_rejected',
      () => [
        'GitHub does not accept the token',
        'it is incomplete, expired or revoked: make a new one',
      ],
    ],
  ],
  [
    'sso',
    [
      'token_not_authorised',
      (name) => [
        `the organisation of ${name} has not authorised the token`,
        'open the token at https://github.com/settings/tokens, "Configure SSO", and authorise the organisation',
      ],
    ],
  ],
  ['limited', ['rate_limited', () => ["GitHub's rate limit is reached", 'try again in a while']]],
  [
    'missing',
    [
      'repository_not_visible',
      (name, permission) => [
        `the token cannot see ${name}`,
        `check the spelling; if it is right, the token must reach the repository: ${permission}`,
      ],
    ],
  ],
  [
    'forbidden',
    [
      'token_cannot_read',
      (name, permission) => [`the token may not read ${name}`, `give it more: ${permission}`],
    ],
  ],
])

const OTHERWISE: readonly [string, Words] = [
  'github_unavailable',
  () => ['GitHub gave an answer that says nothing', 'see https://www.githubstatus.com'],
]

/** Days before its end at which a token is warned of: time to make another, and to put it everywhere. */
const SOON = 14

const DAY = 86_400_000

/**
 * GitHub tells when a token ends, as `2026-12-01 10:00:00 UTC`, or with an offset such as `+0200`.
 *
 * https://docs.github.com/rest/authentication/authenticating-to-the-rest-api
 */
function endingSoon({ header }: GitHubResponse, now: Date): readonly Finding[] {
  const text = header('github-authentication-token-expiration') ?? ''
  const [, date, time, zone] = /^(\S+) (\S+) (UTC|[+-]\d{4})$/.exec(text) ?? []
  const end = Date.parse(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`)
  const days = Math.floor((end - now.getTime()) / DAY)
  // Not a number where no end is told.
  if (!(days < SOON)) return []
  const when = days < 1 ? 'within a day' : days === 1 ? 'in a day' : `in ${days} days`
  const message = `the token ends ${when}, on ${date}: from then on no webhook starts anything`
  const mend =
    'make a new one, and give it to the relay; an App of your own does not end: hookline app create'
  return [warning('token', 'token_ends_soon', message, mend)]
}

/** Classic tokens tell their scopes; what a fine-grained one may do shows only when it does it. */
function tokenFinding(
  { repository: name, workflow, dispatch }: Target,
  { header }: GitHubResponse,
  { permissions, private: isPrivate }: Record<string, unknown>,
): Finding {
  const scopes = header('x-oauth-scopes')
    ?.split(/\s*,\s*/)
    .filter(Boolean)
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
    `see that it has what it needs (${permissionFor(dispatch)}), or try it: hookline doctor --workflow ${workflow ?? '<name>'} --deliver`,
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
