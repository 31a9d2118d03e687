import { isObject, without } from '../wire/json.ts'
import { payloads } from './senders/trello.ts'
import { serviceTrigger } from './service.ts'

/** https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/ */
export const trello = serviceTrigger({
  name: 'trello',
  description: 'Fires on any action on the board, list or card at Trello that the webhook watches.',
  scheme: 'trello',
  key: 'action.id',
  outputs: {
    action: 'The action: `id`, `type` such as `createCard`, `date`, `data`, `memberCreator`.',
    model: 'The board, list or card that the webhook watches, in its present state.',
    webhook: 'The webhook, without the URL that it calls.',
  },
  stringOutputs: [],
  columns: ['action.type', 'action.data', 'action.date'],
  read({ body }) {
    if (!isObject(body) || !isObject(body.action)) return 'is not an action'
    if (!isObject(body.webhook)) return body
    // The URL contains the GitHub token.
    return { ...body, webhook: without(body.webhook, ['callbackURL']) }
  },
  payloads,
})
