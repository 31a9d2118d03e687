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
