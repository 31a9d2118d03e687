import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { whole } from '../wire/bytes.ts'
import type { Reply } from '../wire/reply.ts'
import { Secret } from '../wire/secret.ts'
import { errorReply, withStandardHeaders } from './answers.ts'
import {
  type Environment,
  type RelayConfig,
  readNumber,
  readRelayConfig,
  relayPorts,
} from './config.ts'
import { malformedRequest, type RelayError } from './errors.ts'
import { type ClientLimits, type RunningServer, serveHttp } from './http-server.ts'
import { logWriter } from './log-writer.ts'
import { type NodeOutbox, openNodeOutbox } from './outbox/on-node.ts'
import { type OperatorOptions, withOperator } from './outbox/operator.ts'
import { platformPool } from './platform-pool.ts'
import { type Packer, type RelayPorts, type RelayRequest, relay } from './relay.ts'

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
  /** What a client may take, where the usual bounds are not meant. */
  readonly limits?: Partial<ClientLimits>
}

/** Sockets of clients; what comes beyond is closed. */
const MOST_CONNECTIONS = 5000

const pack = promisify(gzip)

/** Level 1 takes a fifth of the time of level 6, which packs a tenth more. */
const PACKERS: readonly Packer[] = [
  (bytes) => pack(bytes, { level: 1 }),
  (bytes) => pack(bytes, { level: 6 }),
]

/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong
 */
export async function startRelay(options: RelayOptions): Promise<RunningServer> {
  const { host, port, env, repository, limits } = options
  const config = await readRelayConfig(env, repository)
  const platform = platformPool(config.apiUrl)
  const log = options.write ? undefined : standardLog()
  const write = options.write ?? log ?? (() => {})
  const { call } = platform
  const direct = relayPorts(config, call, write, PACKERS)
  const maxConnections = readNumber(env, 'HOOKLINE_MAX_CONNECTIONS', MOST_CONNECTIONS)
  const outbox =
    options.outbox === undefined
      ? undefined
      : await openNodeOutbox(options.outbox, env, config, { ports: direct, call, write })
  const ports = withOperator(outbox?.ports ?? direct, operatorOptions(env, config, outbox, write))
  const bounds = { maxConnections, ...limits }
  const server = await serveRelay({ host, port, ports, limits: bounds }).catch(async (error) => {
    await outbox?.close(0)
    throw error
  })
  await outbox?.start()
  const close = async () => {
    const started = performance.now()
    await server.close()
    await outbox?.close(STOP_TIME - (performance.now() - started))
    await Promise.all([platform.close(), log?.close()])
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

/** Standard output, as long as somebody takes it. */
function standardLog() {
  // Nobody may be there to be told that nobody is there.
  process.stderr.on('error', () => {})
  return logWriter(1, (text) => process.stderr.write(`hookline relay: ${text}\n`))
}

interface RelayServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly ports: RelayPorts
  readonly limits?: Partial<ClientLimits>
  /** Answers addresses of its own; returns false for all others, which are then the relay's. */
  readonly route?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** The relay behind node:http. */
export function serveRelay(options: RelayServerOptions): Promise<RunningServer> {
  const { host, port, ports, route, limits } = options
  return serveHttp({
    host,
    port,
    ...(limits && { limits }),
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
    readBody: (limit, arrived) => readBody(request, limit, arrived),
  }
}

/** RFC 9112, section 3.2: an HTTP/1.1 request without one, or with two, is answered 400. */
function lacksOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (/^host$/i.test(rawHeaders[at] ?? '')) hosts++
  }
  return httpVersion === '1.1' ? hosts !== 1 : hosts > 1
}

function refusal(error: RelayError, method: string, ports: RelayPorts): Reply {
  const delivery = ports.newDelivery()
  return withStandardHeaders(errorReply(error, delivery), method, delivery)
}

/** The headers of a reply, and the length of its body where it may have one. */
function framed({ status, headers, body }: Reply, method: string | undefined) {
  const bare = method === 'HEAD' || status === 204 || status === 304
  return bare ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
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
function readBody(
  request: IncomingMessage,
  limit: number,
  arrived: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const arrive = (chunk: Uint8Array) => {
      try {
        size += chunk.length
        if (size > limit) throw new RangeError(`more than ${limit} bytes`)
        arrived?.(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        chunks.length = 0
        request.off('data', arrive).resume()
        reject(error)
      }
    }
    request.on('data', arrive)
    request.once('end', () => resolve(whole(chunks, size)))
    request.once('error', reject)
  })
}
