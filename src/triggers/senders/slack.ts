import { challengeBody, textResponse } from '../handshake-values.ts'
import { type Facts, type Handshake, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Slack',
  trigger: 'slack',
  secret: 'SLACK_SIGNING_SECRET',
  shown: 'the *Signing Secret* under *Basic Information* of the app',
  repeat: 'event_id',
  hasBots: true,
  events: ['event.type', 'message', 'app_mention'],
  click:
    'open your app on api.slack.com, and enter the URL there. For events such as messages: *Event Subscriptions > Request URL*, then *Subscribe to bot events* (such as `message.channels`). For a slash command: *Slash Commands > Create New Command*. For buttons, menus and views: *Interactivity & Shortcuts*.',
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
  mark: { body: 'challenge' },
  isSigned: true,
  challenge: ({ body }) => {
    const request = challengeBody(body)
    return request?.type === 'url_verification' ? request.challenge : undefined
  },
  answer: textResponse,
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
