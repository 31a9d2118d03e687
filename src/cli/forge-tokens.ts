import { isLoopback } from '../wire/address.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { readToken, type Secret } from '../wire/secret.ts'
import { type Environment, rawSetting } from '../wire/settings.ts'
import { type ForgeHere, forgeHere, onlyGitHub } from './forge.ts'
import { type AskGitHub, githubAt } from './github-client.ts'
import { shellHere, warn } from './terminal.ts'

// The one place that decides which token is sent to which host. A git remote, which anyone may have
// written into a clone, never decides that: a token goes to the host that its variable is for.

/** A token, and the name under which messages show it. */
export interface ForgeToken {
  readonly token: Secret
  /** Name of the variable, or `gh auth token`. */
  readonly from: string
}

/** `start`: the token starts workflows, so only the one that was set for Hookline is used. */
type ForgeTokenPurpose = 'start' | 'read'

interface TokenVariables {
  readonly names: readonly string[]
  readonly purposes: readonly ForgeTokenPurpose[]
  /** True if the variables are for the host of the forge. */
  readonly isFor: (forge: ForgeHere, env: Environment) => boolean
  readonly refusal: (forge: ForgeHere) => TokenRefusal
}

/** Why a token is not for a host, and the cure. */
interface TokenRefusal {
  readonly why: string
  readonly hint: string
}

/**
 * The variables with a token, in the order in which they are tried. The GitHub CLI's own variables follow
 * its rules: https://cli.github.com/manual/gh_help_environment
 */
const VARIABLES: readonly TokenVariables[] = [
  {
    names: ['GH_TOKEN', 'GITHUB_TOKEN'],
    purposes: ['read'],
    isFor: (forge, env) => isCloud(tokenHost(forge)) || isHostOf(env.GITHUB_API_URL, forge),
    refusal: (forge) => ({
      why: 'because it is for github.com and ghe.com',
      hint: `Set GH_ENTERPRISE_TOKEN to a token of ${tokenHost(forge)}, and run: ${exportHost(forge)}`,
    }),
  },
  {
    names: ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'],
    purposes: ['read'],
    isFor: (forge, env) =>
      !isCloud(tokenHost(forge)) &&
      (isHostOf(env.GH_HOST && `https://${env.GH_HOST}`, forge) ||
        isHostOf(rawSetting(env, 'HOOKLINE_API_URL'), forge)),
    refusal: (forge) =>
      isCloud(tokenHost(forge))
        ? {
            why: 'because it is for GitHub Enterprise Server',
            hint: `Set GH_TOKEN to a token of ${tokenHost(forge)}.`,
          }
        : {
            why: 'because neither GH_HOST nor HOOKLINE_API_URL names this host',
            hint: `If it is for ${tokenHost(forge)}, run: ${exportHost(forge)}`,
          },
  },
  {
    names: ['HOOKLINE_GITHUB_TOKEN'],
    purposes: ['start', 'read'],
    isFor: isTrusted,
    refusal: ofGitHub,
  },
]

function ofGitHub(forge: ForgeHere): TokenRefusal {
  return {
    why: 'because it may be of github.com',
    hint: `If it is for ${tokenHost(forge)}, run: export HOOKLINE_API_URL=${forge.apiUrl.href}`,
  }
}

function exportHost(forge: ForgeHere): string {
  return `export GH_HOST=${tokenHost(forge)}`
}

/** HOOKLINE_GITHUB_TOKEN and an App of the environment are for github.com, or for the API that is named there. */
function isTrusted(forge: ForgeHere): boolean {
  return forge.isConfigured || tokenHost(forge) === 'github.com'
}

function isCloud(host: string): boolean {
  return host === 'github.com' || host.endsWith('.ghe.com')
}

function isHostOf(address: string | undefined, { apiUrl }: ForgeHere): boolean {
  return address !== undefined && URL.canParse(address) && new URL(address).host === apiUrl.host
}

/** The host that a token is given for: `github.com`, whose API is at `api.github.com`. */
export function tokenHost({ apiUrl: { host } }: ForgeHere): string {
  return host === 'api.github.com' || host.endsWith('.ghe.com') ? host.replace(/^api\./, '') : host
}

/** True if others could read a token on its way: http beyond this machine, and only a git remote says so. */
function isUnsafe({ apiUrl, isConfigured }: ForgeHere): boolean {
  return apiUrl.protocol === 'http:' && !isLoopback(apiUrl.hostname) && !isConfigured
}

/** The token of the environment for a forge, and why others are not used. */
export function chooseToken(
  forge: ForgeHere,
  purpose: ForgeTokenPurpose,
  env: Environment = process.env,
): { readonly chosen?: ForgeToken; readonly withheld: readonly Problem[] } {
  const set = VARIABLES.filter(({ purposes }) => purposes.includes(purpose)).flatMap((variables) =>
    variables.names.filter((name) => env[name]).map((name) => ({ ...variables, name })),
  )
  const unsafe = isUnsafe(forge)
  const usable = unsafe ? [] : set.filter(({ isFor }) => isFor(forge, env))
  const [first] = usable
  const withheld = set.flatMap((each): Problem[] => {
    if (unsafe) return [unencrypted(each.name, forge)]
    return usable.includes(each) ? [] : [otherHost(each.name, each.refusal(forge), forge)]
  })
  return {
    ...(first && {
      chosen: { token: readToken(first.name, env[first.name] ?? ''), from: first.name },
    }),
    withheld,
  }
}

/**
 * The token that `gh` has for the forge, which it stores for each host.
 *
 * @param ask returns the output of `gh auth token --hostname <host>`
 */
export function tokenOfGh(
  forge: ForgeHere,
  ask: (host: string) => string | undefined,
): ForgeToken | undefined {
  if (forge.kind !== 'github' || isUnsafe(forge)) return undefined
  const text = ask(tokenHost(forge))
  return text === undefined
    ? undefined
    : { token: readToken('gh auth token', text), from: 'gh auth token' }
}

/**
 * The forge, if the credentials of the environment are for it.
 *
 * @throws UserError for HOOKLINE_GITHUB_TOKEN or an App that is not sent to it
 */
export function trustedForge(forge: ForgeHere, env: Environment = process.env): ForgeHere {
  const name = ['HOOKLINE_GITHUB_TOKEN', 'HOOKLINE_APP_ID'].find((each) => env[each])
  if (name === undefined) return forge
  if (isUnsafe(forge)) throw new UserError(unencrypted(name, forge))
  if (isTrusted(forge)) return forge
  throw new UserError(otherHost(name, ofGitHub(forge), forge))
}

/**
 * Refuses to get a secret from the forge over http.
 *
 * @throws UserError if only the git remote names the http address
 */
export function refusePlainText(forge: ForgeHere, secret: string): ForgeHere {
  if (isUnsafe(forge)) throw new UserError(unencrypted(secret, forge))
  warnOfPlainText(forge)
  return forge
}

/** Tells that a token travels in plain text to an address that the user gave; to this machine nothing is told. */
export function warnOfPlainText({ apiUrl }: Pick<ForgeHere, 'apiUrl'>): void {
  warn(plainTextProblems(apiUrl))
}

/** The same for the API of a relay. */
export function plainTextProblems(apiUrl: URL): readonly Problem[] {
  if (apiUrl.protocol === 'https:' || isLoopback(apiUrl.hostname)) return []
  return [
    {
      message: `tokens travel to ${apiUrl.host} over http, so anyone on the way can read them`,
      hint: 'Use the https address of the API in HOOKLINE_API_URL.',
    },
  ]
}

/**
 * Asks the GitHub of the repository in this folder, with a token of the environment that is for it.
 *
 * @param command named in the error for another forge
 */
export async function githubHere(command: string): Promise<AskGitHub> {
  const forge = onlyGitHub(await forgeHere(), command)
  return githubAt(forge.apiUrl, readingToken(forge)?.token)
}

/** A token that reads a repository. Without one, it tells which tokens are not sent to this host. */
export function readingToken(
  forge: ForgeHere,
  env: Environment = process.env,
): ForgeToken | undefined {
  const { chosen, withheld } = chooseToken(forge, 'read', env)
  if (chosen) warnOfPlainText(forge)
  else warn(withheld)
  return chosen
}

function otherHost(name: string, { why, hint }: TokenRefusal, forge: ForgeHere): Problem {
  return { message: `${name} is not used for ${tokenHost(forge)}, ${why}`, hint }
}

function unencrypted(name: string, forge: ForgeHere): Problem {
  const https = new URL(forge.apiUrl)
  https.protocol = 'https:'
  return {
    message: `${name} is not sent to ${tokenHost(forge)}, because the git remote "origin" is an http address`,
    hint: `Run: export HOOKLINE_API_URL=${https.href}`,
    notes: ['anyone on the way can read a token that is sent over http'],
  }
}

/**
 * GitHub's page for a new fine-grained token, with name, owner, expiry and permissions filled in. The
 * repository has to be chosen there.
 *
 * @param permissions such as `contents` for write access, or `actions:read`
 */
export function tokenPage(
  name: string,
  repository: string,
  permissions: readonly string[],
  webUrl: string,
): string {
  const [owner = ''] = repository.split('/')
  const asked = new URLSearchParams({
    name: `hookline ${name}`,
    ...(owner && { target_name: owner }),
    expires_in: '90',
    ...Object.fromEntries(permissions.map((each) => [...each.split(':'), 'write'].slice(0, 2))),
  })
  return `${webUrl}/settings/personal-access-tokens/new?${asked}`
}

/**
 * A command of Hookline with the token that gh has for the forge. Without `--hostname`, gh may print its
 * token for github.com, which the forge must not receive.
 */
export function withTokenOfGh({ host, apiUrl, isConfigured }: ForgeHere, command: string): string {
  const shell = shellHere()
  const isCloud = host === 'github.com'
  const name = /^[\w.:-]+$/.test(host) ? host : shell.quoted(host)
  const printedBy = isCloud ? 'gh auth token' : `gh auth token --hostname ${name}`
  // Without the address, a token in HOOKLINE_GITHUB_TOKEN may be of github.com.
  const address = isCloud || isConfigured ? {} : { HOOKLINE_API_URL: { text: apiUrl.href } }
  return shell.having({ ...address, HOOKLINE_GITHUB_TOKEN: { printedBy } }, command)
}
