import { ANSWER_BYTES, PlatformFault, type PlatformPost } from '../../relay/platform.ts'

/** Calls the platform by the runtime's own fetch, which pools connections by itself. */
export function platformFetch(apiUrl: URL): PlatformPost {
  return async ({ path, headers, body, timeout }) => {
    const signal = AbortSignal.timeout(timeout)
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
    const response = await fetch(`${apiUrl.origin}${path}`, init).catch((cause) => {
      // A fetch does not tell how far it came, so nobody knows whether GitHub has the event.
      throw new PlatformFault('no answer', { sent: true, cause })
    })
    const { status, ok } = response
    // What the platform says of an accepted event is of no use to anyone.
    const text = ok ? '' : await beginning(response)
    return { status, header: (name) => response.headers.get(name) ?? undefined, text }
  }
}

/** What comes in time of the first 64 KB of an answer. */
async function beginning({ body }: Response): Promise<string> {
  const chunks: string[] = []
  const decoder = new TextDecoder()
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size > ANSWER_BYTES) break
      chunks.push(decoder.decode(chunk, { stream: true }))
    }
  } catch {
    // Its status is known, and is what decides.
  }
  return chunks.join('')
}
