/** Headers that each client sets by itself, so that a request is sent without those of its first client. */
export const CLIENT_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'accept-encoding',
])
