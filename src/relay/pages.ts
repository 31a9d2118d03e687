import type { Reply } from '../wire/reply.ts'

const TEXT = 'text/plain; charset=utf-8'

const HELP = `This is a Hookline relay. It forwards a request to

  /<owner>/<repo>/<workflow>/<trigger>

as a repository_dispatch event, and so starts the GitHub Actions workflow that waits for it.
The token belongs in the header X-Platform-Authorization.
`

export interface Page {
  readonly contentType: string
  readonly body: string
}

/** Pages by their path. */
export type Pages = ReadonlyMap<string, Page>

export const RELAY_PAGES: Pages = new Map([
  ['/', { contentType: TEXT, body: HELP }],
  ['/healthz', { contentType: TEXT, body: 'ok' }],
])

/** The page that a request asks for; `undefined` when it asks for none. */
export function visited(pages: Pages, method: string, path: string): Reply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const found = pages.get(path)
  if (!found) return undefined
  return { status: 200, headers: { 'content-type': found.contentType }, body: found.body }
}
