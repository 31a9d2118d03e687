import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface RawPlatform {
  readonly url: string
  /** Number of accepted connections. */
  readonly connections: number
  /** Handles each connection from now on with its received bytes. */
  onBytes(behave: (socket: Socket, received: Buffer) => void): void
  /** Handles each connection when it opens; its bytes are discarded. */
  onOpen(behave: (socket: Socket) => void): void
  close(): Promise<void>
}

/**
 * A GitHub that misbehaves below HTTP.
 *
 * @param host address to listen on; `::` is every address of this machine
 */
export async function startRawPlatform(host = '127.0.0.1'): Promise<RawPlatform> {
  const sockets = new Set<Socket>()
  let connections = 0
  let behave = (_socket: Socket, _received: Buffer) => {}
  let open = (_socket: Socket) => {}
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    let received = Buffer.alloc(0)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      behave(socket, received)
    })
    open(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections
    },
    onBytes: (next) => {
      connections = 0
      behave = next
      open = () => {}
    },
    onOpen: (next) => {
      connections = 0
      behave = () => {}
      open = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** True if the bytes are a whole request. */
export function isWhole(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(received.toString('latin1'))
  return end >= 0 && received.length >= end + 4 + Number(length?.[1] ?? 0)
}
