import { expect, test } from '@jest/globals'
import {
  type BotUpdate,
  chatId,
  firingKinds,
  isTelegramId,
  movedChat,
  readUpdate,
  updateItem,
  userId,
} from '../../../src/triggers/messaging-bot/updates.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'

test.each<[Json, BotUpdate | undefined]>([
  [
    { update_id: 0, message: { text: 'a' } },
    { id: 0, kind: 'message', content: { text: 'a' } },
  ],
  [
    { update_id: 9_007_199_254_740_991, message: 7, poll: { id: 'p' } },
    { id: 9_007_199_254_740_991, kind: 'poll', content: { id: 'p' } },
  ],
  [
    { update_id: 1, hologram: { a: 1 } },
    { id: 1, kind: undefined, content: {} },
  ],
  [{ update_id: 1 }, { id: 1, kind: undefined, content: {} }],
  [{ update_id: 9_007_199_254_740_992, message: {} }, undefined],
  [{ update_id: 1.5, message: {} }, undefined],
  [{ update_id: '1', message: {} }, undefined],
  [{ message: {} }, undefined],
  [[{ update_id: 1 }], undefined],
  [null, undefined],
])('the update %j', (value, update) => {
  expect(readUpdate(value)).toEqual(update)
})

const COMMAND = { type: 'bot_command', offset: 0, length: 7 }

const commandOf = (command: string, args: string, bot = '') => ({
  ...{ command, command_args: args, command_bot: bot },
})

test.each<[JsonObject, JsonObject]>([
  [{ text: '/deploy  a b ', entities: [COMMAND] }, commandOf('/deploy', 'a b')],
  [
    { text: '/deploy@my_bot\na', entities: [{ ...COMMAND, length: 14 }] },
    commandOf('/deploy', 'a', 'my_bot'),
  ],
  [{ caption: '/deploy', caption_entities: [COMMAND], entities: [] }, commandOf('/deploy', '')],
  [
    { text: '/deploy', entities: [7, { ...COMMAND, type: 'bold', length: 3 }, COMMAND] },
    commandOf('/deploy', ''),
  ],
  [
    { text: '/deploy /b', entities: [{ ...COMMAND, offset: 8, length: 2 }, COMMAND] },
    commandOf('/deploy', '/b'),
  ],
  [{ text: 'a', entities: [], caption: '/deploy', caption_entities: [COMMAND] }, {}],
  [{ text: 'a /deploy', entities: [{ ...COMMAND, offset: 2 }] }, {}],
  [{ text: '/deploy', entities: [{ ...COMMAND, type: 'bold' }] }, {}],
  [{ text: '/deploy', entities: [{ ...COMMAND, length: '7' }] }, {}],
  [{ text: '/deploy', entities: [{ ...COMMAND, length: 0 }] }, {}],
  [{ text: '@bot', entities: [{ ...COMMAND, length: 4 }] }, {}],
  [{ text: '/deploy', entities: { 0: COMMAND } }, {}],
  [{ text: '/deploy' }, {}],
  [{ caption: 7, caption_entities: [COMMAND] }, {}],
  [{}, {}],
])('the message %j has the command %j', (content, command) => {
  const update = { id: 5, kind: 'message', content } as const
  expect(updateItem(update)).toEqual({ ...content, ...command, update_id: 5 })
})

test('only a message has a command, and only a kind that is named has a type', () => {
  const content = { text: '/deploy', entities: [COMMAND] }
  const item = { ...content, update_id: 5 }
  expect(updateItem({ id: 5, kind: 'poll', content })).toEqual(item)
  expect(updateItem({ id: 5, kind: undefined, content }, ['poll'])).toEqual(item)
  expect(updateItem({ id: 5, kind: 'poll', content }, ['message', 'poll'])).toEqual({
    ...{ ...item, update_type: 'poll' },
  })
  expect(updateItem({ id: 5, kind: 'poll', content }, ['message'])).toEqual(item)
})

test.each<[BotUpdate['kind'], JsonObject, string | undefined, string | undefined]>([
  ['message', { chat: { id: -1 }, from: { id: 2 } }, '-1', '2'],
  [
    'message',
    { chat: { id: '-1001234567890123456' }, from: {} },
    '-1001234567890123456',
    undefined,
  ],
  ['callback_query', { message: { chat: { id: 3 } }, from: { id: 4 } }, '3', '4'],
  ['message_reaction', { chat: { id: 5 }, user: { id: 6 } }, '5', '6'],
  ['inline_query', { chat: { id: 7 }, from: { id: 8 } }, undefined, '8'],
  ['channel_post', { chat: { id: '7a' }, from: 8 }, undefined, undefined],
  [undefined, { chat: { id: 1 }, from: { id: 2 } }, undefined, undefined],
])('%s of %j belongs to the chat %s and the user %s', (kind, content, chat, user) => {
  const update = { id: 1, kind, content }
  expect([chatId(update), userId(update)]).toEqual([chat, user])
})

test.each<[JsonObject, readonly [string, string] | undefined]>([
  [{ migrate_to_chat_id: -100 }, ['-1', '-100']],
  [{ migrate_to_chat_id: '-100' }, ['-1', '-100']],
  [{ migrate_from_chat_id: -9 }, ['-9', '-1']],
  [{ migrate_to_chat_id: -100, migrate_from_chat_id: -9 }, ['-1', '-100']],
  [{ migrate_to_chat_id: 'a', migrate_from_chat_id: {} }, undefined],
  [{}, undefined],
])('a group with %j moved: %j', (content, moved) => {
  const chat = { id: -1 }
  expect(movedChat({ id: 1, kind: 'message', content: { chat, ...content } })).toEqual(moved)
  expect(movedChat({ id: 1, kind: 'message', content })).toBeUndefined()
})

test.each([
  [0, true],
  [-5, true],
  ['12345678901234567', true],
  ['-12', true],
  ['', false],
  ['1a', false],
  ['a1', false],
  ['--1', false],
  [null, false],
  [{}, false],
])('%j is the id of Telegram: %p', (value, is) => {
  expect(isTelegramId(value)).toBe(is)
})

test('new messages fire, and each kind that is named once more', () => {
  expect(firingKinds()).toEqual(['message', 'channel_post'])
  expect(firingKinds(['poll', 'message'])).toEqual(['message', 'channel_post', 'poll'])
})
