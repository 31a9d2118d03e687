import { HttpFailure, type HttpReply, type HttpRequest } from '../wire/http.ts'
import { proxyAgent } from './proxy.ts'

/** Answers beyond this many bytes are not read. */
const LARGEST_ANSWER = 32 * 1024 * 1024

/** Calls a service with node-fetch, which is loaded with the first call. */
export async function http(request: HttpRequest): Promise<HttpReply> {
  const { default: fetch, AbortError } = await import('node-fetch')
  const { method, url, headers = {}, body = null, timeout } = request
  try {
    const signal = AbortSignal.timeout(timeout)
    const agent = await proxyAgent(url)
    const options = { method, headers: { ...headers }, body, signal, size: LARGEST_ANSWER, agent }
    const response = await fetch(url, { ...options, redirect: 'manual' })
    const names = Object.fromEntries(response.headers)
    return { status: response.status, headers: names, text: await response.text() }
  } catch (error) {
    // The library's message holds the URL, which may hold a token: only its code is told.
    const aborted = error instanceof AbortError
    throw new HttpFailure(aborted ? 'timeout' : 'connection', codeOf(error) ?? 'broken off')
  }
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code
  return typeof code === 'string' ? code : undefined
}
