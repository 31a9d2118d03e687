import type { Dispatcher } from 'undici'
import { byteString } from '../../wire/bytes.ts'
import { HttpFailure, type HttpReply } from '../../wire/http.ts'
import { record } from '../../wire/json.ts'
import { isLoopback } from './loopback.ts'

export interface HttpCall {
  readonly method: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Until the whole answer is there, in milliseconds. */
  readonly timeout: number
}

/**
 * Sends one request just as it is, and follows no redirect: a token must not go elsewhere.
 *
 * @throws HttpFailure when no whole answer came
 */
export async function httpCall({ url, timeout, body, ...call }: HttpCall): Promise<HttpReply> {
  const client = await clientFor(url)
  try {
    const answer = await client.request({
      origin: url.origin,
      // The library's type knows the methods of RFC 9110; whatever the person asks for is sent.
      method: call.method as 'GET',
      path: url.pathname + url.search,
      headers: rawHeaders({ 'user-agent': 'hookline', ...call.headers }),
      body: body && body.length > 0 ? body : null,
      signal: AbortSignal.timeout(timeout),
    })
    const headers = Object.entries(answer.headers).map(([name, value]) => [
      name,
      [value].flat().join(', '),
    ])
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(headers),
      text: await answer.body.text(),
    }
  } catch (error) {
    throw failure(error)
  } finally {
    await client.destroy()
  }
}

/** By way of the proxy that the environment names, but never to this machine itself. */
async function clientFor(url: URL): Promise<Dispatcher> {
  // Loaded only here: it would double the time that `hookline --help` takes.
  const [{ Client, ProxyAgent }, { getProxyForUrl }] = await Promise.all([
    import('undici'),
    import('proxy-from-env'),
  ])
  const proxy = isLoopback(url.hostname) ? '' : getProxyForUrl(url.href)
  if (proxy === '') return new Client(url.origin)
  if (!URL.canParse(proxy)) throw new HttpFailure('connection', 'the proxy has no valid address')
  return new ProxyAgent(proxy)
}

function rawHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return record(Object.entries(headers).map(([name, value]) => [name, byteString(value)]))
}

/** The library's message may hold the URL, so only its code is told. */
function failure(error: unknown): HttpFailure {
  const { name, code } =
    error instanceof Error
      ? { code: undefined, ...error, name: error.name }
      : { name: '', code: undefined }
  if (name === 'TimeoutError') return new HttpFailure('timeout', 'TimeoutError')
  return new HttpFailure('connection', typeof code === 'string' ? code : 'broken off')
}
