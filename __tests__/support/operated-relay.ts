import { withAdmin } from '../../src/relay/admin/admin.ts'
import { serveRelay } from '../../src/relay/http/node-server.ts'
import { readRelayConfig, relayPorts, sharedGitHub } from '../../src/relay/relay-config.ts'
import { Secret } from '../../src/wire/secret.ts'
import { type FakeOutbox, fakeOutbox } from './fake-outbox.ts'
import { OPERATOR_KEY } from './outbox-relays.ts'
import { unavailable } from './relay-errors.ts'

export interface OperatedRelay {
  readonly url: string
  readonly fake: FakeOutbox
  /** Number of requests to GitHub. */
  readonly calls: () => number
  readonly log: readonly string[]
  close(): Promise<void>
}

interface Setup {
  /** Empty for a relay without an admin key. */
  readonly key?: string
  readonly hasOutbox?: boolean
  /** The bytes of its backup. */
  readonly copy?: () => AsyncIterable<Uint8Array>
}

/** A relay with the admin API and an outbox that delivers nothing, because GitHub is down. */
export async function operatedRelay(setup: Setup = {}): Promise<OperatedRelay> {
  const { key = OPERATOR_KEY, hasOutbox = true, copy = wholeCopy } = setup
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
  const ports = withAdmin(relayPorts(config, sharedGitHub({}, config, call), write), {
    key: key ? new Secret(key) : undefined,
    outbox: hasOutbox ? fake.outbox : undefined,
    backup: async () => copy(),
    keys: [fake.key],
    hasCredential: false,
    log: (line) => write(JSON.stringify(line)),
  })
  const server = await serveRelay({ host: '127.0.0.1', port: 0, ports })
  return { url: server.url, fake, calls: () => calls, log, close: server.close }
}

/** Represents the bytes of a database. */
async function* wholeCopy(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('SQLite format 3')
  yield Buffer.from(' and more')
}
