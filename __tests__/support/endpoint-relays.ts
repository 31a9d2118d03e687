import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminApi } from '../../src/relay/admin/admin.ts'
import {
  readRelayConfig,
  sharedGitHub,
  statelessRelay,
  steadyClock,
  systemClock,
} from '../../src/relay/config.ts'
import { NO_FIGURES } from '../../src/relay/delivery/event.ts'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { PACK } from '../../src/relay/github/payload-limit.ts'
import { serveRelay } from '../../src/relay/node/server.ts'
import { EndpointLookup } from '../../src/relay/store/endpoint-lookup.ts'
import { EndpointTable } from '../../src/relay/store/endpoint-table.ts'
import { bundle } from './build.ts'
import { createEndpoint } from './large-bodies.ts'
import { memoryDatabase } from './memory-database.ts'
import { RELAY_KEY, relayKeyOf } from './relay-keys.ts'
import { withStore } from './relay-store.ts'
import type { RelaySetup, RelayUnderTest, StartRelay } from './relays.ts'
import { startWorkerd } from './workerd.ts'

/** A relay that stores endpoints, and no events on Node. */
async function startOnNode({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const config = await readRelayConfig(env, repository)
  const pool = githubConnectionPool(config.apiUrl)
  const github = sharedGitHub(env, config, pool.call)
  const parts = { packers: [PACK], loadChecks, isStateless: false }
  const relay = statelessRelay(config, github, write, parts)
  const { keys, encryption } = await relayKeyOf()
  const endpoints = new EndpointLookup({
    stores: new EndpointTable(await memoryDatabase()),
    encryption,
    holds: { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY },
    now: steadyClock.now,
    date: systemClock.now,
    report: relay.report,
  })
  const { deliveries, ...status } = NO_DELIVERIES
  const { allowsTokens, publicUrl, githubCredential } = config
  const admin = adminApi({
    relayKey: { keys, encryption },
    allowsTokens,
    report: relay.report,
    ports: {
      ...status,
      deliveries,
      endpoints,
      hasCredential: githubCredential !== undefined,
      publicUrl,
      loadChecks,
      now: systemClock.now,
      checkAccess: async () => {},
      metrics: github.metrics,
      log: () => {},
    },
  })
  const served = withStore(relay, { endpoints, admin })
  const server = await serveRelay({ host: '127.0.0.1', port: 0, relay: served })
  const close = async () => {
    await server.close()
    await pool.close()
  }
  return { url: server.url, log, close }
}

const loadChecks = () => import('../../src/relay/webhook/verification.ts')

const none = async () => 0

/** A relay without deliveries. */
const NO_DELIVERIES = {
  deliveries: {
    list: async () => [],
    find: async () => [],
    replay: none,
    replayAll: none,
    delete: none,
    deleteAll: none,
    endDeleted: none,
    figures: async () => NO_FIGURES,
    rowsByKey: async () => ({}),
  },
  credentialKind: 'none',
  storageLimit: 0,
  uptime: () => 0,
  rowsByKey: async () => ({}),
  alarms: async () => [],
  warnings: async () => [],
} as const

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
