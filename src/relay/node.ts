import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { whole } from '../wire/bytes.ts'
import type { Reply } from '../wire/reply.ts'
import { Secret } from '../wire/secret.ts'
import { errorReply, withStandardHeaders } from './answers.ts'
import { type Environment, type RelayConfig, readRelayConfig, relayPorts } from './config.ts'
import { malformedRequest, type RelayError } from './errors.ts'
import { type RunningServer, serveHttp } from './http-server.ts'
import { type NodeOutbox, openNodeOutbox } from './outbox/on-node.ts'
import { type OperatorOptions, withOperator } from './outbox/operator.ts'
import { platformPool } from './platform-pool.ts'
import { type RelayPorts, type RelayRequest, relay } from './relay.ts'

export interface RelayOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly env: Environment
  /** `owner/name`, for the self-hosted form. */
  readonly repository?: string | undefined
  /** File of the outbox, where there is one. */
  readonly outbox?: string | undefined
  /** Takes the lines of the log; standard output when absent. */
  readonly write?: (line: string) => void
}

/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong
 */
export async function startRelay(options: RelayOptions): Promise<RunningServer> {
  const { host, port, env, repository, write = lineWriter(process.stdout) } = options
  const config = await readRelayConfig(env, repository)
  const platform = platformPool(config.apiUrl)
  const { call } = platform
  const direct = relayPorts(config, call, write)
  const outbox =
    options.outbox === undefined
      ? undefined
      : await openNodeOutbox(options.outbox, env, config, { ports: direct, call, write })
  const ports = withOperator(outbox?.ports ?? direct, operatorOptions(env, config, outbox, write))
  const server = await serveRelay({ host, port, ports }).catch(async (error) => {
    await outbox?.close(0)
    throw error
  })
  await outbox?.start()
  const close = async () => {
    const started = performance.now()
    await server.close()
    await outbox?.close(STOP_TIME - (performance.now() - started))
    await platform.close()
  }
  return { url: server.url, close }
}

/** Milliseconds for the whole of a stop, with some left to those who stop the relay at ten seconds. */
const STOP_TIME = 9500

function operatorOptions(
  { HOOKLINE_OPERATOR_KEY: key }: Environment,
  { credentials }: RelayConfig,
  outbox: NodeOutbox | undefined,
  write: (line: string) => void,
): OperatorOptions {
  return {
    key: key ? new Secret(key) : undefined,
    outbox: outbox?.view,
    keys: credentials.sealKeys ?? [],
    log: (line) => write(JSON.stringify({ time: new Date().toISOString(), ...line })),
  }
}

interface RelayServerOptions {
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
  return withStandardHeaders(errorReply(error, delivery), method, delivery)
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

/**
 * Reads the body of a request to its end. Node's own iterator would destroy the connection when its
 * reader stops early, before the answer is sent on it; and this costs a good deal less.
 *
 * @throws RangeError as soon as more than `limit` bytes have come; what follows is thrown away
 */
function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const arrive = (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        request.off('data', arrive).resume()
        reject(new RangeError(`more than ${limit} bytes`))
      }
    }
    request.on('data', arrive)
    request.once('end', () => resolve(whole(chunks, size)))
    request.once('error', reject)
  })
}

/** Milliseconds that a line may wait for others. */
const DELAY = 20

/**
 * Writes lines, some at a time: a pipe is written to synchronously on Linux, and a system call for
 * every request would be felt. The process stays until the last line is written.
 */
function lineWriter(stream: Writable): (line: string) => void {
  let lines: string[] = []
  const flush = () => {
    stream.write(`${lines.join('\n')}\n`)
    lines = []
  }
  return (line) => {
    if (lines.push(line) === 1) setTimeout(flush, DELAY)
  }
}
