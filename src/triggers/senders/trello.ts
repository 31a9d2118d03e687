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
  encoding: 'base64',
  template: '{body}{url}',
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
    'one call makes a webhook. Key and token are those of [trello.com/power-ups/admin](https://trello.com/power-ups/admin), `idModel` is the board (`.json` behind its address shows it):\n\n```sh\ncurl -X POST \'https://api.trello.com/1/webhooks\' \\\n  -d "key=$TRELLO_KEY" -d "token=$TRELLO_TOKEN" -d \'idModel=5f4fbbc5250c34138444068d\' \\\n  --data-urlencode "callbackURL=$TRELLO_CALLBACK_URL"\n```\n\nTrello calls the URL with HEAD first; that run says that this was no action. It repeats the URL in every body, and the relay refuses a body that holds the platform\'s token: the URL has to carry a grant, a sealed token or a key of the relay.',
  outputs:
    '`action` says what happened and `model` what the webhook watches, as [Trello describes them](https://developer.atlassian.com/cloud/trello/guides/rest-api/action-types/). The URL is left out of `webhook`.',
  more: '`url` is the very text that was given as `callbackURL`. Trello switches the webhook off after a long time without success.',
}
