import { readRelayConfig, relayPorts, sharedGitHub } from '../../src/relay/config.ts'
import { serveRelay } from '../../src/relay/http/node-server.ts'
import { type OutboxView, SHOWN_STATES, withOperator } from '../../src/relay/outbox/operator.ts'
import { Secret } from '../../src/wire/secret.ts'
import { type FakeLanes, fakeLanes } from './fake-lanes.ts'
import { OPERATOR_KEY } from './outbox-relays.ts'
import { unavailable } from './relay-errors.ts'

export interface OperatedRelay {
  readonly url: string
  readonly lanes: FakeLanes
  /** How often GitHub was asked. */
  readonly calls: () => number
  readonly log: readonly string[]
  close(): Promise<void>
}

interface Setup {
  /** Empty: a relay without the operator's key. */
  readonly key?: string
  readonly hasOutbox?: boolean
  /** The bytes of its backup. */
  readonly copy?: () => AsyncIterable<Uint8Array>
}

/** A relay with an operator, and lanes that stand still before a GitHub that is down. */
export async function operatedRelay(setup: Setup = {}): Promise<OperatedRelay> {
  const { key = OPERATOR_KEY, hasOutbox = true, copy = wholeCopy } = setup
  let calls = 0
  const log: string[] = []
  const lanes = await fakeLanes(async () => {
    throw unavailable()
  })
  const { outbox, queue, actions } = lanes
  const view: OutboxView = {
    list: async ({ cursor, ...query }) => {
      const after = cursor === undefined ? -1 : Number(cursor)
      const events = await outbox.list({ ...query, states: SHOWN_STATES, after })
      const last = events.length === query.limit ? events.at(-1) : undefined
      return { events, next: last && String(last.seq) }
    },
    find: (delivery) => outbox.find(delivery),
    replay: (delivery) => actions.replay(delivery),
    separate: (delivery) => actions.separate(delivery),
    replayAll: (filter) => actions.replayAll(filter),
    drop: (delivery) => actions.drop(delivery),
    dropAll: (filter) => actions.dropAll(filter),
    figures: async () => queue.figures(),
    backup: async () => copy(),
  }
  const call = async () => {
    calls++
    return { status: 204, header: () => undefined, text: '' }
  }
  const config = await readRelayConfig({})
  const write = (line: string) => void log.push(line)
  const ports = withOperator(relayPorts(config, sharedGitHub({}, config, call), write), {
    key: key ? new Secret(key) : undefined,
    outbox: hasOutbox ? view : undefined,
    keys: [lanes.key],
    log: (line) => write(JSON.stringify(line)),
  })
  const server = await serveRelay({ host: '127.0.0.1', port: 0, ports })
  return { url: server.url, lanes, calls: () => calls, log, close: server.close }
}

/** What stands for the bytes of a database. */
async function* wholeCopy(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('SQLite format 3')
  yield Buffer.from(' and more')
}
