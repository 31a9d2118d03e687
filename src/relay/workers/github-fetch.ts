import { type GitHubCall, GitHubCallError, RESPONSE_BYTES } from '../../wire/github-api.ts'

/** Calls GitHub by the runtime's own fetch, which pools connections by itself. */
export function githubFetch({ origin }: URL): GitHubCall {
  return async ({ method = 'POST', path, headers, body, timeout, reads, responseBytes }) => {
    const signal = AbortSignal.timeout(timeout)
    const init = { method, headers, signal, redirect: 'manual', ...(body && { body }) } as const
    const response = await fetch(origin + path, init).catch((cause) => {
      throw new GitHubCallError('no answer', { sent: !neverLeft(cause), cause })
    })
    // Each property of a response is a call of the runtime.
    const { status, headers: answered } = response
    const text = status < 300 && !reads ? '' : await beginning(response, responseBytes)
    return { status, header: (name) => answered.get(name) ?? undefined, text }
  }
}

/**
 * True for a name that is not found, and for TLS that fails: the runtime calls these, and nothing that
 * comes later, an internal error. A connection that is refused it calls lost, as one that is cut when
 * the request has arrived; so nobody can tell those apart.
 */
function neverLeft(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith('internal error')
}

/** The first bytes of a response, as far as they arrive in time. */
async function beginning({ body }: Response, most = RESPONSE_BYTES): Promise<string> {
  const chunks: string[] = []
  const decoder = new TextDecoder()
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size > most) break
      chunks.push(decoder.decode(chunk, { stream: true }))
    }
  } catch {
    // Its status is known, and is what decides.
  }
  return chunks.join('')
}
