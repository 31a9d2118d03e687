import type { HttpsProxyAgent } from 'https-proxy-agent'
import { errorCode } from '../wire/errors.ts'
import { HttpFailure, type HttpReply, type HttpRequest } from '../wire/http.ts'

/** Answers beyond this many bytes are not read. */
const LARGEST_ANSWER = 32 * 1024 * 1024

/** Calls a service with node-fetch, which is loaded with the first call. */
export async function http(request: HttpRequest): Promise<HttpReply> {
  const { default: fetch, AbortError } = await import('node-fetch')
  const { method, url, headers = {}, timeout } = request
  const body = typeof request.body === 'object' ? Buffer.from(request.body) : (request.body ?? null)
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
    throw new HttpFailure(aborted ? 'timeout' : 'connection', errorCode(error) ?? 'broken off')
  }
}

export type ProxyAgent = HttpsProxyAgent<string>

/** Through the proxy that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name, if they do. */
export async function proxyAgent(url: string): Promise<ProxyAgent | undefined> {
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url)
  if (proxy === '') return undefined
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(proxy)
}
