import { appJwt, readAppKey } from '../../relay/credentials/github-app.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { type GitHubRefusal, jsonOf, listOf } from '../../wire/github-api.ts'
import { HttpFailure } from '../../wire/http.ts'
import { printable } from '../../wire/printable.ts'
import { Secret } from '../../wire/secret.ts'
import { checkedRepository, readSetting } from '../../wire/settings.ts'
import { originRepository } from '../files.ts'
import {
  type ForgeHere,
  forgeHere,
  onlyGitHub,
  readingToken,
  tokenVariables,
  trustedForge,
} from '../forge.ts'
import { type AskGitHub, type AskOptions, githubAt } from '../github-client.ts'
import { unreachableHint } from '../request-faults.ts'

/** Which webhook: of a repository, of an organization, or of a GitHub App. */
export interface WebhookOptions {
  readonly repository?: string
  readonly organization?: string
  readonly app?: boolean
  readonly hook?: string
}

/** A webhook of GitHub, and how to ask about its deliveries. */
export interface GitHubWebhook {
  /** `octo/shop`, `octo`, or `app`. */
  readonly owner: string
  /** Host of GitHub's pages. */
  readonly host: string
  /** Path of its deliveries: `/repos/octo/shop/hooks/1/deliveries`. */
  readonly path: string
  readonly ask: AskGitHub
  /** Names the settings to check if GitHub refuses a request. */
  readonly refusalHint: string
}

/** Finds the webhook that the options name. @throws UserError if there is none, or more than one */
export async function findWebhook(options: WebhookOptions): Promise<GitHubWebhook> {
  const { app, organization } = options
  const forge = onlyGitHub(await forgeHere(), 'redeliver')
  const { host } = forge
  if (app) {
    const ask = await askAsApp(forge)
    const refusalHint =
      'Check that HOOKLINE_APP_ID is the id of the App, that HOOKLINE_APP_KEY is one of its private keys, and that its webhook is active.'
    return { owner: 'the App', host, path: '/app/hook/deliveries', ask, refusalHint }
  }
  const owner = organization ?? checkedRepository(options.repository ?? ownRepository())
  const base = organization ? `/orgs/${encodeURIComponent(owner)}` : `/repos/${owner}`
  const permission = organization
    ? '"Organization webhooks: write" (classic tokens: admin:org_hook)'
    : '"Webhooks: write" (classic tokens: admin:repo_hook)'
  const [variable] = tokenVariables(forge)
  const token = readingToken(forge)
  if (!token) throw new UserError(missingToken(forge, variable, permission))
  const ask = githubAt(forge.apiUrl, token)
  const refusalHint = `Check the name and --hook, and set ${variable} to a token with ${permission}.`
  const found = { owner, host, ask, refusalHint }
  const hook = options.hook ?? (await onlyHook(base, { ...found, path: base }))
  return { ...found, path: `${base}/hooks/${hook}/deliveries` }
}

function missingToken({ host }: ForgeHere, variable: string, permission: string): Problem {
  const unused = ['GH_TOKEN', 'GITHUB_TOKEN', 'HOOKLINE_GITHUB_TOKEN'].find(
    (name) => process.env[name],
  )
  return {
    message: `${variable} is not set`,
    hint: `Set ${variable} to a token of ${host} with ${permission}.`,
    ...(unused && {
      notes: [`${unused} is not used for ${host}, because it may be of github.com`],
    }),
  }
}

function ownRepository(): string {
  const repository = originRepository()
  if (repository !== '') return repository
  throw new UserError({
    message: 'the repository is unknown, because there is no git remote origin',
    hint: 'Add --repository owner/name, --organization name, or --app.',
  })
}

/** Signs a token for each request, because one is good for nine minutes only. */
async function askAsApp(forge: ForgeHere): Promise<AskGitHub> {
  const { apiUrl } = trustedForge(forge)
  const id = readSetting(process.env, 'HOOKLINE_APP_ID')
  const pem = readSetting(process.env, 'HOOKLINE_APP_KEY')?.reveal()
  if (id === undefined || pem === undefined) {
    throw new UserError({
      message: '--app needs HOOKLINE_APP_ID and HOOKLINE_APP_KEY',
      hint: 'Set both variables: id and private key of the App.',
    })
  }
  const key = await readAppKey(pem).catch((cause: unknown) => {
    throw new UserError(
      { message: 'HOOKLINE_APP_KEY is not a private key in PEM format' },
      { cause },
    )
  })
  return async (path, options) => {
    const token = new Secret(await appJwt(id, key, new Date()))
    return githubAt(apiUrl, token)(path, options)
  }
}

async function onlyHook(base: string, webhook: GitHubWebhook): Promise<string> {
  const { text } = await askAbout(webhook, `${base}/hooks?per_page=100`)
  const hooks = listOf(jsonOf(text))
  const [first] = hooks
  if (first && hooks.length === 1) return String(first.id)
  if (!first) {
    throw new UserError({
      message: `${webhook.owner} has no webhook`,
      hint: 'A webhook of an organization or of a GitHub App: add --organization name, or --app.',
    })
  }
  throw new UserError({
    message: `${webhook.owner} has ${hooks.length} webhooks`,
    hint: `Add --hook with one of these ids: ${hooks.map(({ id }) => id).join(', ')}`,
    notes: hooks.map((hook) => `${hook.id}: ${hostOf(hook)}, ${listedEvents(hook)}`),
  })
}

/** Only the host, because the rest of the URL may contain a token. */
function hostOf({ config }: Record<string, unknown>): string {
  const [{ url } = { url: '' }] = listOf([config])
  return URL.canParse(String(url)) ? new URL(String(url)).host : 'no address'
}

function listedEvents({ events }: Record<string, unknown>): string {
  return printable([events].flat().join(', '))
}

/** GitHub's response to a request about a webhook. @throws UserError if GitHub refuses it, or is unreachable */
export async function askAbout(webhook: GitHubWebhook, path: string, options?: AskOptions) {
  const { answer, refusal } = await webhook.ask(path, options).catch((cause: unknown) => {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(cause, 'Check the network and HOOKLINE_API_URL.')
    throw new UserError({ message: `GitHub is unreachable: ${cause.message}`, hint }, { cause })
  })
  if (refusal) throw refusedError(webhook, refusal)
  return answer
}

export function refusedError(webhook: GitHubWebhook, refusal: GitHubRefusal): UserError {
  const { status, kind } = refusal
  const message = `GitHub refuses the request about the webhook of ${webhook.owner} (status ${status})`
  if (kind === 'limited')
    return new UserError({ message, hint: "Wait for GitHub's rate limit to end." })
  const isTemporary = kind === 'failed' || kind === 'unavailable'
  return new UserError({
    message,
    hint: isTemporary
      ? 'Run the command again later. Check https://www.githubstatus.com.'
      : webhook.refusalHint,
  })
}
