import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  readRelayConfig,
  readStorageSettings,
  sharedGitHub,
  statelessRelay,
} from '../../src/relay/config.ts'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { PACK } from '../../src/relay/github/payload.ts'
import { serveRelay } from '../../src/relay/node/server.ts'
import { EndpointTable } from '../../src/relay/store/endpoint-table.ts'
import { openDeliveries, openEndpoints, relayStoreOf } from '../../src/relay/stored-relay.ts'
import { bundle } from './build.ts'
import { figuresOf } from './figures.ts'
import { createEndpoint } from './large-bodies.ts'
import { memoryDatabase } from './memory-database.ts'
import { RELAY_KEY, relayKeyOf } from './relay-keys.ts'
import { withStore } from './relay-store.ts'
import type { RelaySetup, RelayUnderTest, StartRelay } from './relays.ts'
import { startWorkerd } from './workerd.ts'

/** A relay that stores endpoints in memory, and no events: they go to GitHub directly. */
async function startOnNode({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const config = await readRelayConfig(env, repository, figuresOf(env))
  const pool = githubConnectionPool(config.apiUrl)
  const github = sharedGitHub(config, pool.call)
  const parts = { packers: [PACK], loadChecks, isStateless: false }
  const relay = statelessRelay(config, github, write, parts)
  const { keys, encryption } = await relayKeyOf()
  const database = await memoryDatabase()
  const shared = {
    config,
    // Each credential may start each workflow.
    access: { ...github, call: async () => ({ status: 200, header: () => undefined, text: '{}' }) },
    settings: readStorageSettings(env, config.figures),
    encryption,
    now: Date.now,
    log: () => {},
    report: relay.report,
  }
  const found = openEndpoints(new EndpointTable(database), { ...shared, access: github })
  const { endpoints, credentials } = found
  const { deliveries } = openDeliveries({ ...shared, database, pack: PACK, changed: () => {} })
  const storeOf = relayStoreOf({
    ...shared,
    ...found,
    keys,
    loadChecks,
    deliveries,
    bodies: undefined,
    relay: () => relay,
    admin: {
      deliveriesOf: () => deliveries,
      warnings: async () => [],
      uptime: () => 0,
      backup: undefined,
    },
  })
  const { admin } = storeOf({ recorder: { add: () => {} }, background: () => {} })
  const served = withStore({ ...relay, credentials }, { endpoints, admin })
  const server = await serveRelay({ host: '127.0.0.1', port: 0, relay: served })
  const close = async () => {
    await server.close()
    await pool.close()
  }
  return { url: server.url, log, close }
}

const loadChecks = () => import('../../src/relay/webhook/verification.ts')

async function startOnWorkerd({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const disk = await mkdtemp(join(tmpdir(), 'endpoint-relay-'))
  const bindings = {
    HOOKLINE_RELAY_KEY: RELAY_KEY,
    ...(repository && { HOOKLINE_REPOSITORY: repository }),
    ...env,
  }
  const workerd = await startWorkerd(bundle('relay/worker.js'), bindings, { disk })
  return {
    url: workerd.url,
    log: workerd.log,
    close: async () => {
      await workerd.close()
      await rm(disk, { recursive: true })
    },
  }
}

/** Every runtime of a relay with endpoints; the same tests run on each. */
export const ENDPOINT_RUNTIMES: readonly (readonly [name: string, start: StartRelay])[] = [
  ['Node', startOnNode],
  ['workerd', startOnWorkerd],
]

/** Finds the endpoint for a token URL's path, and creates it for the first request. */
export function endpointsOf(relay: () => RelayUnderTest, settings: object = {}) {
  const known = new Map<string, Promise<string>>()
  /** @param target `/owner/name/workflow/trigger[/rest][?query]` */
  return async (target: string, more: object = {}): Promise<string> => {
    const [, repository = '', workflow = '', trigger = '', rest = ''] =
      /^\/([^/]+\/[^/]+)\/([^/?]+)\/([^/?]+)(.*)$/s.exec(target) ?? []
    const wanted = { repository, workflow, trigger, ...settings, ...more }
    const key = JSON.stringify(wanted)
    const address = known.get(key) ?? createEndpoint(relay(), wanted)
    known.set(key, address)
    return (await address) + rest
  }
}
