import { only, queryWith, textResponse } from '../handshake-values.ts'
import { type Facts, type Handshake, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Meta (WhatsApp, Messenger, Instagram)',
  secret: 'META_APP_SECRET',
  shown: 'the *App secret* under *App settings > Basic*',
  events: ['body.object', 'whatsapp_business_account', 'page', 'instagram'],
  click:
    '*App dashboard > Webhooks*, or *WhatsApp > Configuration*. Enter the URL as *Callback URL* and any *Verify token*, and choose the fields.',
}

export const scheme: OwnScheme = {
  page: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
  header: 'x-hub-signature-256',
  signaturePrefix: 'sha256=',
}

/**
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started and
 * https://www.w3.org/TR/websub/#hub-verifies-intent
 */
export const handshake: Handshake = {
  method: 'GET',
  mark: { path: 'hub.' },
  challenge: ({ path }) => {
    const query = queryWith(path, 'hub.')
    const isAsked = ['subscribe', 'unsubscribe'].includes(query?.get('hub.mode') ?? '')
    return isAsked ? only(query, 'hub.challenge') : undefined
  },
  answer: textResponse,
}

export const payloads: Payloads = {
  whatsapp_message: ({ id, now }) => ({
    body: {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                messages: [
                  {
                    from: '16505551234',
                    id: `wamid.${id}`,
                    timestamp: String(seconds(now)),
                    type: 'text',
                    text: { body: 'Hello' },
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  }),
}
