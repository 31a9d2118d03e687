import type { IncomingMessage, ServerResponse } from 'node:http'
import { completed, errorReply } from '../../relay/answers.ts'
import type { RelayError } from '../../relay/errors.ts'
import { malformedRequest } from '../../relay/refusals.ts'
import { type RelayPorts, type RelayRequest, relay } from '../../relay/relay.ts'
import type { Reply } from '../../wire/reply.ts'
import { readBody } from '../node/body.ts'
import { type RunningServer, serveHttp } from '../node/http-server.ts'

export interface RelayServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly ports: RelayPorts
  /** Answers addresses of its own; returns false for all others, which are then the relay's. */
  readonly route?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** The relay behind node:http. */
export function serveRelay(options: RelayServerOptions): Promise<RunningServer> {
  const { host, port, ports, route } = options
  return serveHttp({
    host,
    port,
    answer: (request, response) => {
      if (!route?.(request, response)) void answer(request, response, ports)
    },
    refuse: (status) => onTheWire(refusal(malformedRequest(status), 'GET', ports)),
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ports: RelayPorts,
): Promise<void> {
  const reply = lacksOneHost(request)
    ? refusal(malformedRequest(400), request.method ?? 'GET', ports)
    : await relay(relayRequest(request), ports)
  if (response.destroyed) return
  response.writeHead(reply.status, framed(reply, request.method))
  response.end(reply.body)
}

function relayRequest(request: IncomingMessage): RelayRequest {
  return {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: request.rawHeaders,
    readBody: (limit) => readBody(request, limit),
  }
}

/** RFC 9112, section 3.2: an HTTP/1.1 request without one, or with two, is answered 400. */
function lacksOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  return httpVersion === '1.1' ? hosts.length !== 1 : hosts.length > 1
}

function refusal(error: RelayError, method: string, ports: RelayPorts): Reply {
  const delivery = ports.newDelivery()
  return completed(errorReply(error, delivery), method, delivery)
}

/** The headers of a reply, and the length of its body where it may have one. */
function framed({ status, headers, body }: Reply, method: string | undefined) {
  const bare = method === 'HEAD' || status === 204 || status === 304
  return Object.assign(bare ? {} : { 'content-length': Buffer.byteLength(body) }, headers)
}

/** An answer for a connection whose request could not be read, so that there is no response to write. */
function onTheWire(reply: Reply): string {
  const headers = { ...framed(reply, 'GET'), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('')}\r\n${reply.body}`
}
