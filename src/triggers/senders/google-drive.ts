import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Google Drive',
  secret: 'GOOGLE_DRIVE_TOKEN',
  shown: 'the `token` of the channel, which you choose',
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
