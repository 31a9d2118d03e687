import { type RelayPorts, type RelayRequest, relay } from '../relay/relay.ts'
import { byteString, collect } from '../wire/bytes.ts'
import type { Reply } from '../wire/reply.ts'
import { type Environment, readRelayConfig, relayPorts } from './relay/relay-config.ts'
import { platformFetch } from './worker/platform-fetch.ts'

/** The relay as a module worker: https://developers.cloudflare.com/workers/runtime-apis/handlers/fetch/ */
export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    return response(await relay(relayRequest(request), await portsFor(env)))
  },
}

/** An isolate has one environment, and serves many requests with it. */
const portsByEnvironment = new WeakMap<Environment, Promise<RelayPorts>>()

function portsFor(env: Environment): Promise<RelayPorts> {
  const ports = portsByEnvironment.get(env) ?? openPorts(env)
  portsByEnvironment.set(env, ports)
  return ports
}

async function openPorts(env: Environment): Promise<RelayPorts> {
  const config = await readRelayConfig(env, env.HOOKLINE_REPOSITORY)
  return relayPorts(config, platformFetch(config.apiUrl), (line) => console.log(line))
}

function relayRequest(request: Request): RelayRequest {
  const headers: string[] = []
  // The runtime has decoded a value as UTF-8; the relay wants a character for each byte.
  for (const [name, value] of request.headers) headers.push(name, byteString(value))
  return {
    method: request.method,
    target: request.url,
    headers,
    readBody: (limit) => readBody(request, limit),
  }
}

/**
 * A body is framed by the length it declares; one that declares none is counted as it comes. To ask
 * for `body` costs, so it is asked for only then.
 */
async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared === null || !/^\d+$/.test(declared)) {
    return request.body ? collect(request.body, limit) : new Uint8Array()
  }
  if (Number(declared) > limit) throw new RangeError(`more than ${limit} bytes`)
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > limit) throw new RangeError(`more than ${limit} bytes`)
  return bytes
}

function response({ status, headers, body }: Reply): Response {
  return new Response(body === '' ? null : body, { status, headers })
}
