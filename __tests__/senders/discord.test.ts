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
])('%s fires nothing', async (_, body, found) => {
  const { items, checks } = await receive(bound('discord', {}), { body: JSON.stringify(body) })
  expect(items).toEqual([])
  expect(checks.at(-1)).toMatchObject({ held: false, found: expect.stringContaining(found) })
})

test.each([
  ['a menu', { type: 3, data: { component_type: 3, custom_id: 'm', values: ['a'] } }, 'menu'],
  ['a webhook event', { type: 1, event: { type: 'APPLICATION_AUTHORIZED' } }, 'event'],
  ['a command without options', { type: 2, data: { name: 'ping' } }, 'command'],
])('%s is an item', async (_, body, kind) => {
  const text = JSON.stringify({ ...body, token: 'capability' })
  const { items } = await receive(bound('discord', {}), { body: text })
  expect(items).toEqual([expect.objectContaining({ kind })])
  expect(JSON.stringify(items)).not.toContain('capability')
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
  expect(items).toMatchObject([{ kind: 'event', ...parts }])
})
