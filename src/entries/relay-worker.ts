import type { Reply } from '../protocol/reply.ts'
import { type RelayPorts, type RelayRequest, relay } from '../relay/relay.ts'
import { type Environment, readRelayConfig, relayPorts } from './relay-config.ts'
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
  return {
    method: request.method,
    target: request.url,
    headers: [...request.headers].flatMap(([name, value]) => [name, byteString(value)]),
    body: request.body ?? nothing(),
  }
}

/** The runtime has decoded a value as UTF-8; the relay wants a character for each byte. */
function byteString(value: string): string {
  const bytes = new TextEncoder().encode(value)
  return bytes.length === value.length ? value : String.fromCharCode(...bytes)
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function response({ status, headers, body }: Reply): Response {
  return new Response(body === '' ? null : body, { status, headers })
}
