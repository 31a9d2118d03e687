import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withAdmin } from '../../src/relay/admin/admin.ts'
import { generateSealingKey } from '../../src/relay/credentials/sealing-key.ts'
import { Endpoints } from '../../src/relay/endpoints/endpoints.ts'
import { EndpointTable } from '../../src/relay/endpoints/store.ts'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { serveRelay } from '../../src/relay/http/node-server.ts'
import {
  readRelayConfig,
  relayPorts,
  sharedGitHub,
  steadyClock,
  systemClock,
} from '../../src/relay/relay-config.ts'
import { Secret } from '../../src/wire/secret.ts'
import { bundle } from './build.ts'
import { createEndpoint } from './large-bodies.ts'
import { memoryDatabase } from './memory-database.ts'
import { OPERATOR_KEY } from './outbox-relays.ts'
import type { RelaySetup, RelayUnderTest, StartRelay } from './relays.ts'
import { startWorkerd } from './workerd.ts'

/** A relay that stores endpoints, and no outbox on Node. */
async function startOnNode({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const { text } = await generateSealingKey()
  const config = await readRelayConfig({ HOOKLINE_SEALING_KEYS: text, ...env }, repository)
  const pool = githubConnectionPool(config.apiUrl)
  const ports = relayPorts(config, sharedGitHub(env, config, pool.call), write, {
    loadChecks: () => import('../../src/relay/request/verification.ts'),
  })
  const endpoints = new Endpoints({
    store: new EndpointTable(await memoryDatabase([])),
    keys: config.sealingKeys,
    holds: { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY },
    now: steadyClock.now,
    date: systemClock.now,
    report: ports.report,
  })
  const served = withAdmin(
    { ...ports, endpoints },
    {
      key: new Secret(OPERATOR_KEY),
      outbox: undefined,
      keys: config.sealingKeys,
      hasCredential: config.githubCredential !== undefined,
      log: () => {},
    },
  )
  const server = await serveRelay({ host: '127.0.0.1', port: 0, ports: served })
  const close = async () => {
    await server.close()
    await pool.close()
  }
  return { url: server.url, log, close }
}

async function startOnWorkerd({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const disk = await mkdtemp(join(tmpdir(), 'endpoint-relay-'))
  const { text } = await generateSealingKey()
  const bindings = {
    HOOKLINE_SEALING_KEYS: text,
    HOOKLINE_ADMIN_KEY: OPERATOR_KEY,
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
    const [, repository = '', path = '', rest = ''] =
      /^\/([^/]+\/[^/]+)\/([^/?]+\/[^/?]+)(.*)$/s.exec(target) ?? []
    const wanted = { repository, path, ...settings, ...more }
    const key = JSON.stringify(wanted)
    const address = known.get(key) ?? createEndpoint(relay(), wanted)
    known.set(key, address)
    return (await address) + rest
  }
}
