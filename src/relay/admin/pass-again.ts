import { utf8Text } from '../../wire/bytes.ts'
import { bodyOf, type StoredRequest } from '../delivery/event-record.ts'
import type { Passed } from '../delivery/replay.ts'
import { RelayError } from '../errors.ts'
import type { ReceivedEvent } from '../github/payload.ts'
import type { Delivery } from '../store/delivery-rows.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import { endpointOf } from '../store/endpoint-records.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { buildEvents, filterReason, type WebhookRelay } from '../webhook/receive.ts'
import { destinationsOf, readEndpointUrl } from '../webhook/url.ts'

/**
 * Lets a filtered request pass verification and condition once more: as it was received, at the time of its
 * receipt, and with the settings that its endpoint has now.
 */
export function passAgain(
  endpoints: Pick<EndpointLookup, 'stores' | 'encryption'>,
  relay: () => WebhookRelay,
): (received: StoredRequest, delivery: Delivery) => Promise<Passed> {
  return async (received, delivery) => {
    const endpoint = await endpointOf(delivery, endpoints)
    if (!endpoint) return { missing: 'the endpoint of the delivery was deleted' }
    try {
      return await passed(received, delivery, endpoint, relay())
    } catch (error) {
      if (error instanceof RelayError) return { declined: `${error.message}. ${error.hint}` }
      throw error
    }
  }
}

async function passed(
  received: StoredRequest,
  { id, size }: Delivery,
  endpoint: Endpoint,
  relay: WebhookRelay,
): Promise<Passed> {
  const { target, method, receivedAt, body, isCut } = received
  const url = readEndpointUrl(target)
  if (!url || isCut || body === null) return { missing: 'the body of the request is not stored' }
  const bytes = bodyOf(body)
  const destinations = destinationsOf(endpoint, url)
  const headers = received.headers.map(([name, value = '']) => [name, value] as const)
  const event: ReceivedEvent = {
    path: destinations[0].path,
    method,
    headers: new Map(headers),
    body: { bytes, text: utf8Text(bytes) },
    delivery: id,
    receivedAt,
  }
  const credential = await relay.credentials.ofEndpoint(endpoint)
  const { checks: claims } = credential
  if (claims) {
    const { openChecks } = await relay.loadChecks()
    const checks = await openChecks(claims, { target, event }, relay.publicUrl)
    const isVerified = await checks.verify()
    const isFiltered = isVerified && filterReason(checks.if(), claims)
    if (!isVerified || isFiltered)
      return { declined: checks.unmet() ?? 'the condition is not true' }
  }
  const checked = { endpoint, destinations, credential, event, size }
  const { events, upload } = await buildEvents(checked, relay)
  await upload?.publish()
  upload?.keep()
  return { events }
}
