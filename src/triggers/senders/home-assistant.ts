import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Home Assistant',
  scheme: 'bearer',
  secret: 'HOME_ASSISTANT_TOKEN',
  shown: 'a token that you choose, which Home Assistant sends as `Authorization: Bearer …`',
  click: `add a command to \`configuration.yaml\`, and restart Home Assistant.

\`\`\`yaml
rest_command:
  hookline:
    url: !secret hookline_url
    method: post
    content_type: application/json
    headers:
      authorization: !secret hookline_token
    payload: '{"entity": {{ entity | to_json }}, "state": {{ state | to_json }}}'
\`\`\`

In \`secrets.yaml\`, set \`hookline_url\` to the URL, and \`hookline_token\` to \`Bearer <your token>\`. Then call the action \`rest_command.hookline\` in an automation, with the data \`entity\` and \`state\`.`,
}

export const payloads: Payloads = {
  /** The payload of the page below. */
  state: () => ({ body: { entity: 'binary_sensor.front_door', state: 'on' } }),
}
