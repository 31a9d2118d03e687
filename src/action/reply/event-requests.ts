import { readBatch } from '../../wire/batch.ts'
import { type PlatformEvent, readClientPayload, webhookPayload } from '../../wire/payload.ts'
import { readWebhookRequest, type WebhookRequest } from '../../wire/request.ts'

/**
 * The requests that an event brought: one, or those of a batch. None where it is another event, or
 * cannot be read: then whoever asks has nothing to answer by, and says so.
 */
export async function eventRequests(
  readEvent: () => PlatformEvent,
): Promise<readonly WebhookRequest[]> {
  try {
    const payload = webhookPayload(readEvent())
    if (payload === undefined) return []
    const envelope = readClientPayload(payload)
    const batch = await readBatch(envelope)
    const payloads = batch ? batch.map(readClientPayload) : [envelope]
    return await Promise.all(payloads.map(readWebhookRequest))
  } catch {
    return []
  }
}
