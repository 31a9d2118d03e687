import { TRIGGERS } from '../../src/triggers/index.ts'
import type { BoundTrigger, Reception, TriggerPorts } from '../../src/triggers/trigger.ts'
import { toBase64, utf8Text } from '../../src/wire/bytes.ts'
import { type ClientPayload, HEADER } from '../../src/wire/payload.ts'
import { readWebhookRequest } from '../../src/wire/webhook-request.ts'

/** A request of a sender. */
export interface Sent {
  /** Default `POST`. */
  readonly method?: string
  /** The part of the URL after the trigger, with the query. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** When the relay received it; `undefined` for a dispatch without a relay. */
  readonly receivedAt?: Date | undefined
}

/** The relay's payload of a request to a trigger of the workflow `hook`. */
export function payloadOf(trigger: string, sent: Sent): ClientPayload {
  const { method = 'POST', path = '', headers = {}, body = '', receivedAt } = sent
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const text = utf8Text(bytes)
  return {
    path: `hook/${trigger}${path}`,
    method,
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, v]) => [name.toLowerCase(), v])),
      ...(receivedAt && { [HEADER.receivedAt]: receivedAt.toISOString() }),
      ...(text === undefined && { [HEADER.bodyEncoding]: 'base64' }),
    },
    body: text ?? toBase64(bytes),
  }
}

/** A trigger with the options of a workflow file. */
export function bound(trigger: string, options: unknown): BoundTrigger {
  const result = TRIGGERS.get(trigger)?.bind(options)
  if (!result) throw new Error(`no trigger ${trigger}`)
  if ('issues' in result) throw new Error(result.issues.map(({ message }) => message).join('; '))
  return result
}

/** Ports without a network, at a fixed time. */
export const QUIET_WORLD = {
  http: async () => ({ status: 503, headers: {}, text: '' }),
  now: () => Date.parse('2026-11-21T00:00:00Z'),
  sleep: async () => {},
  mask: () => {},
  messagingApiUrl: 'http://127.0.0.1:9',
}

/** The result of a trigger for a request. */
export async function receive(
  trigger: BoundTrigger,
  sent: Sent,
  ports: Partial<TriggerPorts> = {},
): Promise<Reception> {
  if (!trigger.receive) throw new Error('the trigger receives nothing')
  const request = await readWebhookRequest(payloadOf('webhook', sent))
  return trigger.receive(request, { ...NO_PORTS, ...ports })
}

/** Ports of which none may be called. */
const NO_PORTS = {
  ...QUIET_WORLD,
  http: async ({ url }: { readonly url: string }) => {
    throw new Error(`nothing may be fetched here: ${url}`)
  },
  now: () => {
    throw new Error('nobody may ask for the time here')
  },
}
