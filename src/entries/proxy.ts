import type { Agent } from 'node:http'

/**
 * An agent that goes through the proxy which `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`
 * name for an address; `undefined` when they name none.
 */
export async function proxyAgent(url: string): Promise<Agent | undefined> {
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url)
  if (proxy === '') return undefined
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(proxy)
}
