import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { byteString } from '../wire/bytes.ts'
import { errorCode, UserError } from '../wire/errors.ts'
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
export async function httpCall(call: HttpCall): Promise<HttpReply> {
  const { method, url, headers = {}, body = new Uint8Array(), timeout } = call
  const agent = await proxyFor(url)
  // A client of more abilities would take as long to load as all else that a command needs.
  const isSecure = url.protocol === 'https:'
  const { request } = await (isSecure ? import('node:https') : import('node:http'))
  const signal = AbortSignal.timeout(timeout)
  const options: RequestOptions = {
    ...{ method, agent, signal, protocol: url.protocol, port: url.port },
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    path: url.pathname + url.search,
    headers: record(
      Object.entries({
        'user-agent': 'hookline',
        ...headers,
        ...(body.length > 0 && { 'content-length': String(body.length) }),
      }).map(([name, value]) => [name, byteString(value)]),
    ),
  }
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(options)
      sent.on('response', resolve).on('error', reject)
      // What switches to another protocol ends without either of them.
      sent.on('close', () => reject(new Error('no answer')))
      sent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
        if (statusCode !== 200) sent.destroy(new Error('the proxy refuses'))
      })
      sent.end(body)
    })
    const joined = Object.entries(answer.headersDistinct).map(
      ([name, values = []]) => [name, values.join(', ')] as const,
    )
    return {
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(joined),
      text: await text(answer),
    }
  } catch (error) {
    if (signal.aborted) throw new HttpFailure('timeout', 'TimeoutError')
    // The message may hold the URL, so only its code is told.
    throw new HttpFailure('connection', errorCode(error) ?? 'broken off')
  }
}

/** The proxy that the environment names, but never for this machine itself; `false` for none. */
async function proxyFor(url: URL): Promise<Agent | false> {
  if (isLoopback(url.hostname)) return false
  const { proxyAgent } = await import('../action/http.ts')
  try {
    return (await proxyAgent(url.href)) ?? false
  } catch {
    throw new HttpFailure('connection', 'the proxy has no valid address')
  }
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
    message: `${JSON.stringify(text)} is not a port`,
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
  const secret = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (secret === '') throw new UserError({ message: 'standard input brought no secret' })
  return new Secret(secret)
}

/** An empty variable counts as absent. */
export function fromEnvironment(variable: string): Secret | undefined {
  const value = process.env[variable]
  return value ? new Secret(value) : undefined
}
