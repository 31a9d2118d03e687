import { DEFAULT_MESSAGING_API_URL } from '../action/inputs.ts'
import { type DevEvent, runLocally } from '../dev/local-platform.ts'
import type { WorkflowSource } from '../engine/events.ts'
import type { Json } from '../protocol/json.ts'
import { heldToken } from '../relay/access-keys.ts'
import { type Credentials, noToken } from '../relay/credentials.ts'
import type { RelayPorts } from '../relay/relay.ts'
import { memoryShelf } from '../state/memory.ts'
import { createStore } from '../state/store.ts'
import type { RunningServer } from './node/http-server.ts'
import { enginePorts } from './ports.ts'
import { type Environment, readAccessKeys } from './relay-config.ts'
import { serveRelay } from './relay-node.ts'
import { systemClock } from './system-clock.ts'

export interface DevServerOptions {
  /** Opens the server to other machines: a request then has to bring one of the keys. */
  readonly host: string | undefined
  /** 0 takes a free one. */
  readonly port: number
  readonly env: Environment
  readonly workflows: (event: Json) => WorkflowSource
  readonly tell: (event: DevEvent) => void
  readonly report: (error: unknown) => void
}

/** Nothing is dispatched, so the repository is a name without meaning. */
const LOCAL = { owner: 'local', name: 'local' }

/** The relay's own core, in its self-hosted form, with the engine of this process for a platform. */
export async function serveDev(options: DevServerOptions): Promise<RunningServer> {
  const { host, port, env, workflows, tell, report } = options
  const messagingApiUrl = env.HOOKLINE_MESSAGING_API_URL || DEFAULT_MESSAGING_API_URL
  const engine = enginePorts(messagingApiUrl, { store: createStore(memoryShelf()) })
  const ports: RelayPorts = {
    dispatch: async ({ payload }) => {
      tell(await runLocally(payload, { workflows, engine, now: () => performance.now() }))
      return { tries: 1 }
    },
    credentials: await devCredentials(host, env),
    repository: LOCAL,
    now: systemClock.now,
    newDelivery: () => crypto.randomUUID(),
    log: () => {},
    report,
  }
  return serveRelay({ host: host ?? 'localhost', port, ports })
}

/** @throws UserError when the server is opened without a key of at least 20 characters */
async function devCredentials(host: string | undefined, env: Environment): Promise<Credentials> {
  if (host === undefined) return noToken
  return heldToken(readAccessKeys(env.HOOKLINE_KEYS ?? ''), undefined)
}
