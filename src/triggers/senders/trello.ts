import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Trello',
  trigger: 'trello',
  secret: 'TRELLO_SECRET',
  shown: 'the *Secret* of the Power-Up, under *API key*',
  handshake: 'both',
  repeat: 'action.id',
  events: ['action.type', 'createCard', 'updateCard', 'commentCard'],
  click:
    'create the webhook by one call, with a key and a token of [trello.com/power-ups/admin](https://trello.com/power-ups/admin) and the id of the board (add `.json` to its address to see it):\n\n```sh\ncurl -X POST \'https://api.trello.com/1/webhooks\' \\\n  -d "key=$TRELLO_KEY" -d "token=$TRELLO_TOKEN" -d \'idModel=5f4fbbc5250c34138444068d\' \\\n  --data-urlencode "callbackURL=$TRELLO_CALLBACK_URL"\n```\n\nTrello first calls the URL with HEAD, which fires nothing. Every body contains the URL, and the relay rejects a body with a GitHub token. Therefore use an endpoint, as `connect` does.',
}

export const scheme: OwnScheme = {
  page: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/#webhook-signatures',
  header: 'x-trello-webhook',
  algorithm: 'sha1',
  signatureEncoding: 'base64',
  signedPayload: '{body}{url}',
}

export const payloads: Payloads = {
  /** https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/ */
  update_card: ({ id, now }) => ({
    body: {
      action: {
        id: id.replaceAll('-', '').slice(0, 24),
        type: 'updateCard',
        date: now.toISOString(),
        data: {
          card: { id: '5a1b2c3d4e5f60718293a4b5', name: 'Write the docs', idShort: 7 },
          listBefore: { id: '5a1b2c3d4e5f60718293a4b6', name: 'Doing' },
          listAfter: { id: '5a1b2c3d4e5f60718293a4b7', name: 'Done' },
        },
        memberCreator: { id: '5a1b2c3d4e5f60718293a4b8', username: 'ada' },
      },
      model: { id: '5a1b2c3d4e5f60718293a4b9', name: 'Board' },
    },
  }),
}
