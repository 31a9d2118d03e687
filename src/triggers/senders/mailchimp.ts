import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Mailchimp',
  scheme: 'token',
  options: { query: 'key' },
  secret: 'MAILCHIMP_KEY',
  shown: 'a string that you choose and add to the URL as `key=…`',
  handshake: 'both',
  events: ['body.type', 'subscribe', 'unsubscribe', 'profile'],
}

/** https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/ */
export const payloads: Payloads = {
  subscribe: ({ now }) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      type: 'subscribe',
      fired_at: now.toISOString().slice(0, 19).replace('T', ' '),
      'data[id]': '8a25ff1d98',
      'data[list_id]': 'a6b5da1054',
      'data[email]': 'ada@example.com',
    }).toString(),
  }),
}
