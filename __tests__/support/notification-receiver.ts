import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificatePem } from './certificate.ts'

interface ReceivedNotification {
  readonly id: string | undefined
  /** Of the response. */
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface NotificationReceiver {
  /** Address with a token in it. */
  readonly url: string
  /** PEM that a relay must trust. */
  readonly certificate: string
  readonly received: readonly ReceivedNotification[]
  /** The next responses. */
  readonly answer: { status: number; location: string }
  close(): void
}

/** A receiver of notifications on a real socket, with a certificate of its own. Its first response is 503. */
export async function startNotificationReceiver(): Promise<NotificationReceiver> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certificate = certificatePem({
    subject: 'CN=localhost',
    publicKey: keys.publicKey,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    issuer: { name: 'CN=localhost', keys },
  })
  const received: ReceivedNotification[] = []
  const answer = { status: 503, location: '' }
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ key, cert: certificate }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const headers = request.headers as Record<string, string>
    received.push({ id: headers['webhook-id'], status: answer.status, body, headers })
    response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end()
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `https://localhost:${port}/notifications?token=the-token-of-the-receiver`
  return {
    url,
    certificate,
    received,
    answer,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
