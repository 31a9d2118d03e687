/**
 * Exactly what Amazon writes, looked for in the text as it came: so nothing depends on how a URL
 * parser reads user info, ports, backslashes or line breaks.
 */
const ADDRESS =
  /^https:\/\/sns\.[a-z0-9-]{3,}\.amazonaws\.com(?:\.cn)?(\/[\w.~:/?#@!$&'()*+,;=%-]*)$/

/** The text when it is an HTTPS address at a host of SNS, without port or user info. */
export function snsUrl(text: unknown): string | undefined {
  return typeof text === 'string' && ADDRESS.test(text) ? text : undefined
}

/** The address of a signing certificate: a PEM file at a host of SNS, no call of its API. */
export function certificateUrl(text: unknown): string | undefined {
  const url = snsUrl(text)
  const [, path = ''] = ADDRESS.exec(url ?? '') ?? []
  return /^\/[\w-]+\.pem$/.test(path) ? url : undefined
}
