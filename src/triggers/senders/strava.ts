import { jsonResponse } from '../../wire/http.ts'
import { only, queryWith } from '../handshake-values.ts'
import { type Facts, type Handshake, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Strava',
  scheme: 'token',
  options: { query: 'key' },
  secret: 'STRAVA_KEY',
  shown: 'a string that you choose and add to the `callback_url` as `key=…`',
  events: ['body.aspect_type', 'create', 'update'],
}

/**
 * The handshake looks like Meta's, but expects JSON. The verify token of Strava's documentation
 * distinguishes it.
 * https://developers.strava.com/docs/webhooks/
 */
export const handshake: Handshake = {
  method: 'GET',
  mark: { path: 'hub.' },
  isNarrow: true,
  challenge: ({ path }) => {
    const query = queryWith(path, 'hub.')
    const isAsked = query?.get('hub.mode') === 'subscribe'
    return isAsked && only(query, 'hub.verify_token') === 'STRAVA'
      ? only(query, 'hub.challenge')
      : undefined
  },
  answer: (challenge) => jsonResponse({ 'hub.challenge': challenge }),
}

export const payloads: Payloads = {
  activity_created: ({ now }) => ({
    body: {
      aspect_type: 'create',
      event_time: seconds(now),
      object_id: 1360128428,
      object_type: 'activity',
      owner_id: 134815,
      subscription_id: 120475,
      updates: {},
    },
  }),
}
