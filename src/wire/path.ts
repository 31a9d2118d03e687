import { baseAddress, parseAddress } from './address.ts'
import { UserError } from './errors.ts'

/** The parts of `client_payload.path`: `<workflow>/<trigger>[/<suffix>][?<query>]`. */
export interface WebhookPath {
  /** Workflow file name without its extension. */
  readonly workflow: string
  readonly trigger: string
  /** The part after the trigger, undecoded and with its leading slash; `/` if there is none. */
  readonly path: string
  /** The raw part after the first `?`; empty if there is none. */
  readonly querystring: string
}

/**
 * Parses a path, with or without a leading slash. Missing parts are empty strings; it never throws.
 */
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
 * True if a path after the repository names no trigger of a workflow: a single segment, a file with
 * its extension, or the file's whole path. The event is sent all the same, because a native
 * workflow may read it.
 */
export function lacksTrigger(path: string): boolean {
  const [workflow, rest] = splitOnce(splitOnce(path.replace(/^\//, ''), '?')[0], '/')
  return rest === '' || /\.ya?ml$/i.test(workflow) || workflow === '.github'
}

/** Percent-decodes a string; returns it unchanged if an escape is malformed. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The parts before and after a separator; without it, everything is before. */
export function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** The relay's own query parameters of a webhook URL. They are never forwarded. */
export const PARAMETER = {
  token: '__token',
  responseCode: '__response_code',
  responseContentType: '__response_content_type',
  responseBody: '__response_body',
} as const

/**
 * The values of the reserved parameters of a request, by name; the first value if one is repeated.
 */
export type ReservedParameters = ReadonlyMap<string, string>

/** Parameters that begin differently are not reserved, and need not be decoded. */
const MAYBE_RESERVED = /^(?:_|%5f)/i

const RESERVED: ReadonlySet<string> = new Set(Object.values(PARAMETER))

/**
 * Removes the reserved parameters from a raw query. Names are compared after percent-decoding,
 * every occurrence is removed, and the bytes of all others remain unchanged.
 *
 * @param query the raw part after the first `?`, or `undefined` if there is none
 * @returns the rest; `undefined` if nothing is left
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

/** Name and value of `name=value`, decoded as URLSearchParams does. */
function parameter(text: string): readonly [name: string, value: string] {
  if (!/[%+]/.test(text)) return splitOnce(text, '=')
  // The `&` keeps URLSearchParams from dropping a `?` at the beginning of the name.
  const [first] = new URLSearchParams(`&${text}`)
  return first ?? ['', '']
}

export interface WebhookAddress {
  /** Address of the relay: `https://relay.example`. */
  readonly relay: string
  /** `owner/name`; without it the URL has the self-hosted form, which contains no repository. */
  readonly repository: string | undefined
  /** Workflow file name without its extension. */
  readonly workflow: string
  readonly trigger: string
}

/** True if a forge accepts the string as the name of an account. Forgejo and Gitea allow dots within it. */
export function isOwner(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,38}$/.test(text)
}

/**
 * Whether GitHub accepts the string as the name of a repository; names of workflows follow the same
 * rule.
 */
export function isRepositoryName(text: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(text)
}

/** `owner/name` */
export function isRepository(text: string): boolean {
  const [owner, name] = splitOnce(text, '/')
  return isOwner(owner) && isRepositoryName(name)
}

/** Whether the string is a file name without extension that a URL can contain unescaped. */
export const isWorkflowName = isRepositoryName

export interface Repository {
  readonly owner: string
  readonly name: string
}

/** @param text a valid `owner/name` */
export function parseRepository(text: string): Repository {
  const [owner, name] = splitOnce(text, '/')
  return { owner, name }
}

/** The webhook URL, without a token. @throws UserError that names the invalid part */
export function webhookUrl({ relay, repository, workflow, trigger }: WebhookAddress): string {
  // The suffix of a git URL; GitHub does not allow it in a repository's name.
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
  return `${baseAddress(base)}/${place}/${name}/${trigger}`
}

function wrong(what: string, found: string, example: string): UserError {
  return new UserError({
    message: `${what} is ${JSON.stringify(found)}`,
    hint: `it looks like ${example}`,
  })
}
