import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Verdaccio',
  scheme: 'bearer',
  secret: 'VERDACCIO_TOKEN',
  shown: 'a token that you choose, which Verdaccio sends as `Authorization: Bearer …`',
  timeout: Infinity,
  retries: {
    when: 'no',
    text: 'Verdaccio does not retry a POST. Verdaccio logs every status from 400 on.',
  },
  repeat: 'body.version',
  events: ['body.type', 'publish'],
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

export const page: SenderPage = {
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
  fire: ': `npm publish --registry https://verdaccio.example.com`.',
  outputs:
    'The body is the `content` of the configuration. `body.version` is the name and the version.',
  notes:
    'Use `method: POST`: with `GET`, Verdaccio replaces the query of the URL, and a `__token` in it is lost. A version that is published again after `npm unpublish` has the same key.',
}
