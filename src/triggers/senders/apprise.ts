import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Apprise',
  scheme: 'basic',
  secret: 'APPRISE_LOGIN',
  shown: 'a user and a password that you choose, as `apprise:<password>`',
  timeout: 4,
  retries: {
    when: 'optional',
    text: 'Apprise does not retry, unless the URL asks for it (`?retry=3`). After 4xx and 5xx the command ends with 1.',
  },
  events: ['body.type', 'info', 'success', 'warning', 'failure'],
}

export const payloads: Payloads = {
  /** https://appriseit.com/services/json/ */
  failure: ({ now }) => ({
    headers: { 'user-agent': 'Apprise' },
    body: {
      version: '1.0',
      title: 'Backup',
      message: `The backup of ${now.toISOString().slice(0, 10)} failed`,
      attachments: [],
      type: 'failure',
    },
  }),
}

export const page: SenderPage = {
  click:
    'write the URL with `jsons://` in place of `https://`, and with the user and the password in front of the host: `jsons://apprise:<your password>@relay.example.com/-/V1StGXR8Z5jdHi6BmyT7Aw`. The password may contain only letters and digits, or is percent-encoded.',
  fire: ": `apprise --title=Backup --body='The backup failed' --notification-type=failure 'jsons://…'`.",
  outputs: '`body.title`, `body.message` and `body.type` are what you gave to Apprise.',
  retries:
    'Two equal messages have the same hash. To tell them apart, add a field of your own to the URL: `?:id=<a value>`.',
  notes:
    'Apprise reads the parameters of the URL itself and does not send them, so a `__token` in the URL is lost: use an [endpoint](../guides/endpoints.md). To run only for failures, leave `failure` alone in the filter. Apprise sends one request for each URL.',
}
