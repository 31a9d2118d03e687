import type { Facts, OwnScheme, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Trello',
  trigger: 'trello',
  secret: 'TRELLO_SECRET',
  shown: 'the *Secret* of the Power-Up, under *API key*',
  handshake: 'both',
  retries: 'three times: after 30, 60, 120 seconds',
  repeat: 'action.id',
  events: ['action.type', 'createCard', 'updateCard', 'commentCard'],
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

export const page: Page = {
  click:
    'one call, with key and token of [trello.com/power-ups/admin](https://trello.com/power-ups/admin) and the id of the board (`.json` behind its address shows it):\n\n```sh\ncurl -X POST \'https://api.trello.com/1/webhooks\' \\\n  -d "key=$TRELLO_KEY" -d "token=$TRELLO_TOKEN" -d \'idModel=5f4fbbc5250c34138444068d\' \\\n  --data-urlencode "callbackURL=$TRELLO_CALLBACK_URL"\n```\n\nTrello first calls the URL with HEAD, which is no action. It repeats the URL in every body, and the relay refuses a body with a token of GitHub: let the URL carry a grant, a sealed token or a key of the relay.',
  outputs:
    '`action` says what happened, `model` what is watched, as [Trello describes](https://developer.atlassian.com/cloud/trello/guides/rest-api/action-types/). `webhook` comes without the URL.',
  more: 'Trello switches a webhook off after a long time without success.',
}
