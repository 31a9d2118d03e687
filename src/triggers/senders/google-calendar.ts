import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Google Calendar',
  secret: 'GOOGLE_CALENDAR_TOKEN',
  shown: 'the `token` of the channel, which you choose',
  events: ['headers.x-goog-resource-state', 'exists', 'not_exists'],
}

export const scheme: OwnScheme = {
  page: 'https://developers.google.com/workspace/calendar/api/guides/push',
  tokenHeader: 'x-goog-channel-token',
}

export const payloads: Payloads = {
  exists: ({ id, now }) => ({
    headers: {
      'x-goog-channel-id': id,
      'x-goog-channel-expiration': new Date(now.getTime() + 86_400_000).toUTCString(),
      'x-goog-message-number': '10',
      'x-goog-resource-id': 'ret08u3rv24htgh289g',
      'x-goog-resource-state': 'exists',
      'x-goog-resource-uri':
        'https://www.googleapis.com/calendar/v3/calendars/my_calendar@gmail.com/events',
    },
    body: '',
  }),
}
