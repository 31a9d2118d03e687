import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Cal.com',
  secret: 'CALCOM_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  events: ['body.triggerEvent', 'BOOKING_CREATED', 'BOOKING_RESCHEDULED', 'BOOKING_CANCELLED'],
}

export const scheme: OwnScheme = {
  page: 'https://cal.com/docs/developing/guides/automation/webhooks',
  header: 'x-cal-signature-256',
}

export const payloads: Payloads = {
  booking_created: ({ id, now }) => ({
    body: {
      triggerEvent: 'BOOKING_CREATED',
      createdAt: now.toISOString(),
      payload: { uid: id, title: '30 min with Ada', status: 'ACCEPTED' },
    },
  }),
}
