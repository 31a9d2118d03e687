import type { Facts, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Mailchimp',
  scheme: 'token',
  options: { query: 'key' },
  secret: 'MAILCHIMP_KEY',
  shown: 'a text that you choose, and write as `key=…` into the URL',
  handshake: 'both',
  retries: 'up to 75 minutes; it waits ten seconds, and 410 disables the webhook',
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

export const page: Page = {
  more: 'Mailchimp signs nothing; a GET shows it that the URL is there, and fires nothing where the trigger asks for `post`.',
}
