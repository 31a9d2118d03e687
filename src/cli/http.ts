import type { Dispatcher } from 'undici'
import { byteString } from '../wire/bytes.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure, type HttpReply } from '../wire/http.ts'
import { record } from '../wire/json.ts'
import { Secret } from '../wire/secret.ts'

interface HttpCall {
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
      headers: record(
        Object.entries({ 'user-agent': 'hookline', ...call.headers }).map(([name, value]) => [
          name,
          byteString(value),
        ]),
      ),
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
    const { name, code } =
      error instanceof Error
        ? { code: undefined, ...error, name: error.name }
        : { name: '', code: undefined }
    if (name === 'TimeoutError') throw new HttpFailure('timeout', 'TimeoutError')
    // The library's message may hold the URL, so only its code is told.
    throw new HttpFailure('connection', typeof code === 'string' ? code : 'broken off')
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

/** Whether a host name, as a URL has it, is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** @throws UserError for anything but a whole number from 0 to 65535 */
export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UserError({
    message: `${JSON.stringify(text)} is no port`,
    hint: 'give a number from 0 to 65535; 0 takes a free one',
  })
}

/**
 * A secret from standard input, or from a variable of the environment: never from a flag, since
 * everyone on a machine can read the arguments of its processes.
 *
 * @throws UserError when standard input brings none
 */
export async function readSecret(
  variable: string,
  fromInput: boolean,
): Promise<Secret | undefined> {
  if (!fromInput) return fromEnvironment(variable)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const text = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (text === '') throw new UserError({ message: 'standard input brought no secret' })
  return new Secret(text)
}

/** An empty variable counts as absent. */
export function fromEnvironment(variable: string): Secret | undefined {
  const value = process.env[variable]
  return value ? new Secret(value) : undefined
}
