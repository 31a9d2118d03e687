import { fieldsOf, type GitHubResponse, type RefusalKind } from '../../wire/github-api.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import type { ForgeHere } from '../forge.ts'
import { tokenPage, withTokenOfGh } from '../forge-tokens.ts'
import type { Asked } from '../github-client.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  unknownFinding,
  warningFinding,
} from './findings.ts'

const PERMISSION =
  'fine-grained: "Contents: Read and write" on this repository alone; classic: the scope "repo"'

/** `workflow_dispatch` needs no other permission, so the token cannot push code. */
const DIRECT_PERMISSION =
  'fine-grained: "Actions: Read and write" on this repository alone, which cannot push code'

function permissionFor(dispatch: DispatchMode | undefined): string {
  return dispatch === 'workflow' ? DIRECT_PERMISSION : PERMISSION
}

export function noTokenFinding(
  { workflow, repository, dispatch }: Pick<DoctorTarget, 'workflow' | 'repository' | 'dispatch'>,
  forge: ForgeHere,
): DoctorFinding {
  // `actions:read` is needed to follow the runs.
  const permissions = dispatch === 'workflow' ? ['actions'] : ['contents', 'actions:read']
  const page = tokenPage(workflow ?? 'hook', repository, permissions, forge.webUrl)
  const named = workflow === undefined ? '' : ` --workflow ${workflow}`
  const withGh = withTokenOfGh(forge, `hookline doctor --repository ${repository}${named}`)
  return failedFinding(
    'token',
    'token_missing',
    'HOOKLINE_GITHUB_TOKEN is not set',
    `Create a token (${permissionFor(dispatch)}) at ${page}, and set HOOKLINE_GITHUB_TOKEN. Or check with the token of gh: ${withGh}`,
  )
}

const NOT_GITHUB = failedFinding(
  'token',
  'not_github',
  'the server at HOOKLINE_API_URL does not respond as the GitHub API does',
  'Set HOOKLINE_API_URL to https://api.github.com or https://<host>/api/v3, and check for a proxy.',
)

/**
 * Findings about token and repository, from the response to `GET /repos/{owner}/{repo}`, and the default
 * branch, if more checks are possible.
 */
export function checkRepository(
  target: DoctorTarget,
  { answer, refusal }: Asked,
  { forge, now }: Pick<DoctorPorts, 'forge' | 'now'>,
): { readonly findings: readonly DoctorFinding[]; readonly branch?: string } {
  const { repository: name, dispatch } = target
  if (refusal) {
    const { kind, status } = refusal
    const words = WORDS[kind] ?? OTHERWISE
    const [code, message, hint] = words(name, permissionFor(dispatch), forge.webUrl)
    return { findings: [failedFinding('token', code, `${message} (${status})`, hint)] }
  }
  const repository = fieldsOf(answer)
  if (typeof repository.default_branch !== 'string') return { findings: [NOT_GITHUB] }
  const findings = [
    tokenFinding(target, answer, repository),
    ...endingSoon(answer, now()),
    repositoryFinding(name, repository),
  ]
  return { findings, branch: repository.default_branch }
}

/** @param webUrl address of the forge's pages */
type Words = (
  name: string,
  permission: string,
  webUrl: string,
) => readonly [code: string, message: string, hint: string]

const WORDS: Readonly<Partial<Record<RefusalKind, Words>>> = {
  unauthorized: () => [
    'token_rejected',
    'GitHub rejects the token',
    'The token is incomplete, expired or revoked. Create a new one.',
  ],
  sso: (name, _, webUrl) => [
    'token_not_authorized',
    `the organization of ${name} has not authorized the token`,
    `Open the token at ${webUrl}/settings/tokens, choose "Configure SSO", and authorize the organization.`,
  ],
  limited: () => [
    'rate_limited',
    "GitHub's rate limit is reached",
    'Run the command again in a few minutes.',
  ],
  missing: (name, permission) => [
    'repository_not_visible',
    `the token cannot see ${name}`,
    `Check the spelling, or give the token access to the repository: ${permission}`,
  ],
  forbidden: (name, permission) => [
    'token_cannot_read',
    `the token may not read ${name}`,
    `Give the token more permissions: ${permission}`,
  ],
}

const OTHERWISE: Words = () => [
  'github_unavailable',
  'unexpected response from the GitHub API',
  'See https://www.githubstatus.com.',
]

/** Days. A token that expires sooner causes a warning, so that there is time to replace it. */
const SOON = 14

const DAY = 86_400_000

/**
 * GitHub names the expiry of a token, as `2026-12-01 10:00:00 UTC`, or with an offset such as `+0200`.
 *
 * https://docs.github.com/rest/authentication/authenticating-to-the-rest-api
 */
function endingSoon({ header }: GitHubResponse, now: Date): readonly DoctorFinding[] {
  const text = header('github-authentication-token-expiration') ?? ''
  const [, date, time, zone] = /^(\S+) (\S+) (UTC|[+-]\d{4})$/.exec(text) ?? []
  const end = Date.parse(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`)
  const days = Math.floor((end - now.getTime()) / DAY)
  // NaN if GitHub names no expiry.
  if (!(days < SOON)) return []
  const when = days < 1 ? 'within a day' : days === 1 ? 'in a day' : `in ${days} days`
  const message = `the token expires ${when}, on ${date}; after that no webhook starts a workflow`
  const hint =
    'Create a new token, and set it on the relay. A GitHub App does not expire: hookline app create'
  return [warningFinding('token', 'token_ends_soon', message, hint)]
}

/** GitHub lists the scopes of a classic token, but not the permissions of a fine-grained token. */
function tokenFinding(
  { repository: name, dispatch }: DoctorTarget,
  { header }: GitHubResponse,
  { permissions, private: isPrivate }: Record<string, unknown>,
): DoctorFinding {
  const scopes = header('x-oauth-scopes')
    ?.split(/\s*,\s*/)
    .filter(Boolean)
  const enough = scopes?.includes('repo') || (!isPrivate && scopes?.includes('public_repo'))
  if (scopes && scopes.length > 0 && !enough) {
    return failedFinding(
      'token',
      'token_scope_missing',
      'the token lacks the scope "repo"',
      PERMISSION,
    )
  }
  const { push } = { push: undefined, ...(permissions as object | undefined) }
  if (push === false) {
    const message = `the owner of the token has no write access to ${name}`
    return failedFinding(
      'token',
      'token_cannot_write',
      message,
      'A dispatch needs write access. Ask an owner of the repository for it.',
    )
  }
  if (enough) return passedFinding('token', `the token may start workflows of ${name}`)
  return unknownFinding(
    'token',
    'token_permission_unknown',
    'GitHub accepts the token, but does not say whether it may start workflows',
    `Check its permissions (${permissionFor(dispatch)}), or send an event: hookline connect --send-test`,
  )
}

function repositoryFinding(
  name: string,
  { full_name, archived, disabled, default_branch }: Record<string, unknown>,
): DoctorFinding {
  if (archived === true) {
    return failedFinding(
      'repository',
      'repository_archived',
      `${name} is archived, so it accepts no events`,
      'Unarchive it in its settings.',
    )
  }
  if (disabled === true) {
    return failedFinding(
      'repository',
      'repository_disabled',
      `${name} is disabled by GitHub`,
      'Ask GitHub support.',
    )
  }
  if (typeof full_name === 'string' && full_name.toLowerCase() !== name.toLowerCase()) {
    return warningFinding(
      'repository',
      'repository_renamed',
      `${name} was renamed to ${full_name}`,
      `Use ${full_name} in the webhook URL.`,
    )
  }
  return passedFinding('repository', `the default branch of ${name} is ${default_branch}`)
}
