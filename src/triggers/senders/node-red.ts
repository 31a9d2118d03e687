import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Node-RED',
  scheme: 'bearer',
  secret: 'NODE_RED_TOKEN',
  shown: 'a token that you choose, which Node-RED sends as `Authorization: Bearer …`',
  repeat: 'id',
  click:
    'add the node *http request* to your flow. Choose *POST*, enter the URL, and choose *Use authentication > bearer authentication* with your token. A *change* node in front of it sets `msg.payload` to the JSONata expression `{"id": _msgid, "topic": topic, "payload": payload}`.',
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
