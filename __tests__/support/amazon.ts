import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { http } from '../../src/action/http-client.ts'
import type { Http } from '../../src/wire/http.ts'

/** A stand-in for all hosts of SNS, which records requests. */
export class Amazon {
  connections = 0
  /** The requested addresses. */
  readonly visited: string[] = []
  answers: Record<string, { status: number; text?: string; location?: string }> = {}
  #address = ''
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const { status, text = '', location } = this.answers[request.url ?? ''] ?? { status: 404 }
      response.writeHead(status, location ? { location } : {}).end(text)
    })
    this.#server.on('connection', () => this.connections++)
  }

  static async start(): Promise<Amazon> {
    const amazon = new Amazon()
    await new Promise<void>((done) => amazon.#server.listen(0, '127.0.0.1', done))
    const { port } = amazon.#server.address() as AddressInfo // it listens on a port, not on a pipe
    amazon.#address = `http://127.0.0.1:${port}`
    return amazon
  }

  get address(): string {
    return this.#address
  }

  /** The action's own client, with every host replaced by this stand-in. */
  readonly http: Http = (request) => {
    this.visited.push(request.url)
    const { pathname, search } = new URL(request.url)
    return http({ ...request, url: this.address + pathname + search })
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
