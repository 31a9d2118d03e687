import { headerValue } from '../../wire/headers.ts'
import { jsonResponse } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { jsonValue } from '../handshake-values.ts'
import type { Facts, Handshake, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Azure Event Grid',
  scheme: 'token',
  options: { query: 'key' },
  secret: 'EVENT_GRID_KEY',
  shown: 'a string that you choose and add to the URL as `key=…`',
  events: ['body.eventType', 'Microsoft.Storage.BlobCreated'],
}

/** https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema */
export const handshake: Handshake = {
  method: 'POST',
  mark: { header: 'aeg-event-type' },
  challenge: ({ headers, body }) => {
    if (headerValue(headers, 'aeg-event-type') !== 'SubscriptionValidation') return undefined
    const events = jsonValue(body)
    const [event, ...others] = Array.isArray(events) ? events : []
    const data = isObject(event) && others.length === 0 ? event.data : undefined
    return isObject(data) ? data.validationCode : undefined
  },
  answer: (validationResponse) => jsonResponse({ validationResponse }),
}

export const payloads: Payloads = {
  blob_created: ({ id, now }) => ({
    headers: { 'aeg-event-type': 'Notification' },
    body: [
      {
        id,
        topic: '/subscriptions/1/resourceGroups/a/providers/Microsoft.Storage/storageAccounts/b',
        subject: '/blobServices/default/containers/c/blobs/d.txt',
        eventType: 'Microsoft.Storage.BlobCreated',
        eventTime: now.toISOString(),
        data: { api: 'PutBlob', contentType: 'text/plain' },
      },
    ],
  }),
}
