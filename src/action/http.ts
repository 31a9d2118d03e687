import type { HttpsProxyAgent } from 'https-proxy-agent'
import { isLoopback } from '../wire/address.ts'
import { errorCode } from '../wire/errors.ts'
import { HttpFailure, type HttpReply, type HttpRequest } from '../wire/http.ts'

/** Answers beyond this many bytes are not read. */
const LARGEST_ANSWER = 32 * 1024 * 1024

/**
 * Calls a service with node-fetch, which is loaded with the first call. Follows no redirect: a token must
 * not go elsewhere.
 *
 * @throws HttpFailure when no whole answer came
 */
export async function http(request: HttpRequest): Promise<HttpReply> {
  const { default: fetch, AbortError } = await import('node-fetch')
  const { method, url, headers = {}, timeout } = request
  const body = typeof request.body === 'object' ? Buffer.from(request.body) : (request.body ?? null)
  const agent = await proxyFor(new URL(url))
  try {
    const signal = AbortSignal.timeout(timeout)
    const all = { 'user-agent': 'hookline', ...headers }
    const options = { method, headers: all, body, signal, size: LARGEST_ANSWER, agent }
    const response = await fetch(url, { ...options, redirect: 'manual' })
    const names = Object.fromEntries(response.headers)
    return { status: response.status, headers: names, text: await response.text() }
  } catch (error) {
    throw httpFailure(error, error instanceof AbortError, agent)
  }
}

/** Why no answer came. The library's message holds the URL, which may hold a token: only its code is told. */
export function httpFailure(
  error: unknown,
  isLate: boolean,
  agent: ProxyAgent | undefined,
): HttpFailure {
  const through = agent && shownHost(agent.proxy.host)
  if (isLate) return new HttpFailure('timeout', 'TimeoutError', through)
  const refusal = agent && refusals.get(agent)
  const detail = refusal ?? errorCode(error) ?? 'broken off'
  return new HttpFailure('connection', detail, through)
}

/** A word alone may be a password in the wrong place. */
function shownHost(host: string): string {
  return /[.:]/.test(host) ? host : 'of the environment'
}

export type ProxyAgent = HttpsProxyAgent<string>

/** What a proxy said that did not connect. */
const refusals = new WeakMap<ProxyAgent, string>()

/**
 * The way through the proxy that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name, if they
 * do; but never to this machine itself. For one call: an agent remembers what its proxy refused.
 *
 * @throws HttpFailure where what they name is no address
 */
export async function proxyFor(url: URL): Promise<ProxyAgent | undefined> {
  if (isLoopback(url.hostname)) return undefined
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url.href)
  if (proxy === '') return undefined
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  const agent = proxyAgent(() => new HttpsProxyAgent(proxy))
  // Else its refusal would count as the answer of who is called.
  agent.on('proxyConnect', ({ statusCode }: { statusCode: number }, request: Destroyable) => {
    if (statusCode === 200) return
    refusals.set(agent, refusalOf(statusCode))
    request.destroy(new Error('the proxy refused'))
  })
  return agent
}

interface Destroyable {
  destroy(error: Error): void
}

function proxyAgent(make: () => ProxyAgent): ProxyAgent {
  try {
    return make()
  } catch {
    throw new HttpFailure('connection', 'the proxy has no valid address')
  }
}

function refusalOf(status: number): string {
  return status === 407 ? 'it wants a user and a password: 407' : `it answers ${status}`
}
