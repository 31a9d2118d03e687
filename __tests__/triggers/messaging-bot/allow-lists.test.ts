import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../../src/engine/evaluate-event.ts'
import { textsAtLevel } from '../../../src/wire/messages.ts'
import { botPorts, botWorkflow } from '../../support/bot-run.ts'
import { MESSAGES, textMessage, UPDATES } from '../../support/messages.ts'

const ADA = 1111111
const GROUP = -1001234567890

/** Whether an update fires with these options, and the summary. */
async function fires(kind: string, content: object, options: string) {
  const body = JSON.stringify({ update_id: 1, [kind]: content })
  const client_payload = { path: 'bot/messaging_bot', method: 'POST', headers: {}, body }
  const event = { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }
  const on = `messaging_bot:\n  webhook: true\n  updates: ${kind}\n  ${options}\n`
  const run = await evaluate(event, botWorkflow(on), botPorts('http://127.0.0.1:1'))
  return {
    fired: run.items.length === 1,
    reason: run.reason,
    warnings: textsAtLevel(run.messages, 'warning'),
  }
}

describe('chats', () => {
  test.each<[string, string, object, boolean]>([
    [`chats: ${ADA}`, 'message', textMessage('hi'), true],
    [`chats: "${ADA}"`, 'message', textMessage('hi'), true],
    [`chats: [5, ${ADA}]`, 'message', textMessage('hi'), true],
    ['chats: [5, 6]', 'message', textMessage('hi'), false],
    [`chats: ${GROUP}`, 'message', MESSAGES.new_chat_title, true],
    [`chats: ${-GROUP}`, 'message', MESSAGES.new_chat_title, false],
    [`chats: ${ADA}`, 'callback_query', UPDATES.callback_query, true],
    ['chats: 5', 'callback_query', UPDATES.callback_query, false],
    [`chats: ${GROUP}`, 'chat_join_request', UPDATES.chat_join_request, true],
    [`chats: ${ADA}`, 'inline_query', UPDATES.inline_query, false],
    [`chats: ${ADA}`, 'message', { ...textMessage('hi'), chat: { id: 5, title: `${ADA}` } }, false],
    [`chats: ${ADA}`, 'message', { ...textMessage('hi'), chat: undefined }, false],
    ['chats: 4503599627370495', 'message', { text: 'x', chat: { id: 4503599627370495 } }, true],
    ['chats: 4503599627370494', 'message', { text: 'x', chat: { id: 4503599627370495 } }, false],
  ])('%s: %s', async (options, kind, content, fired) => {
    expect((await fires(kind, content, options)).fired).toBe(fired)
  })
})

describe('users', () => {
  test.each<[string, string, object, boolean]>([
    [`users: ${ADA}`, 'message', textMessage('hi'), true],
    ['users: 5', 'message', textMessage('hi'), false],
    [`users: ${ADA}`, 'callback_query', UPDATES.callback_query, true],
    ['users: 110201543', 'callback_query', UPDATES.callback_query, false],
    [`users: ${ADA}`, 'message_reaction', UPDATES.message_reaction, true],
    [`users: ${ADA}`, 'poll_answer', UPDATES.poll_answer, true],
    [`users: ${ADA}`, 'channel_post', UPDATES.channel_post, false],
    [`users: ${ADA}`, 'message', { ...MESSAGES.text, from: undefined, user: { id: 5 } }, false],
    [`users: ${ADA}`, 'message', { ...MESSAGES.text, from: { id: 5 }, user: { id: ADA } }, false],
  ])('%s: %s', async (options, kind, content, fired) => {
    expect((await fires(kind, content, options)).fired).toBe(fired)
  })

  test('and chats must both hold', async () => {
    const message = { ...MESSAGES.new_chat_title }
    const both = (chat: number, user: number) =>
      fires('message', message, `chats: ${chat}\n  users: ${user}`)
    expect((await both(GROUP, ADA)).fired).toBe(true)
    expect((await both(GROUP, 5)).fired).toBe(false)
    expect((await both(5, ADA)).fired).toBe(false)
  })
})

test('the reason, which anyone can read, does not contain the user', async () => {
  const { reason } = await fires('message', textMessage('let me in'), 'users: 5')
  expect(reason).toBe('users not on the list')
})

test.each([
  [`users: ${ADA}`, '"users" without "secretToken" protects nothing'],
  ['users: 5', '"users" without "secretToken" protects nothing'],
  [`chats: ${ADA}`, '"chats" without "secretToken" protects nothing'],
  ['wait: 0', undefined],
])('a pushed update without a secret token warns with %s', async (options, warning) => {
  const { warnings } = await fires('message', textMessage('hi'), options)
  expect(warnings.map((text) => text.split(':', 1)[0])).toEqual(warning ? [warning] : [])
})
