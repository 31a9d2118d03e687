import { FORM_TYPE, fixture, JSON_TYPE, mac, type Recorded, SECONDS, SHARED } from './recording.ts'

const ACTION = {
  action_id: 'WaXA',
  block_id: '=qXel',
  text: { type: 'plain_text', text: 'View' },
  value: 'click_me_123',
  type: 'button',
  action_ts: '1548426417.840180',
}

/** https://api.slack.com: the Events API, slash commands, interactivity, outgoing webhooks. */
export const SLACK: readonly Recorded[] = [
  slack('an event', 'slack-event.json', JSON_TYPE, {
    kind: 'event',
    is_bot: false,
    type: 'event_callback',
    event_id: 'Ev123ABC456',
    event: JSON.parse(fixture('slack-event.json')).event,
    text: 'Hello <@U012AB3CD>, a &amp; b',
    user_id: 'U123ABC456',
    channel_id: 'C123ABC456',
    team_id: 'T123ABC456',
    timestamp: '1355517523.000005',
  }),
  slack('a slash command', 'slack-command.txt', FORM_TYPE, {
    kind: 'command',
    is_bot: false,
    command: '/weather',
    text: '94070 now',
    user_id: 'U2147483697',
    user_name: 'Steve',
    channel_id: 'C2147483705',
    channel_name: 'test',
    team_id: 'T0001',
    team_domain: 'example',
    trigger_id: '13345224609.738474920.8088930838d88f008e0',
  }),
  slack('an interaction', 'slack-interaction.txt', FORM_TYPE, {
    kind: 'interaction',
    is_bot: false,
    type: 'block_actions',
    text: 'Approve?',
    user_id: 'UA8RXUSPL',
    user_name: 'jtorrance',
    channel_id: 'CBR2V3XEX',
    channel_name: 'review-updates',
    team_id: 'T9TK3CUKW',
    actions: [ACTION],
    trigger_id: '12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3',
  }),
  {
    name: 'slack, an outgoing webhook of old',
    trigger: 'slack',
    contentType: FORM_TYPE,
    body: fixture('slack-outgoing.txt'),
    verify: '{scheme: token, field: token, secret: PLX28DPdb2XzXDGc6Xf717Sg}',
    headers: {},
    outputs: {
      kind: 'message',
      is_bot: false,
      team_id: 'T01AGF6RZ0V',
      team_domain: 'acme',
      service_id: '1359908388851',
      channel_id: 'C01A4RQM3RD',
      channel_name: 'trigger-test',
      timestamp: '1599951957.000800',
      user_id: 'U01A4RGKEET',
      user_name: 'ada',
      text: 'googlebot: What is the air-speed?',
      trigger_word: 'googlebot:',
    },
    hidden: ['PLX28DPdb2XzXDGc6Xf717Sg'],
  },
]

function slack(
  name: string,
  file: string,
  contentType: string,
  outputs: Recorded['outputs'],
): Recorded {
  const body = fixture(file)
  const [, token = ''] = /token(?:=|%22%3A%22|":")(\w+)/.exec(body) ?? []
  const signature = mac('sha256', `v0:${SECONDS}:${body}`, 'hex')
  return {
    name: `slack, ${name}`,
    trigger: 'slack',
    contentType,
    body,
    verify: SHARED,
    headers: { 'X-Slack-Request-Timestamp': SECONDS, 'X-Slack-Signature': `v0=${signature}` },
    outputs,
    hidden: [token],
  }
}
