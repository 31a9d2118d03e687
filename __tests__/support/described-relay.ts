import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SEALING_KEYS_PATH } from '../../src/relay/credentials/seal.ts'
import { DISCOVERY_PATH } from '../../src/relay/pages/discovery.ts'
import { VERSION } from '../../src/wire/version.ts'

interface Described {
  /** The response with the public sealing keys. */
  readonly keys?: string
  readonly singleRepository?: boolean
}

/** A stand-in for the public pages of a relay; 404 for every other request. */
export class DescribedRelay {
  described: Described
  readonly #server: Server
  url = ''

  constructor(described: Described = {}) {
    this.described = described
    this.#server = createServer((request, response) => {
      const { keys, singleRepository = false } = this.described
      const description = {
        version: VERSION,
        dispatch: 'repository',
        credential: 'none',
        outbox: false,
        singleRepository,
        seal: keys === undefined ? null : SEALING_KEYS_PATH,
      }
      if (request.url === DISCOVERY_PATH) response.end(JSON.stringify(description))
      else if (request.url === SEALING_KEYS_PATH && keys !== undefined) response.end(keys)
      else response.writeHead(404).end()
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  stop(): void {
    this.#server.close()
  }
}
