import type { IncomingMessage, RequestOptions } from 'node:http'
import { httpFailure, proxyFor } from '../../action/http.ts'
import { byteString } from '../../wire/bytes.ts'
import type { HttpReply } from '../../wire/http.ts'
import { record } from '../../wire/json.ts'

interface ExactRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Until the whole answer is there, in milliseconds. */
  readonly timeout: number
}

/** Bytes of an answer: what is longer is no relay's. */
const MOST_BYTES = 1024 * 1024

/** Its text, as far as it is read; the rest is not waited for. */
async function beginningOf(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= MOST_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MOST_BYTES).toString()
}

/**
 * Sends one request just as it is, as its sender would: a GET may have a body, no header is added, and
 * the bytes of a value stay. A client that helps, such as node-fetch, refuses the one and does the other.
 *
 * @throws HttpFailure when no whole answer came
 */
export async function sendExactly(request: ExactRequest): Promise<HttpReply> {
  const { method, url, headers, body, timeout } = request
  const proxy = await proxyFor(url)
  const isSecure = url.protocol === 'https:'
  const { request: begin } = await (isSecure ? import('node:https') : import('node:http'))
  const signal = AbortSignal.timeout(timeout)
  const options: RequestOptions = {
    ...{ method, agent: proxy ?? false, signal, protocol: url.protocol, port: url.port },
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
      const sent = begin(options)
      sent.on('response', resolve).on('error', reject)
      // What switches to another protocol ends without either of them.
      sent.on('close', () => reject(new Error('no answer')))
      sent.end(body)
    })
    const joined = Object.entries(answer.headersDistinct).map(
      ([name, values = []]) => [name, values.join(', ')] as const,
    )
    return {
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(joined),
      text: await beginningOf(answer),
    }
  } catch (error) {
    throw httpFailure(error, signal.aborted, proxy)
  }
}
