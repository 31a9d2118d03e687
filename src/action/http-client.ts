import type { ClientRequest } from 'node:http'
import type { HttpsProxyAgent } from 'https-proxy-agent'
import { isLoopback } from '../wire/address.ts'
import { errorCode } from '../wire/errors.ts'
import { HttpFailure, type HttpRequest, type HttpResponse } from '../wire/http.ts'

/** Responses are read up to this many bytes. */
const LARGEST_ANSWER = 32 * 1024 * 1024

/**
 * Calls a service with node-fetch, which is loaded with the first call. It follows no redirect,
 * because the redirect would get the token.
 *
 * @throws HttpFailure if the response is missing or incomplete
 */
export async function http(request: HttpRequest): Promise<HttpResponse> {
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

/**
 * Why a response is missing. The library's message contains the URL, which may contain a token, so
 * only its code is used.
 */
export function httpFailure(
  error: unknown,
  isLate: boolean,
  agent: ProxyAgent | undefined,
): HttpFailure {
  // A host name without a dot or a colon may be a password in the wrong place, so it is not shown.
  const host = agent?.proxy.host
  const through = host === undefined || /[.:]/.test(host) ? host : 'of the environment'
  if (isLate) return new HttpFailure('timeout', 'TimeoutError', through)
  const refusal = agent && refusals.get(agent)
  const detail = refusal ?? errorCode(error) ?? 'broken off'
  return new HttpFailure('connection', detail, through)
}

type ProxyAgent = HttpsProxyAgent<string>

const refusals = new WeakMap<ProxyAgent, string>()

/**
 * An agent for the proxy in `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, if any; never
 * for this machine itself. It is for one call, because an agent remembers the refusal of its proxy.
 *
 * @throws HttpFailure if the variable contains no address
 */
export async function proxyFor(url: URL): Promise<ProxyAgent | undefined> {
  if (isLoopback(url.hostname)) return undefined
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url.href)
  if (proxy === '') return undefined
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  let agent: ProxyAgent
  try {
    agent = new HttpsProxyAgent(proxy)
  } catch {
    throw new HttpFailure('connection', 'the proxy has no valid address')
  }
  // Otherwise the refusal of the proxy would count as the response of the service.
  agent.on('proxyConnect', ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
    if (statusCode === 200) return
    const isLogin = statusCode === 407
    const refusal = isLogin ? 'it wants a user and a password: 407' : `it answers ${statusCode}`
    refusals.set(agent, refusal)
    request.destroy(new Error('the proxy refused'))
  })
  return agent
}
