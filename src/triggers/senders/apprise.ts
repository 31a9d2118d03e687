import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Apprise',
  scheme: 'basic',
  secret: 'APPRISE_LOGIN',
  shown: 'a user and a password that you choose, as `apprise:<password>`',
  events: ['body.type', 'info', 'success', 'warning', 'failure'],
  click:
    'write the URL with `jsons://` in place of `https://`, and with the user and the password in front of the host: `jsons://apprise:<your password>@relay.example.com/-/V1StGXR8Z5jdHi6BmyT7Aw`. The password may contain only letters and digits, or is percent-encoded.',
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
