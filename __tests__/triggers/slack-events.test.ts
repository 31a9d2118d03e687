import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { KINDS } from '../../src/cli/init/kinds.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { EVENT_PLACES, slackItem } from '../../src/triggers/slack/places.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { botPorts, botWorkflow } from '../support/bot-run.ts'
import { type ChatStandIn, fired, replyWith, slackStandIn } from '../support/chats.ts'
import { bound, receive } from '../support/receive.ts'

/** The parts of an item, and the thread in which it is answered. */
interface Parts {
  readonly channel_id: string | null
  readonly user_id: string | null
  readonly text: string | null
  readonly thread_ts: string | null
  readonly answeredIn: string | undefined
}

const NONE = { channel_id: null, user_id: null, text: null, thread_ts: null, answeredIn: undefined }

const THREAD = '1482960137.003543'
const TS = '1355517523.000005'

/** The events as https://docs.slack.dev/reference/events shows them, by their types. */
const EVENTS: Readonly<Record<string, readonly [event: JsonObject, parts: Parts]>> = {
  message: [
    { type: 'message', channel: 'C5', user: 'U1', text: 'Hello', ts: TS },
    { ...NONE, channel_id: 'C5', user_id: 'U1', text: 'Hello', answeredIn: TS },
  ],
  'message in a thread': [
    { type: 'message', channel: 'C5', user: 'U1', text: 'Hello', ts: TS, thread_ts: THREAD },
    { channel_id: 'C5', user_id: 'U1', text: 'Hello', thread_ts: THREAD, answeredIn: THREAD },
  ],
  'message.message_changed': [
    {
      ...{ type: 'message', subtype: 'message_changed', hidden: true, channel: 'C5' },
      ...{ ts: '1358878755.000001', event_ts: '1358878755.000001' },
      message: { type: 'message', user: 'U1', text: 'edited', ts: TS, edited: { user: 'U1' } },
      previous_message: { type: 'message', user: 'U1', text: 'old', ts: TS },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', text: 'edited', answeredIn: TS },
  ],
  'message.message_deleted': [
    {
      ...{ type: 'message', subtype: 'message_deleted', hidden: true, channel: 'C5' },
      ...{ ts: '1358878755.000001', deleted_ts: TS },
      previous_message: { user: 'U1', text: 'old', ts: TS, thread_ts: THREAD },
    },
    { channel_id: 'C5', user_id: 'U1', text: 'old', thread_ts: THREAD, answeredIn: THREAD },
  ],
  'message.message_replied': [
    {
      ...{ type: 'message', subtype: 'message_replied', channel: 'C5', ts: '1482960137.003543' },
      message: { type: 'message', user: 'U1', text: 'Was?', thread_ts: THREAD, ts: THREAD },
    },
    { channel_id: 'C5', user_id: 'U1', text: 'Was?', thread_ts: THREAD, answeredIn: THREAD },
  ],
  app_mention: [
    { type: 'app_mention', user: 'U1', text: '<@U0> hi', ts: TS, channel: 'C5', event_ts: TS },
    { ...NONE, channel_id: 'C5', user_id: 'U1', text: '<@U0> hi', answeredIn: TS },
  ],
  reaction_added: [
    {
      ...{ type: 'reaction_added', user: 'U1', reaction: 'rocket', item_user: 'U2' },
      ...{ item: { type: 'message', channel: 'C5', ts: TS }, event_ts: '1360782804.083113' },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', answeredIn: TS },
  ],
  reaction_removed: [
    {
      ...{ type: 'reaction_removed', user: 'U1', reaction: 'rocket', item_user: 'U2' },
      ...{ item: { type: 'message', channel: 'C5', ts: TS }, event_ts: '1360782804.083113' },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', answeredIn: TS },
  ],
  file_shared: [
    {
      ...{ type: 'file_shared', channel_id: 'C5', file_id: 'F1', user_id: 'U1' },
      ...{ file: { id: 'F1' }, event_ts: '1361482916.000003' },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1' },
  ],
  file_created: [
    { type: 'file_created', file_id: 'F1', user_id: 'U1', file: { id: 'F1' } },
    { ...NONE, user_id: 'U1' },
  ],
  pin_added: [
    {
      ...{ type: 'pin_added', user: 'U1', channel_id: 'C5', event_ts: '1360782804.083113' },
      item: { type: 'message', channel: 'C5', message: { ts: TS, text: 'pinned', user: 'U2' } },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', text: 'pinned', answeredIn: TS },
  ],
  pin_removed: [
    {
      ...{ type: 'pin_removed', user: 'U1', channel_id: 'C5', has_pins: false },
      item: { type: 'message', channel: 'C5', message: { ts: TS, text: 'pinned' } },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', text: 'pinned', answeredIn: TS },
  ],
  'star_added, which the table does not name': [
    {
      ...{ type: 'star_added', user: 'U1', event_ts: '1360782804.083113' },
      item: { type: 'message', channel: 'C5', message: { ts: TS, thread_ts: THREAD } },
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', thread_ts: THREAD, answeredIn: THREAD },
  ],
  link_shared: [
    {
      ...{ type: 'link_shared', channel: 'C5', is_bot_user_member: true, user: 'U1' },
      ...{ message_ts: TS, thread_ts: THREAD, unfurl_id: 'C5.1', source: 'conversations_history' },
      links: [{ domain: 'example.com', url: 'https://example.com/12345' }],
    },
    { ...NONE, channel_id: 'C5', user_id: 'U1', thread_ts: THREAD, answeredIn: THREAD },
  ],
  'link_shared before its message': [
    {
      ...{ type: 'link_shared', channel: 'COMPOSER', user: 'U1', source: 'composer' },
      ...{ message_ts: 'Uxxxxxxx-909b5454', links: [] },
    },
    { ...NONE, user_id: 'U1' },
  ],
  assistant_thread_started: [
    {
      type: 'assistant_thread_started',
      assistant_thread: { user_id: 'U1', channel_id: 'D42', thread_ts: THREAD, context: {} },
      event_ts: '1715873754.429808',
    },
    { ...NONE, channel_id: 'D42', user_id: 'U1', thread_ts: THREAD, answeredIn: THREAD },
  ],
  assistant_thread_context_changed: [
    {
      type: 'assistant_thread_context_changed',
      assistant_thread: { user_id: 'U1', channel_id: 'D42', thread_ts: THREAD, context: {} },
    },
    { ...NONE, channel_id: 'D42', user_id: 'U1', thread_ts: THREAD, answeredIn: THREAD },
  ],
  app_home_opened: [
    { type: 'app_home_opened', user: 'U1', channel: 'D42', event_ts: TS, tab: 'home' },
    { ...NONE, channel_id: 'D42', user_id: 'U1' },
  ],
  member_joined_channel: [
    { type: 'member_joined_channel', user: 'U1', channel: 'C5', channel_type: 'C', inviter: 'U2' },
    { ...NONE, channel_id: 'C5', user_id: 'U1' },
  ],
  member_left_channel: [
    { type: 'member_left_channel', user: 'U1', channel: 'C5', channel_type: 'C', team: 'T1' },
    { ...NONE, channel_id: 'C5', user_id: 'U1' },
  ],
  channel_created: [
    { type: 'channel_created', channel: { id: 'C5', name: 'fun', created: 1, creator: 'U1' } },
    { ...NONE, channel_id: 'C5', user_id: 'U1' },
  ],
  channel_rename: [
    { type: 'channel_rename', channel: { id: 'C5', name: 'new_name', created: 1360782804 } },
    { ...NONE, channel_id: 'C5' },
  ],
  channel_archive: [
    { type: 'channel_archive', channel: 'C5', user: 'U1' },
    { ...NONE, channel_id: 'C5', user_id: 'U1' },
  ],
  team_join: [
    { type: 'team_join', user: { id: 'U1', name: 'ada', is_bot: false } },
    { ...NONE, user_id: 'U1' },
  ],
  'a type that the table does not name': [
    { type: 'star_added', user: 'U1', item: { type: 'message', channel: 'C5', ts: TS } },
    { ...NONE, channel_id: 'C5', user_id: 'U1', answeredIn: TS },
  ],
}

const SENT = {
  ...{ type: 'event_callback', team_id: 'T1', event_id: 'Ev1' },
  authorizations: [{ team_id: 'T1', user_id: 'UBOT', is_bot: true }],
}

async function itemOf(event: JsonObject): Promise<JsonObject> {
  const body = JSON.stringify({ ...SENT, event })
  const headers = { 'content-type': 'application/json' }
  const { items } = await receive(bound('slack', {}), { headers, body })
  return items[0] ?? {}
}

test('every event of the table has its payload here', () => {
  const types = Object.keys(EVENTS)
  expect(Object.keys(EVENT_PLACES).filter((type) => !types.includes(type))).toEqual([])
})

describe('the parts of an event, and its reply', () => {
  let api: ChatStandIn
  beforeEach(async () => {
    api = await slackStandIn().start()
  })
  afterEach(() => api.stop())

  const reply = (item: JsonObject, more = {}) =>
    replyWith({
      ...{ to: fired('slack', item), token: 'xoxb-1', 'slack-api-url': `${api.url}/api` },
      ...{ text: 'done', ...more },
    })

  test.each(Object.entries(EVENTS))('%s', async (_, [event, { answeredIn, ...parts }]) => {
    const item = await itemOf(event)
    const { timestamp: __, ...own } = item
    expect(own).toEqual({ ...SENT, event, ...parts, is_bot: false, kind: 'event' })
    const { warnings } = await reply(item)
    if (parts.channel_id === null)
      expect(warnings).toEqual([expect.stringMatching(/without a channel/)])
    else {
      expect(api.body(0)).toMatchObject({ channel: parts.channel_id })
      expect(api.body(0).thread_ts).toBe(answeredIn)
    }
  })

  const [message] = EVENTS.message ?? []

  test.each(['thread_not_found', 'cannot_reply_to_message'])(
    '%s fails with its cure, and is sent into the channel only if the input says so',
    async (error) => {
      const item = await itemOf(message ?? {})
      api.faults.push({ body: { ok: false, error } })
      expect((await reply(item)).warnings).toEqual([expect.stringMatching(/thread-gone: send/)])
      expect(api.calls).toHaveLength(1)
      api.faults.push({ body: { ok: false, error } })
      const { id, notices } = await reply(item, { 'thread-gone': 'send' })
      expect([id, notices]).toEqual([
        '1763712001.000100',
        [expect.stringMatching(/thread is gone/)],
      ])
      expect(api.body(-1)).toMatchObject({ channel: 'C5' })
      expect(api.body(-1)).not.toHaveProperty('thread_ts')
    },
  )

  test('an ephemeral reply is never sent without its thread', async () => {
    api.faults.push({ body: { ok: false, error: 'thread_not_found' } })
    await reply(await itemOf(message ?? {}), { ephemeral: 'true', 'thread-gone': 'send' })
    expect(api.paths).toEqual(['POST /api/chat.postEphemeral'])
  })
})

/** Messages of bots, which must not start the workflow that `init` writes. */
const OF_BOTS: Readonly<Record<string, JsonObject>> = {
  'its own message': {
    ...{ type: 'message', user: 'UBOT', bot_id: 'B1', app_id: 'A1', channel: 'C5' },
    ...{ ts: '17.2', thread_ts: '17.1', text: 'done' },
  },
  'its own message, by the user alone': { type: 'message', user: 'UBOT', channel: 'C5', ts: '1.1' },
  'a message of an old bot': { type: 'message', subtype: 'bot_message', channel: 'C5', ts: '1.1' },
  'its own message that it changed': {
    ...{ type: 'message', subtype: 'message_changed', channel: 'C5', ts: '1.2' },
    message: { bot_id: 'B1', text: 'done', ts: '1.1' },
  },
  'its own message that it deleted': {
    ...{ type: 'message', subtype: 'message_deleted', channel: 'C5', ts: '1.2', deleted_ts: '1.1' },
    previous_message: { bot_id: 'B1', text: 'done', ts: '1.1' },
  },
  'a mention by a bot': { type: 'app_mention', user: 'U2', bot_id: 'B2', channel: 'C5', ts: '1.1' },
}

describe('the workflow that init writes', () => {
  /** The options of the trigger without its signature, which other tests cover. */
  function filterOf(sender: string): string {
    const answers = { name: sender, sender: senderNamed(sender) }
    const [file] = KINDS.get('compiled')?.files(answers) ?? []
    const [, filter = ''] = /( +filter:\n(?: {8,}.*\n)+)/.exec(file?.text ?? '') ?? []
    return filter
  }

  async function fires(sender: string, body: object): Promise<boolean> {
    const workflow = botWorkflow(`${sender}:\n  config:\n${filterOf(sender)}`)
    const payload = {
      ...{ path: `bot/${sender}`, method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(body),
    }
    const event = {
      name: 'repository_dispatch',
      payload: { action: 'webhook', client_payload: payload },
    }
    const run = await evaluate(event, workflow, botPorts('http://127.0.0.1:9'))
    return run.items.length > 0
  }

  test.each(Object.entries(OF_BOTS))('slack: %s starts nothing', async (_, event) => {
    expect((await itemOf(event)).is_bot).toBe(true)
    expect(await fires('slack', { ...SENT, event })).toBe(false)
  })

  test('slack: a message of a person starts it', async () => {
    expect(await fires('slack', { ...SENT, event: EVENTS.message?.[0] })).toBe(true)
  })

  test.each([
    [false, true],
    [true, false],
  ])('discord: an interaction whose user is a bot (%s) starts it: %s', async (bot, starts) => {
    const user = { id: '5', username: 'x', ...(bot && { bot }) }
    const data = { id: '1', name: 'deploy', type: 1 }
    const interaction = { id: '1', application_id: '2', type: 2, member: { user }, data }
    expect(await fires('discord', interaction)).toBe(starts)
  })
})

/** Requests in other forms, and their items. */
test.each<[string, JsonObject, JsonObject]>([
  [
    'a slash command',
    { command: '/deploy', text: 'now', channel_id: 'C5', user_id: 'U1' },
    {
      command: '/deploy',
      text: 'now',
      channel_id: 'C5',
      user_id: 'U1',
      kind: 'command',
      is_bot: false,
    },
  ],
  [
    'an event with a place that is empty, and one that is an object without an id',
    {
      event: {
        type: 'other',
        channel: '',
        channel_id: null,
        item: { channel: 'C5' },
        user: {},
        user_id: 'U1',
        ts: '',
        event_ts: '7',
      },
    },
    {
      event: {
        type: 'other',
        channel: '',
        channel_id: null,
        item: { channel: 'C5' },
        user: {},
        user_id: 'U1',
        ts: '',
        event_ts: '7',
      },
      ...{ kind: 'event', channel_id: 'C5', user_id: 'U1', text: null, thread_ts: null },
      ...{ timestamp: '', is_bot: false },
    },
  ],
  [
    'an event without any place, of a type that is inherited',
    { event: { type: 'toString', subtype: 5 } },
    {
      event: { type: 'toString', subtype: 5 },
      ...{ kind: 'event', channel_id: null, user_id: null, text: null, thread_ts: null },
      ...{ timestamp: null, is_bot: false },
    },
  ],
])('%s', (_, body, item) => {
  expect(slackItem(body)).toEqual(item)
})

const NO_PARTS = { channel_id: null, user_id: null, text: null, thread_ts: null, timestamp: null }

test.each<[JsonObject, JsonObject]>([
  [{}, { user_name: null, channel_name: null, team_id: null }],
  [
    {
      user: { id: 'U1', username: 'ada', name: 'a' },
      channel: { id: 'C5', name: 'general' },
      team: { id: 'T1' },
      message: { text: 'hi', ts: '1.1', thread_ts: '1.0' },
      message_ts: '9',
    },
    {
      ...{ user_id: 'U1', user_name: 'ada', channel_id: 'C5', channel_name: 'general' },
      ...{ team_id: 'T1', text: 'hi', timestamp: '1.1', thread_ts: '1.0' },
    },
  ],
  [
    {
      user: { id: 'U1', name: 'a' },
      channel: 'C5',
      team: 'T1',
      container: { thread_ts: '1.0', message_ts: '1.1', channel_id: 'C6' },
    },
    {
      ...{ user_id: 'U1', user_name: 'a', channel_id: 'C5', channel_name: null },
      ...{ team_id: 'T1', timestamp: '1.1', thread_ts: '1.0' },
    },
  ],
  [
    { user: {}, channel: {}, team: {}, container: { channel_id: 'C6' }, message_ts: '9' },
    { user_name: null, channel_name: null, team_id: null, channel_id: 'C6', timestamp: '9' },
  ],
])('an interaction %j', (body, parts) => {
  expect(slackItem({ payload: JSON.stringify(body) })).toEqual({
    ...NO_PARTS,
    ...body,
    ...{ kind: 'interaction', is_bot: false },
    ...parts,
  })
})

test.each<[string, JsonObject, JsonObject, boolean]>([
  ['a user of the list', SENT, { type: 'reaction_added', user: 'UBOT' }, true],
  ['another user', SENT, { type: 'reaction_added', user: 'U1' }, false],
  ['no user', { authorizations: [{ is_bot: true }] }, { type: 'other' }, false],
  [
    'no user, and a list with none',
    { authorizations: [{ is_bot: true, user_id: null }] },
    { type: 'other' },
    false,
  ],
  [
    'a person of the list',
    { authorizations: [{ is_bot: false, user_id: 'U1' }] },
    { user: 'U1' },
    false,
  ],
  ['no list', { authorizations: 'U1' }, { user: 'U1' }, false],
  ['a list of strings', { authorizations: ['U1', null] }, { user: 'U1' }, false],
  ['a bot id that is no string', SENT, { type: 'message', bot_id: 5 }, false],
  ['a message of another subtype', SENT, { type: 'message', subtype: 'thread_broadcast' }, false],
])('%s is a bot: %s', (_, body, event, is_bot) => {
  expect(slackItem({ ...body, event })).toMatchObject({ is_bot })
})

test.each([
  [undefined, false],
  ['', false],
  ['B1', true],
])('a message of an outgoing webhook with the bot_id %j has is_bot %s', (bot_id, is_bot) => {
  const message = { channel_id: 'C5', user_id: 'U1', text: 'hi' }
  const body = { ...message, ...(bot_id !== undefined && { bot_id }) }
  expect(slackItem(body)).toEqual({ ...body, kind: 'message', is_bot })
})
