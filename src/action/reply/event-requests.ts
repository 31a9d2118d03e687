import { readBatch } from '../../wire/batch-payload.ts'
import { type GitHubEvent, readClientPayload, webhookPayload } from '../../wire/payload.ts'
import { readWebhookRequest, type WebhookRequest } from '../../wire/webhook-request.ts'

/**
 * The requests of an event: one, or the readable requests of a batch. Empty for another event; the
 * caller reports that it has nothing to reply to.
 */
export async function eventRequests(
  readEvent: () => GitHubEvent,
): Promise<readonly WebhookRequest[]> {
  try {
    const payload = webhookPayload(readEvent())
    if (payload === undefined) return []
    const envelope = readClientPayload(payload)
    const batch = await readBatch(envelope)
    const read = async (one: unknown) => readWebhookRequest(readClientPayload(one))
    const requests = await Promise.allSettled((batch ?? [payload]).map(read))
    return requests.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  } catch {
    return []
  }
}
