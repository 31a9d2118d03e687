import { expect, test } from '@jest/globals'
import { verifyKey } from 'discord-interactions'
import { bound, receive } from '../support/receive.ts'
import { DISCORD, PUBLIC_KEY } from './recorded-discord.ts'
import { SECONDS } from './recording.ts'

test.each(DISCORD)(
  "$name: Discord's own package takes its signature",
  async ({ body, headers }) => {
    const signature = headers?.['X-Signature-Ed25519'] ?? ''
    expect(await verifyKey(body, signature, SECONDS, PUBLIC_KEY)).toBe(true)
  },
)

test.each([
  ['a PING', { type: 1, id: '1', token: 't', version: 1 }, 'is a handshake'],
  ['the PING of events', { type: 0, version: 1, application_id: '1' }, 'is a handshake'],
  ['autocomplete', { type: 4, id: '1', token: 't', data: {} }, 'is an autocomplete request'],
  ['a command without data', { type: 2, id: '1', token: 't' }, 'is not an event of Discord'],
  ['another type', { type: 9, id: '1', token: 't', data: {} }, 'is not an event of Discord'],
  ['something else', { a: 1 }, 'is not an event of Discord'],
  ['a list', [], 'is not an event of Discord'],
])('%s fires nothing', async (_, body, found) => {
  const { items, checks } = await receive(bound('discord', {}), { body: JSON.stringify(body) })
  expect(items).toEqual([])
  expect(checks).toEqual([{ option: 'body', held: false, found }])
})

const ADA = { user_id: '5', user_name: 'ada', is_bot: false }
const NOBODY = { user_id: null, user_name: null, is_bot: false }

test.each<[string, object, object]>([
  [
    'a menu',
    {
      user: { id: '5', username: 'ada' },
      data: { component_type: 3, custom_id: 'm', values: ['a'] },
      ...{ type: 3, message: { content: 'Which?' } },
    },
    { ...ADA, kind: 'menu', custom_id: 'm', values: ['a'], text: 'Which?' },
  ],
  [
    'a button of a message without content',
    { type: 3, member: { nick: 'x' }, data: { component_type: 2 }, message: {} },
    { ...NOBODY, kind: 'button', custom_id: null, text: null },
  ],
  [
    'a button without a message, pressed in a server',
    {
      ...{ type: 3, data: { component_type: 2, custom_id: 'b' } },
      member: { user: { id: '5', username: 'ada', bot: true } },
      user: { id: '6' },
    },
    { ...ADA, is_bot: true, kind: 'button', custom_id: 'b', text: null },
  ],
  ['a webhook event without data', { type: 1, event: { type: 'X' } }, { ...NOBODY, kind: 'event' }],
  [
    'a command without options',
    { type: 2, user: { bot: 'yes' }, data: { name: 'ping' } },
    { ...NOBODY, kind: 'command', command: 'ping', options_map: {} },
  ],
  [
    'a command without a name',
    { type: 2, data: {} },
    { ...NOBODY, kind: 'command', command: '', options_map: {} },
  ],
  [
    'a command with a group and a subcommand',
    {
      type: 2,
      data: {
        name: 'a',
        options: [
          {
            name: 'b',
            type: 2,
            options: [
              { name: 'c', type: 1, options: [{ name: 'd', type: 3, value: 0 }, { type: 3 }] },
            ],
          },
        ],
      },
    },
    { ...NOBODY, kind: 'command', command: 'a b c', options_map: { d: 0, '': null } },
  ],
  [
    'a modal',
    {
      type: 5,
      data: {
        custom_id: 'm',
        components: [
          {
            type: 1,
            components: [{ custom_id: 'a', value: '' }, { custom_id: 'b' }],
          },
          { type: 18, component: { custom_id: 'c', values: ['d'] } },
          'no object',
          { value: 'x' },
        ],
      },
    },
    { ...NOBODY, kind: 'modal', custom_id: 'm', fields_map: { a: '', c: ['d'] } },
  ],
  [
    'a modal without components',
    { type: 5, data: {} },
    { ...NOBODY, kind: 'modal', custom_id: null, fields_map: {} },
  ],
])('%s is an item, without the token', async (_, body, parts) => {
  const text = JSON.stringify({ ...body, token: 'capability' })
  const { items, checks } = await receive(bound('discord', {}), { body: text })
  expect(JSON.parse(JSON.stringify(items))).toEqual([{ ...body, ...parts }])
  expect(checks).toEqual([{ option: 'body', held: true, found: 'as the service sends it' }])
})

/** https://docs.discord.com/developers/events/webhook-events */
test.each([
  [
    { type: 'APPLICATION_AUTHORIZED', data: { user: { id: '5', username: 'ada' }, scopes: [] } },
    { user_id: '5', user_name: 'ada', is_bot: false },
  ],
  [
    { type: 'ENTITLEMENT_CREATE', data: { id: '1', user_id: '5', sku_id: '2' } },
    { user_id: '5', user_name: null, is_bot: false },
  ],
  [
    {
      type: 'LOBBY_MESSAGE_CREATE',
      data: { content: 'hi', channel_id: '7', author: { id: '5', username: 'b', bot: true } },
    },
    { user_id: '5', user_name: 'b', is_bot: true, channel_id: '7' },
  ],
])('the parts of the webhook event %j', async (event, parts) => {
  const body = JSON.stringify({ version: 1, application_id: '9', type: 1, event })
  const { items } = await receive(bound('discord', {}), { body })
  expect(items).toEqual([
    { version: 1, application_id: '9', type: 1, event, kind: 'event', ...parts },
  ])
})
