import { jsonObject, text } from '../handshake.ts'
import {
  type Facts,
  type Handshake,
  type OwnScheme,
  type Page,
  type Payloads,
  seconds,
} from '../sender.ts'

export const facts: Facts = {
  title: 'Slack',
  trigger: 'slack',
  secret: 'SLACK_SIGNING_SECRET',
  shown: 'the *Signing Secret* under *Basic Information* of the app',
  handshake: 'relay',
  retries: 'three times: at once, after one minute, after five',
  repeat: 'event_id',
  events: ['event.type', 'message', 'app_mention'],
}

export const scheme: OwnScheme = {
  page: 'https://api.slack.com/authentication/verifying-requests-from-slack',
  header: 'x-slack-signature',
  signaturePrefix: 'v0=',
  signedPayload: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-slack-request-timestamp',
}

/** https://api.slack.com/events/url_verification */
export const handshake: Handshake = {
  method: 'POST',
  isSigned: true,
  challenge: ({ body }) => {
    const request = jsonObject(body)
    return request?.type === 'url_verification' ? request.challenge : undefined
  },
  answer: text,
}

export const payloads: Payloads = {
  /** https://api.slack.com/apis/events-api#receiving-events */
  message: ({ id, now }) => ({
    body: {
      type: 'event_callback',
      team_id: 'T061EG9R6',
      api_app_id: 'A0FFV41KK',
      event_id: `Ev${id.replaceAll('-', '').slice(0, 9).toUpperCase()}`,
      event_time: seconds(now),
      event: {
        type: 'message',
        channel: 'C024BE91L',
        user: 'U2147483697',
        text: 'Hello, world',
        ts: `${seconds(now)}.000200`,
      },
    },
  }),
  /** https://api.slack.com/interactivity/slash-commands#app_command_handling */
  command: () => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      command: '/deploy',
      text: 'production now',
      user_id: 'U2147483697',
      user_name: 'mona',
      channel_id: 'C024BE91L',
      team_id: 'T061EG9R6',
      response_url: 'https://hooks.slack.com/commands/T061EG9R6/1234/5678',
      trigger_id: '13345224609.738474920.8088930838d88f008e0',
    }).toString(),
  }),
}

export const page: Page = {
  click:
    'your app on api.slack.com: the URL goes, for events such as messages, to *Event Subscriptions > Request URL* (then *Subscribe to bot events*, such as `message.channels`); for a slash command to *Slash Commands > Create New Command*; for buttons, menus and views to *Interactivity & Shortcuts*.',
  outputs:
    "The filter is for events; for the others filter `kind`: `event` (with `event`, `event_id`, `timestamp`), `command` (`command`, `trigger_id`, `team_domain`), `interaction` (`type`, `actions`, `view`, `trigger_id`), or `message` of an old outgoing webhook (`trigger_word`, `timestamp`, `team_domain`; with `scheme: token`, `field: token`). All have `text`, `user_id`, `channel_id`, `team_id`, and all but events `user_name`, `channel_name`.\n\n`token`, `response_url` and `bot_access_token` let anyone write, so the outputs leave them out; [`reply`](../guides/bot.md#reply-with-reply) takes the `response_url` from the run's own event, or answers in the thread with the `token` of a bot. A bot hears itself: filter `event.bot_id`.",
  more: 'Slack waits three seconds; commands and interactions are not repeated.',
}
