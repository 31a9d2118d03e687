import { jsonObject, text } from '../handshake.ts'
import { type Facts, type Handshake, type OwnScheme, type Payloads, seconds } from '../sender.ts'

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
  prefix: 'v0=',
  template: 'v0:{timestamp}:{body}',
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
