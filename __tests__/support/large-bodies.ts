import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { StreamedHash } from '../../src/relay/store/bodies.ts'
import type { GitHub } from './github.ts'
import { send } from './raw-http.ts'
import { ADMIN_BEARER } from './relay-keys.ts'
import { until } from './until.ts'

const SECRET = 'the-secret-that-the-sender-shares'

/** A relay on its port. */
type Relay = { readonly url: string }

/** JSON that does not compress, of about so many bytes. */
export function large(bytes: number): Buffer {
  return Buffer.from(JSON.stringify({ text: randomBytes(bytes / 2).toString('hex') }))
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The hash of `storedBodies`, by Node. */
export function nodeHash(): StreamedHash {
  const hash = createHash('sha256')
  return {
    update: async (bytes) => void hash.update(bytes),
    digest: async () => hash.digest('hex'),
  }
}

/** Settings of an endpoint whose sender signs its requests. */
export const VERIFIED = { verify: [{ scheme: 'github', secret: SECRET }] }

/** The triggers of a workflow that verifies the same signatures. */
export const VERIFYING_TRIGGER = `webhook: { verify: { scheme: github, secret: ${SECRET} } }\n`

/** The headers of the sender of such an endpoint. */
export function signed(body: Uint8Array): Record<string, string> {
  const signature = createHmac('sha256', SECRET).update(body).digest('hex')
  return { 'x-hub-signature-256': `sha256=${signature}` }
}

/** Creates an endpoint by the admin API. @returns its path */
export async function createEndpoint(relay: Relay, settings: object = {}): Promise<string> {
  const answer = await send(relay.url, {
    method: 'POST',
    target: '/-admin/endpoints',
    headers: [['Authorization', `Bearer ${ADMIN_BEARER}`]],
    body: JSON.stringify({
      name: `e${randomBytes(4).toString('hex')}`,
      repository: 'octo/shop',
      workflow: 'hook',
      trigger: 'webhook',
      ...settings,
    }),
  })
  if (answer.status !== 201) throw new Error(`no endpoint: ${answer.status} ${answer.body}`)
  const { pathname } = new URL(JSON.parse(answer.body).url, relay.url)
  return pathname
}

/** Sends a body to an endpoint. */
export async function postBody(
  relay: Relay,
  target: string,
  body: Uint8Array,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(relay.url + target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(body),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

/** The headers of the events that GitHub received. */
export function eventHeaders(github: GitHub): Record<string, string>[] {
  return github.calls.map(({ body }) => JSON.parse(body).client_payload.headers)
}

/** Waits for the first event that GitHub receives. */
export async function firstEvent(github: GitHub): Promise<Record<string, string>> {
  await until(() => github.calls.length > 0)
  return eventHeaders(github)[0] ?? {}
}

/** The stored body of an event, read at the port of this relay. */
export function readBody(
  relay: Relay,
  event: Record<string, string> | undefined,
  method = 'GET',
): Promise<Response> {
  return fetch(relay.url + new URL(event?.['x-hookline-body-url'] ?? '').pathname, { method })
}

/** The hash of the stored body of an event, as a run reads it. */
export async function storedHash(
  relay: Relay,
  event: Record<string, string> | undefined,
): Promise<string> {
  const answer = await readBody(relay, event)
  return sha256(new Uint8Array(await answer.arrayBuffer()))
}
