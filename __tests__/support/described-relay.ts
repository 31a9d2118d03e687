import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DISCOVERY_PATH } from '../../src/relay/discovery.ts'
import { VERSION } from '../../src/wire/version.ts'

interface Described {
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
      const { singleRepository = false } = this.described
      const description = {
        version: VERSION,
        dispatch: 'repository',
        credential: 'none',
        stateless: true,
        singleRepository,
      }
      if (request.url === DISCOVERY_PATH) response.end(JSON.stringify(description))
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
