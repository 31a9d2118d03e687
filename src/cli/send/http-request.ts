import type { IncomingMessage, RequestOptions } from 'node:http'
import { httpFailure, proxyFor } from '../../action/http-client.ts'
import { byteString } from '../../wire/bytes.ts'
import type { HttpResponse } from '../../wire/http.ts'
import { record } from '../../wire/json.ts'

interface ExactRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Milliseconds until the whole response has arrived. */
  readonly timeout: number
}

/** Bytes. The response of a relay is much shorter. */
const MAX_BYTES = 1024 * 1024

/** The first MAX_BYTES of a body as text. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= MAX_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString()
}

/**
 * Sends a request unchanged, like its sender: a GET may have a body, no header is added, and the bytes of
 * header values stay. node-fetch refuses a GET with a body and adds headers.
 *
 * @throws HttpFailure if no complete response arrives
 */
export async function sendExactly(request: ExactRequest): Promise<HttpResponse> {
  const { method, url, headers, body, timeout } = request
  const proxy = await proxyFor(url)
  const isSecure = url.protocol === 'https:'
  const { request: begin } = await (isSecure ? import('node:https') : import('node:http'))
  const signal = AbortSignal.timeout(timeout)
  const options: RequestOptions = {
    method,
    agent: proxy ?? false,
    signal,
    protocol: url.protocol,
    port: url.port,
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
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = begin(options)
      sent.on('response', resolve).on('error', reject)
      // A connection that switches protocols closes without a response or an error.
      sent.on('close', () => reject(new Error('no response')))
      sent.end(body)
    })
    const joined = Object.entries(response.headersDistinct).map(
      ([name, values = []]) => [name, values.join(', ')] as const,
    )
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(joined),
      text: await beginningOf(response),
    }
  } catch (error) {
    throw httpFailure(error, signal.aborted, proxy)
  }
}
