import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Node-RED',
  scheme: 'bearer',
  secret: 'NODE_RED_TOKEN',
  shown: 'a token that you choose, which Node-RED sends as `Authorization: Bearer …`',
  timeout: 120,
  retries: {
    when: 'no',
    text: 'Node-RED does not retry. After 4xx and 5xx, the flow goes on with the status in `msg.statusCode`.',
  },
  repeat: 'id',
}

export const payloads: Payloads = {
  /** The message of docs/senders/README.md#node-red. */
  message: ({ id, now }) => ({
    headers: { 'user-agent': 'got (https://github.com/sindresorhus/got)' },
    body: {
      id: id.replaceAll('-', '').slice(0, 16),
      topic: 'cellar/pump',
      payload: { state: 'stuck', amperes: 4.2 },
      at: now.getTime(),
    },
  }),
}

export const page: SenderPage = {
  click:
    'add the node *http request* to your flow. Choose *POST*, enter the URL, and choose *Use authentication > bearer authentication* with your token. A *change* node in front of it sets `msg.payload` to the JSONata expression `{"id": _msgid, "topic": topic, "payload": payload}`.',
  fire: ': choose the button of an *inject* node in front of the flow.',
  outputs: 'The body is `msg.payload` of the node.',
  notes:
    'A sensor reports again and again. To get one event for each change, put the node *filter* with the mode *block unless value changes* in front of the request. `_msgid` is the id of the message.',
}
