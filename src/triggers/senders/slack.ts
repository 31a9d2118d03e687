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

export const page: Page = {
  click:
    'in your app on api.slack.com, by what should fire:\n\n| what | where the URL goes |\n| --- | --- |\n| messages and other events | *Event Subscriptions > Request URL*, then *Subscribe to bot events*, such as `message.channels` |\n| a slash command | *Slash Commands > Create New Command* |\n| buttons, menus, views | *Interactivity & Shortcuts* |\n\n',
  outputs:
    "Whatever came, these are in the same place:\n\n| field | event | command | interaction | message |\n| --- | --- | --- | --- | --- |\n| `kind` | `event` | `command` | `interaction` | `message` |\n| `text`, `user_id`, `channel_id`, `team_id` | yes | yes | yes | yes |\n| `user_name`, `channel_name` | | yes | yes | yes |\n| `team_domain` | | yes | | yes |\n| `timestamp` | yes | | | yes |\n| of its own | `event`, `event_id` | `command`, `trigger_id` | `type`, `actions`, `view`, `trigger_id` | `trigger_word` |\n\nWhat lets its holder write in your workspace (`token`, `response_url`, `bot_access_token`) is left out: logs are read by others. [`reply`](../bot.md#what-reply-can-say) answers a command or a button by the `response_url` in the run's own event, and an event in its thread, with the `token` of a bot. A bot hears its own messages: filter by `event.bot_id`.",
  more: 'The outgoing webhooks of old bring a token in the body instead: `scheme: token`, `field: token`. Slack waits three seconds; commands and interactions are not repeated.',
}
