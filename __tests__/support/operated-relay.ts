import { adminApi } from '../../src/relay/admin/admin.ts'
import { readRelayConfig, sharedGitHub, statelessRelay } from '../../src/relay/config.ts'
import { listDeliveries } from '../../src/relay/delivery/delivery-list.ts'
import { PACK } from '../../src/relay/github/payload-limit.ts'
import { serveRelay } from '../../src/relay/node/server.ts'
import { EndpointLookup } from '../../src/relay/store/endpoint-lookup.ts'
import { EndpointTable } from '../../src/relay/store/endpoint-table.ts'
import { type FakeOutbox, fakeOutbox } from './fake-outbox.ts'
import { memoryDatabase } from './memory-database.ts'
import { unavailable } from './relay-errors.ts'
import { relayKeyOf } from './relay-keys.ts'
import { withStore } from './relay-store.ts'

export interface OperatedRelay {
  readonly url: string
  readonly fake: FakeOutbox
  /** Number of requests to GitHub. */
  readonly calls: () => number
  readonly log: readonly string[]
  close(): Promise<void>
}

interface Setup {
  /** False for a relay on Workers without its secret. */
  readonly hasKey?: boolean
  readonly allowsTokens?: boolean
  /** The bytes of its backup. */
  readonly copy?: () => AsyncIterable<Uint8Array>
}

/** A relay with the admin API and an outbox that delivers nothing, because GitHub is down. */
export async function operatedRelay(setup: Setup = {}): Promise<OperatedRelay> {
  const { hasKey = true, allowsTokens = false, copy = wholeCopy } = setup
  let calls = 0
  const log: string[] = []
  const fake = await fakeOutbox(async () => {
    throw unavailable()
  })
  const call = async () => {
    calls++
    return { status: 204, header: () => undefined, text: '' }
  }
  const config = await readRelayConfig({})
  const write = (line: string) => void log.push(line)
  const github = sharedGitHub({}, config, call)
  const relay = statelessRelay(config, github, write, {
    packers: [PACK],
    loadChecks,
    isStateless: false,
  })
  const relayKey = await relayKeyOf()
  const { encryption } = relayKey
  const endpoints = new EndpointLookup({
    stores: new EndpointTable(await memoryDatabase()),
    encryption,
    holds: { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY },
    now: () => performance.now(),
    date: () => new Date(),
    report: relay.report,
  })
  const { outbox } = fake
  const admin = adminApi({
    relayKey: hasKey ? relayKey : undefined,
    allowsTokens,
    report: relay.report,
    ports: {
      deliveries: {
        list: (query) => listDeliveries(fake.database, query),
        find: (id) => outbox.find(id),
        replay: (id, filter) => outbox.replay(id, filter),
        replayAll: (filter) => outbox.replayAll(filter),
        delete: (id, filter) => outbox.delete(id, filter),
        deleteAll: (filter) => outbox.deleteAll(filter),
        endDeleted: (credential) => outbox.endDeleted(credential),
        figures: () => outbox.figures(),
        rowsByKey: async () => ({ [encryption.key]: 0 }),
      },
      endpoints,
      hasCredential: true,
      loadChecks,
      now: () => new Date(),
      checkAccess: async () => {},
      metrics: github.metrics,
      credentialKind: 'token',
      storageLimit: 1024,
      uptime: () => 5,
      rowsByKey: async () => ({ [encryption.key]: 0 }),
      alarms: async () => [{ kind: 'silent', subject: 'endpoint:o/e1', since: 0 }],
      warnings: async () => ['the folder is full'],
      backup: async () => copy(),
      log: (line) => write(JSON.stringify(line)),
    },
  })
  const server = await serveRelay({
    host: '127.0.0.1',
    port: 0,
    relay: withStore(relay, { endpoints, admin }),
  })
  return { url: server.url, fake, calls: () => calls, log, close: server.close }
}

const loadChecks = () => import('../../src/relay/webhook/verification.ts')

/** Represents the bytes of a database. */
async function* wholeCopy(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('SQLite format 3')
  yield Buffer.from(' and more')
}
