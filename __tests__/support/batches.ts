import { joinBatch, writeBatchPayload } from '../../src/wire/batch-payload.ts'
import { gzip, toBase64 } from '../../src/wire/bytes.ts'
import { writeClientPayload } from '../../src/wire/payload.ts'

export const RECEIVED = '2026-11-20T10:00:00.000Z'

/** One event of a batch. */
export interface Sent {
  readonly body: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
}

export const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** The id of every batch here. */
export const BATCH = uuid(999)

/** The dispatch of a batch of these requests, whose delivery ids count up from a number. */
export async function batchDispatch(sent: readonly Sent[], from = 1) {
  const events = sent.map(({ body, path = 'hook/webhook', method = 'POST', headers = {} }, at) => {
    const own = { 'x-hookline-delivery': uuid(from + at), 'x-hookline-received-at': RECEIVED }
    return writeClientPayload({ path, method, headers: { ...headers, ...own }, body })
  })
  const packed = toBase64(await gzip(new TextEncoder().encode(joinBatch(events))))
  const { path = 'hook/webhook', method = 'POST' } = sent[0] ?? {}
  const about = { path, method, count: sent.length, delivery: BATCH, receivedAt: RECEIVED }
  return {
    name: 'repository_dispatch',
    payload: { action: 'webhook', client_payload: JSON.parse(writeBatchPayload(about, packed)) },
  }
}

export const json = (value: unknown, more: Partial<Sent> = {}): Sent => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
  ...more,
})
