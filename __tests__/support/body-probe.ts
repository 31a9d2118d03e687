import { fromBase64 } from '../../src/wire/bytes.ts'
import { readWebhookRequest } from '../../src/wire/webhook-request.ts'

/** A body in base64, with the headers that say how to read it. */
export interface ProbedBody {
  readonly headers: Readonly<Record<string, string>>
  readonly base64: string
}

/** Reads bodies in this runtime. */
export async function readAll(bodies: readonly ProbedBody[]): Promise<unknown[]> {
  const read = bodies.map(async ({ headers, base64 }) => {
    const payload = { path: 'hook/webhook', method: 'POST', headers, body: null }
    const request = await readWebhookRequest({ ...payload, bytes: fromBase64(base64) })
    const { body, binary, faults, digits } = request
    return { body, binary, faults: faults.map(({ text }) => text), digits: [...digits] }
  })
  return Promise.all(read)
}
