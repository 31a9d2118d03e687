import { isObject, without } from '../wire/json.ts'
import { payloads } from './senders/slack.ts'
import { serviceTrigger } from './service.ts'
import { NOT_SLACK, slackItem } from './slack/places.ts'

/**
 * Reads all requests of Slack: the Events API, slash commands, interactions, and the older outgoing
 * webhooks.
 */
export const slack = serviceTrigger({
  name: 'slack',
  description: 'Fires on a message, event, slash command or interaction in Slack.',
  scheme: 'slack',
  key: 'event_id',
  outputs: {
    kind: '`event`, `command`, `interaction` or, from an outgoing webhook, `message`.',
    text: 'Text of the message, or the text after the slash command.',
    user_id: 'Id of the user.',
    user_name: 'Name of the user; absent for an event.',
    channel_id: 'Id of the channel.',
    channel_name: 'Name of the channel; absent for an event.',
    thread_ts: 'Timestamp of the message that starts the thread; empty outside of a thread.',
    is_bot:
      'Whether a bot wrote the message or changed it. Filter by `is_bot: false`, so that your bot does not reply to itself.',
    team_id: 'Id of the workspace.',
    team_domain: 'Name of the workspace in its address, for a command or a message.',
    timestamp:
      'Time of the message, which is also its id in the channel; for an event without a message, its own time.',
    type: '`event_callback` for an event; for an interaction its type, such as `block_actions`.',
    event: 'The event as Slack describes it; `type` names its type.',
    event_id: 'Id of the event.',
    command: 'The slash command, such as `/deploy`.',
    trigger_word: 'The word that started an outgoing webhook.',
    actions: 'The pressed buttons and chosen values of an interaction.',
    view: 'The view of an interaction.',
    trigger_id:
      'Id with which the app can open a view as the response to a command or an interaction.',
  },
  stringOutputs: [
    'kind',
    'text',
    'user_id',
    'user_name',
    'channel_id',
    'channel_name',
    'team_id',
    'team_domain',
    'thread_ts',
    'timestamp',
    'type',
    'event_id',
    'command',
    'trigger_word',
    'trigger_id',
  ],
  columns: ['kind', 'event.type', 'command', 'text', 'event.text', 'user_name'],
  read({ body }) {
    if (!isObject(body)) return NOT_SLACK
    if (body.type === 'url_verification' || body.ssl_check !== undefined) return 'is a handshake'
    const item = slackItem(body)
    return typeof item === 'string' ? item : without(item, CAPABILITIES)
  },
  payloads,
})

/**
 * Fields that let anyone act in Slack, so they are no outputs, because other people read logs: the
 * old verification token, URLs that write into a channel, and the token of a function.
 */
const CAPABILITIES = ['token', 'response_url', 'response_urls', 'bot_access_token']
