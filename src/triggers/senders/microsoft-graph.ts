import { only, queryWith, textResponse } from '../handshake-values.ts'
import type { Facts, Handshake, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Microsoft Graph',
  secret: 'GRAPH_CLIENT_STATE',
  shown: 'the `clientState` of the subscription, which you choose',
  events: ['body.value.changeType', 'created', 'updated'],
  click:
    'create the subscription by the API: `POST /subscriptions` with the URL as `notificationUrl`, and with `clientState`.',
}

export const scheme: OwnScheme = {
  page: 'https://learn.microsoft.com/graph/change-notifications-delivery-webhooks',
  tokenField: 'value[*].clientState',
}

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
export const handshake: Handshake = {
  method: 'POST',
  mark: { path: 'validationtoken' },
  challenge: ({ path, body }) => {
    if (body !== '') return undefined
    // SharePoint writes the name in lower case.
    const names = ['validationToken', 'validationtoken']
    return names
      .map((name) => only(queryWith(path, name), name))
      .find((value) => value !== undefined)
  },
  answer: textResponse,
}

export const payloads: Payloads = {
  created: () => ({
    body: {
      value: [
        {
          subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
          changeType: 'created',
          resource: 'users/1/messages/2',
        },
      ],
    },
  }),
}
