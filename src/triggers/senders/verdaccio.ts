import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Verdaccio',
  scheme: 'bearer',
  secret: 'VERDACCIO_TOKEN',
  shown: 'a token that you choose, which Verdaccio sends as `Authorization: Bearer …`',
  repeat: 'body.version',
  events: ['body.type', 'publish'],
  click: `add the section \`notify\` to \`config.yaml\`, and restart Verdaccio.

\`\`\`yaml
notify:
  method: POST
  headers:
    - Content-Type: application/json
    - Authorization: Bearer <your token>
  endpoint: https://relay.example.com/-/V1StGXR8Z5jdHi6BmyT7Aw
  content: '{"name":"{{name}}","publisher":"{{publisher.name}}","version":"{{publishedPackage}}","type":"{{publishType}}"}'
\`\`\``,
}

export const payloads: Payloads = {
  /** The `content` of docs/senders/README.md#verdaccio. */
  publish: () => ({
    headers: { 'user-agent': 'got (https://github.com/sindresorhus/got)' },
    body: {
      name: '@team/icons',
      publisher: 'ada',
      version: '@team/icons@3.2.0',
      type: 'publish',
    },
  }),
}
