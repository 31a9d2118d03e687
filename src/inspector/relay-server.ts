import { createServer } from 'node:http'
import { steadyClock } from '../relay/config.ts'
import { requireFreePort } from '../relay/node/server.ts'
import { repeat } from './local-engine.ts'
import { PAGE_FILES } from './page-files.ts'
import { type RelayParts, relaySource } from './relay-source.ts'
import { inspectorPath, inspectorServer, randomKey } from './server.ts'

interface RelayInspectorOptions
  extends Pick<RelayParts, 'relay' | 'dev' | 'readers' | 'sendToDev' | 'cure'> {
  /** 0 selects a free port. */
  readonly port: number
  readonly report: (error: unknown) => void
}

interface RelayInspector {
  /** Address of the page; it contains the key of this run, a secret. */
  readonly url: string
  close(): Promise<void>
}

/** Milliseconds between two questions for new deliveries. */
const PAUSE = 2000

/**
 * Serves the inspector over the deliveries of a relay, for this machine only.
 *
 * @throws UserError if the port is not free
 */
export async function serveRelayInspector(options: RelayInspectorOptions): Promise<RelayInspector> {
  const { port, report, ...parts } = options
  const key = randomKey()
  const run = crypto.randomUUID().slice(0, 8)
  const source = relaySource({ ...parts, key, run, files: PAGE_FILES, now: steadyClock.now })
  const inspector = inspectorServer(source, report)
  const server = createServer((request, response) => {
    if (!inspector.route(request, response)) response.writeHead(404).end()
  })
  await requireFreePort({ host: 'localhost', port })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, 'localhost', resolve)
  })
  const stopLooking = repeat(source.look, PAUSE, report)
  const address = server.address()
  const chosen = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://localhost:${chosen}${inspectorPath(key)}`,
    async close() {
      inspector.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, stopLooking()])
    },
  }
}
