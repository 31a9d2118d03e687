import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { http } from '../../src/action/http.ts'
import { reply } from '../../src/action/reply.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'

const MANIFEST = parse(readFileSync(new URL('../../reply/action.yml', import.meta.url), 'utf8'))

let telegram: TelegramStandIn
let slack: Server
let received: unknown[]
let status = 200

beforeAll(async () => {
  slack = createServer(async (request, response) => {
    received.push({ url: request.url, body: JSON.parse(await textOf(request)) })
    response.writeHead(status).end('ok')
  })
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => slack.close(resolve)))
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
  received = []
  status = 200
})
afterEach(() => telegram.stop())

const slackUrl = () => `http://127.0.0.1:${(slack.address() as AddressInfo).port}`

/** Answers as the step would, with every input at its default that is not given. */
async function answer(given: Record<string, string>) {
  const masked: string[] = []
  const own = { 'messaging-api-url': telegram.url, 'slack-url': slackUrl(), ...given }
  const input = (name: string) => {
    if (!(name in MANIFEST.inputs)) throw new Error(`action.yml has no input ${name}`)
    return String(new Map(Object.entries(own)).get(name) ?? MANIFEST.inputs[name].default ?? '')
  }
  const ports = { http, sleep: async () => {}, mask: (secret: string) => void masked.push(secret) }
  return { id: await reply(input, ports), masked }
}

const fired = (trigger: string, outputs: unknown) =>
  JSON.stringify({
    webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} },
    [trigger]: { outcome: 'success', conclusion: 'success', outputs },
  })

const MESSAGE = { message_id: 5, chat: { id: -100123 }, text: 'hello' }
const chat = { text: 'done', token: BOT_TOKEN }

describe('a chat of a bot', () => {
  test.each([
    ['a message', MESSAGE, {}],
    [
      'a topic of a forum',
      { ...MESSAGE, message_thread_id: 9, is_topic_message: true },
      { message_thread_id: 9 },
    ],
    ['a chain of replies', { ...MESSAGE, message_thread_id: 9 }, {}],
    ['a pressed button', { id: '1', data: 'yes', message: MESSAGE }, {}],
  ])('is answered: %s', async (_, outputs, more) => {
    const { id, masked } = await answer({ to: fired('messaging_bot', outputs), ...chat })
    expect({ id, masked }).toEqual({ id: '4711', masked: [BOT_TOKEN] })
    const reply_parameters = { message_id: 5, allow_sending_without_reply: true }
    expect(telegram.calls).toMatchObject([
      {
        method: 'sendMessage',
        parameters: { chat_id: -100123, text: 'done', reply_parameters, ...more },
      },
    ])
    if (Object.keys(more).length === 0) {
      expect(telegram.calls[0]?.parameters).not.toHaveProperty('message_thread_id')
    }
  })

  test('what was said is changed', async () => {
    const to = fired('telegram_bot', MESSAGE)
    expect((await answer({ to, ...chat, edit: '4711' })).id).toBe('4711')
    expect(telegram.calls).toMatchObject([
      { method: 'editMessageText', parameters: { chat_id: -100123, message_id: '4711' } },
    ])
  })

  test('a token that is none is told, without it', async () => {
    const refused = answer({ to: fired('messaging_bot', MESSAGE), text: 'x', token: 'hunter2' })
    await expect(refused).rejects.toThrow(/input "token" is not a bot token$/)
  })
})

describe('Slack', () => {
  const url = () => `${slackUrl()}/commands/T1/2/x`
  const to = (response_url: string) => fired('slack', { kind: 'command', response_url })

  test.each([
    ['is answered', {}, { text: 'done' }],
    ['is changed', { edit: 'yes' }, { text: 'done', replace_original: true }],
  ])('%s', async (_, more: Record<string, string>, body) => {
    const { id, masked } = await answer({ to: to(url()), text: 'done', ...more })
    expect({ id, masked, received }).toEqual({
      id: '',
      masked: [url()],
      received: [{ url: '/commands/T1/2/x', body }],
    })
  })

  test.each([
    ['elsewhere', () => url().replace('127.0.0.1', 'localhost')],
    ['with another scheme', () => url().replace('http:', 'https:')],
    ['with a host as a user name', () => url().replace('//', '//hooks.slack.com@')],
    ['that is none', () => 'hooks.slack.com/x'],
    ['of the network', () => 'http://169.254.169.254/latest/meta-data'],
  ])('a response_url %s is refused before any call', async (_, foreign) => {
    await expect(answer({ to: to(foreign()), text: 'done' })).rejects.toThrow(/nothing was sent/)
    expect(received).toEqual([])
  })

  test('a refusal is told', async () => {
    status = 404
    await expect(answer({ to: to(url()), text: 'done' })).rejects.toThrow(/refused .*\(404\)/)
  })
})

test.each([
  ['an item of a trigger without a way back', fired('webhook', { body: {} }), /cannot be answered/],
  ['an event of Slack', fired('slack', { kind: 'event' }), /without a response_url/],
  ['an update without a chat', fired('messaging_bot', { update_id: 1 }), /without a chat/],
  ['a list of items', fired('messaging_bot', [MESSAGE]), /combine/],
  ['nothing that fired', '{"webhook":{"outcome":"skipped","outputs":{}}}', /nothing fired/],
  ['nothing at all', '', /no "on" context/],
])('%s is told', async (_, to, message) => {
  await expect(answer({ to, ...chat })).rejects.toThrow(message)
  expect(telegram.calls).toEqual([])
})
