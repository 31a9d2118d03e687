import { baseOf, parseAddress } from './address.ts'
import { UserError } from './errors.ts'

/** `client_payload.path` taken apart: `<workflow>/<trigger>[/<suffix>][?<query>]`. */
export interface WebhookPath {
  /** Workflow file name without its extension. */
  readonly workflow: string
  readonly trigger: string
  /** What follows the trigger, undecoded and with its leading slash; `/` when nothing follows. */
  readonly path: string
  /** Raw text after the first `?`; empty when there is none. */
  readonly querystring: string
}

/** A leading slash is accepted. Missing parts are empty strings: no path makes this throw. */
export function parseWebhookPath(text: string): WebhookPath {
  const [route, querystring] = splitOnce(text.startsWith('/') ? text.slice(1) : text, '?')
  const [workflow, rest] = splitOnce(route, '/')
  const [trigger, suffix] = splitOnce(rest, '/')
  return {
    workflow: decodePercent(workflow),
    trigger: decodePercent(trigger),
    path: `/${suffix}`,
    querystring,
  }
}

/**
 * True for what follows a repository but names no trigger of a workflow: one segment alone, a file with
 * its extension, or its whole path. Native workflows may still read it.
 */
export function lacksTrigger(path: string): boolean {
  const [workflow, rest] = splitOnce(splitOnce(path.replace(/^\//, ''), '?')[0], '/')
  return rest === '' || /\.ya?ml$/i.test(workflow) || workflow === '.github'
}

/** Percent-decodes, or returns the text as it came when an escape in it is malformed. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What stands before a separator and after it; all is before where there is none. */
export function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** The query parameters of a webhook URL that are the relay's own, and are never forwarded. */
export const PARAMETER = {
  token: '__token',
  responseCode: '__response_code',
  responseContentType: '__response_content_type',
  responseBody: '__response_body',
  batch: '__batch',
  quiet: '__debounce',
} as const

/** Values of the reserved parameters of a request by name: of each the first one. */
export type ReservedParameters = ReadonlyMap<string, string>

/** Most parameters are seen at a glance to be others, and need not be decoded. */
const MAYBE_RESERVED = /^(?:_|%5f)/i

const RESERVED: ReadonlySet<string> = new Set(Object.values(PARAMETER))

/**
 * Takes the reserved parameters out of a raw query. Names are compared after percent-decoding, every
 * repeat is cut, and the bytes of all others stay as they came.
 *
 * @param query raw text after the first `?`, or `undefined` when there is none
 * @returns what is left, `undefined` when nothing is
 */
export function cutReservedParameters(query: string | undefined): {
  query: string | undefined
  reserved: ReservedParameters
} {
  if (query === undefined) return { query, reserved: new Map() }
  const reserved = new Map<string, string>()
  const kept = query.split('&').filter((text) => {
    if (!MAYBE_RESERVED.test(text)) return true
    const [name, value] = parameter(text)
    if (!RESERVED.has(name)) return true
    if (!reserved.has(name)) reserved.set(name, value)
    return false
  })
  return { query: kept.length > 0 ? kept.join('&') : undefined, reserved }
}

/** Name and value of one `name=value`, decoded as URLSearchParams does. */
function parameter(text: string): readonly [name: string, value: string] {
  if (!/[%+]/.test(text)) return splitOnce(text, '=')
  // The `&` keeps URLSearchParams from dropping a `?` that begins the name.
  const [first] = new URLSearchParams(`&${text}`)
  return first ?? ['', '']
}

/** What a webhook URL is made of. */
export interface WebhookAddress {
  /** Address of the relay: `https://relay.example`. */
  readonly relay: string
  /** `owner/name`; without it the URL has the self-hosted form, which names no repository. */
  readonly repository: string | undefined
  /** Workflow file name without its extension. */
  readonly workflow: string
  readonly trigger: string
}

/** What GitHub takes as the name of an account. */
export function isOwner(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/.test(text)
}

/** What GitHub takes as the name of a repository, which is also what a workflow can be named. */
export function isRepositoryName(text: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(text)
}

/** `owner/name` */
export function isRepository(text: string): boolean {
  const [owner, name] = splitOnce(text, '/')
  return isOwner(owner) && isRepositoryName(name)
}

/** A file name without its extension that a URL can carry as it is. */
export function isWorkflowName(text: string): boolean {
  return isRepositoryName(text)
}

/** The webhook URL, still without a token. @throws UserError naming the part that is wrong */
export function webhookUrl({ relay, repository, workflow, trigger }: WebhookAddress): string {
  // The end of an address of git: GitHub lets no repository be named so.
  if (repository?.endsWith('.git')) {
    throw wrong('the repository', repository, repository.slice(0, -'.git'.length))
  }
  const base = parseAddress(relay)
  if (!base || base.search) {
    throw wrong('the address of the relay', relay, 'https://relay.example')
  }
  if (repository !== undefined && !isRepository(repository)) {
    throw wrong('the repository', repository, 'owner/name')
  }
  const name = workflow.replace(/\.ya?ml$/, '')
  if (!isWorkflowName(name)) throw wrong('the workflow', workflow, 'its file name: deploy')
  if (!/^\w+$/.test(trigger)) throw wrong('the trigger', trigger, 'webhook')
  const place = repository ?? 'webhook'
  return `${baseOf(base)}/${place}/${name}/${trigger}`
}

/** The URL with what goes into `__token`, already percent-encoded, or a variable of the shell. */
export function withToken(url: string, token: string): string {
  return `${url}?__token=${token}`
}

function wrong(what: string, found: string, example: string): UserError {
  return new UserError({
    message: `${what} is ${JSON.stringify(found)}`,
    hint: `it looks like ${example}`,
  })
}
