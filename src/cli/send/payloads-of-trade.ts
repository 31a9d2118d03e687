import { type Make, seconds } from './payloads.ts'

/** Requests of shops, payments and what knows customers. */
export const PAYLOADS_OF_TRADE: Readonly<Record<string, Make>> = {
  'paddle.transaction.completed': ({ id, now }) => ({
    body: {
      event_id: `evt_${id}`,
      event_type: 'transaction.completed',
      occurred_at: now.toISOString(),
      data: { id: 'txn_01', status: 'completed', currency_code: 'EUR' },
    },
  }),
  'lemonsqueezy.order_created': () => ({
    headers: { 'x-event-name': 'order_created' },
    body: {
      meta: { event_name: 'order_created' },
      data: {
        type: 'orders',
        id: '1',
        attributes: { status: 'paid', total: 999, currency: 'EUR' },
      },
    },
  }),
  'square.payment.updated': ({ id, now }) => ({
    body: {
      merchant_id: '6SSW7HV8K2ST5',
      type: 'payment.updated',
      event_id: id,
      created_at: now.toISOString(),
      data: { type: 'payment', id: 'hYy9pRFVxpDsO1FB05SunFWUe9JZY' },
    },
  }),
  'woocommerce.order.created': ({ id }) => ({
    headers: { 'x-wc-webhook-topic': 'order.created', 'x-wc-webhook-delivery-id': id },
    body: { id: 727, status: 'processing', currency: 'EUR', total: '29.35' },
  }),
  'plaid.sync_updates_available': () => ({
    body: {
      webhook_type: 'TRANSACTIONS',
      webhook_code: 'SYNC_UPDATES_AVAILABLE',
      item_id: 'wz666MBjYWTp2PDzzggYhM6oWWmBb',
    },
  }),
  'docusign.envelope-completed': ({ now }) => ({
    body: {
      event: 'envelope-completed',
      generatedDateTime: now.toISOString(),
      data: { envelopeId: '7f0fcbbd-4eb4-4da2-8aa2-1d9b4b3c6c5a' },
    },
  }),
  'hubspot.contact.creation': ({ now }) => ({
    body: [
      {
        eventId: 1,
        subscriptionType: 'contact.creation',
        objectId: 123,
        occurredAt: now.getTime(),
      },
    ],
  }),
  'clerk.user.created': ({ now }) => ({
    body: {
      type: 'user.created',
      object: 'event',
      timestamp: now.getTime(),
      data: { id: 'user_29w83sxmDNGwOuEthce5gg56FcC', first_name: 'Ada' },
    },
  }),
  'supabase.send_email': () => ({
    body: {
      user: { id: '8484b834-f29e-4af2-bf42-80644d154f76', email: 'ada@example.com' },
      email_data: { email_action_type: 'signup' },
    },
  }),
  'openai.response.completed': ({ id, now }) => ({
    body: {
      id: `evt_${id.replaceAll('-', '')}`,
      object: 'event',
      created_at: seconds(now),
      type: 'response.completed',
      data: { id: 'resp_abc123' },
    },
  }),
}
