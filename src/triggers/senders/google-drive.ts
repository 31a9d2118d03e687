import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Google Drive',
  secret: 'GOOGLE_DRIVE_TOKEN',
  shown: 'the `token` of the channel, which you choose',
  retries: { when: 'yes', text: 'Google retries after 500, 502, 503 and 504.' },
  events: ['headers.x-goog-resource-state', 'add', 'update', 'change', 'trash'],
}

export const scheme: OwnScheme = {
  page: 'https://developers.google.com/workspace/drive/api/guides/push',
  tokenHeader: 'x-goog-channel-token',
}

export const payloads: Payloads = {
  update: ({ id, now }) => ({
    headers: {
      'x-goog-channel-id': id,
      'x-goog-channel-expiration': new Date(now.getTime() + 86_400_000).toUTCString(),
      'x-goog-message-number': '10',
      'x-goog-resource-id': 'ret08u3rv24htgh289g',
      'x-goog-resource-state': 'update',
      'x-goog-resource-uri':
        'https://www.googleapis.com/drive/v3/files/ret08u3rv24htgh289g?alt=json',
    },
    body: '',
  }),
}

export const page: SenderPage = {
  notes:
    'A notification has no body, so the workflow has to ask the API what changed. The first notification, `sync`, says that the channel is open. A channel expires, so renew it.',
}
