import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../../src/engine/evaluate-event.ts'
import { UPDATE_KINDS } from '../../../src/triggers/messaging-bot/places.ts'
import {
  MESSAGE_TYPES,
  messageType,
  SPECIFIED_TYPES,
} from '../../../src/triggers/messaging-bot/updates.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { botPorts, botWorkflow, POLL, runMain } from '../../support/bot-run.ts'
import { commandIn, MESSAGES, UPDATES } from '../../support/messages.ts'
import { TelegramStandIn } from '../../support/telegram.ts'

/** The item of a polled update, with further options. */
async function polled(kind: string, content: unknown, options = '') {
  const telegram = await new TelegramStandIn().start()
  try {
    telegram.enqueue(kind, content)
    return await runMain(botWorkflow(POLL + options), botPorts(telegram.url))
  } finally {
    await telegram.stop()
  }
}

/** The item of the same update if Telegram sends it. */
async function pushed(kind: string, content: unknown, options = '') {
  const body = JSON.stringify({ update_id: 866_350_101, [kind]: content })
  const headers = { 'content-type': 'application/json' }
  const client_payload = { path: 'bot/messaging_bot', method: 'POST', headers, body }
  const event = { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }
  const workflow = botWorkflow(`messaging_bot:\n  webhook: true\n${options}`)
  return evaluate(event, workflow, botPorts('http://127.0.0.1:1'))
}

describe('a message of each type of the specification', () => {
  test.each(SPECIFIED_TYPES)('%s: the same item, polled or pushed', async (type) => {
    const message = MESSAGES[type]
    const expected = parseJson(
      JSON.stringify({ ...message, ...commandIn(message), update_id: 866_350_101 }),
    )
    const only = `  event: ${type}\n`
    const items = [await polled('message', message, only), await pushed('message', message, only)]

    expect(items.map((run) => run.items)).toEqual([[expected], [expected]])
  })

  test.each(SPECIFIED_TYPES)('%s is not among the other types', async (type) => {
    const others = SPECIFIED_TYPES.filter((name) => name !== type)
    const run = await pushed('message', MESSAGES[type], `  event: [${others.join(', ')}]\n`)
    expect(run.items).toEqual([])
    expect(run.reason).toContain(`event ${type} is not among`)
  })

  test('there are 28, and each has a message here', () => {
    expect(SPECIFIED_TYPES).toHaveLength(28)
    expect(Object.keys(MESSAGES).sort()).toEqual([...SPECIFIED_TYPES].sort())
  })
})

describe('the type of a message', () => {
  test.each(MESSAGE_TYPES)('%s', (type) => {
    expect(messageType({ message_id: 1, [type]: {} })).toBe(type)
  })

  test.each([
    ['animation', 'document'],
    ['live_photo', 'photo'],
    ['venue', 'location'],
  ] as const)('is %s when there is a %s beside it, in either order', (type, beside) => {
    expect(messageType({ [type]: {}, [beside]: {} })).toBe(type)
    expect(messageType({ [beside]: {}, [type]: {} })).toBe(type)
  })

  test('is nothing for one that is not known yet: it fires only where any message does', async () => {
    const message = { ...MESSAGES.dice, dice: undefined, hologram: {} }
    expect((await pushed('message', message)).items).toHaveLength(1)
    expect((await pushed('message', message, '  event: text\n')).items).toEqual([])
  })

  test('is looked for in the message, not in what it replies to', async () => {
    const message = { ...MESSAGES.text, reply_to_message: MESSAGES.photo }
    expect((await pushed('message', message, '  event: photo\n')).items).toEqual([])
  })
})

describe('each kind of update', () => {
  test.each(UPDATE_KINDS)('%s: its item, when updates names it, polled or pushed', async (kind) => {
    const content = UPDATES[kind]
    const command = kind.endsWith('message') ? commandIn(content) : {}
    const expected = { ...content, ...command, update_id: 866_350_101, update_type: kind }
    const options = `  updates: ${kind}\n`
    const runs = [await polled(kind, content, options), await pushed(kind, content, options)]
    expect(runs.map((run) => run.items)).toEqual([[expected], [expected]])
  })

  test.each(UPDATE_KINDS)(
    '%s fires without being named only when it is a new message',
    async (kind) => {
      const runs = [await polled(kind, UPDATES[kind]), await pushed(kind, UPDATES[kind])]
      const count = kind === 'message' || kind === 'channel_post' ? 1 : 0
      expect(runs.map((run) => run.items.length)).toEqual([count, count])
    },
  )

  test.each(['edited_message', 'business_message', 'guest_message'] as const)(
    'event narrows %s too, since it is a message',
    async (kind) => {
      const run = await pushed(kind, UPDATES[kind], `  updates: ${kind}\n  event: photo\n`)
      expect(run.items).toEqual([])
    },
  )

  test('event does not keep out a pressed button, which is no message', async () => {
    const options = '  updates: callback_query\n  event: photo\n'
    expect((await pushed('callback_query', UPDATES.callback_query, options)).items).toHaveLength(1)
  })
})

describe('the command of a message', () => {
  const command = (text: string, length: number, offset = 0) => ({
    ...{ message_id: 1, date: 1, chat: { id: 1, type: 'private' }, text },
    entities: [{ type: 'bot_command', offset, length }],
  })

  test.each([
    ['/deploy', 7, { command: '/deploy', command_args: '', command_bot: '' }],
    [
      '/deploy@my_bot staging  now\n',
      14,
      { command: '/deploy', command_args: 'staging  now', command_bot: 'my_bot' },
    ],
  ])('%j', async (text, length, parts) => {
    const [item] = (await pushed('message', command(text, length))).items
    expect(item).toMatchObject(parts)
  })

  test('is also read from a caption', async () => {
    const { text, entities, ...message } = command('/scan@my_bot it', 12)
    const [item] = (
      await pushed('message', { ...message, caption: text, caption_entities: entities })
    ).items
    expect(item).toMatchObject({ command: '/scan', command_args: 'it', command_bot: 'my_bot' })
  })

  test.each([
    ['a command later in the text', command('run /deploy', 7, 4)],
    ['a text that only looks like one', { ...command('/deploy', 7), entities: undefined }],
    ['marks without their text', { ...command('/deploy', 7), text: undefined }],
  ])('is absent for %s', async (_, message) => {
    const [item] = (await pushed('message', message)).items
    expect(item).toBeDefined()
    expect(item).not.toHaveProperty('command')
  })
})

describe('a group that became a supergroup', () => {
  const [from, to] = [-100, -1001234567890]
  const old = { ...MESSAGES.migrate_to_chat_id, chat: { id: from }, migrate_to_chat_id: to }
  const next = { ...MESSAGES.migrate_from_chat_id, chat: { id: to }, migrate_from_chat_id: from }

  test.each([
    ['the message in the group', old],
    ['the message in the supergroup, which is not on the list', next],
  ])('%s warns, with the id to write into "chats"', async (_, message) => {
    const runs = [
      await polled('message', message, `  chats: [${from}]\n`),
      await pushed('message', message, `  chats: [${from}]\n`),
    ]
    for (const { messages } of runs) {
      const moved = messages.filter(({ code }) => code === 'moved-chat')
      expect(moved.map(({ text }) => text)).toEqual([
        expect.stringMatching(/the group -100 .* Write -1001234567890 into "chats"/),
      ])
    }
  })

  test.each([
    ['both ids are on the list', `  chats: [${from}, ${to}]\n`],
    ['there is no list', ''],
    ['the group was never on the list', '  chats: 5\n'],
  ])('there is no warning if %s', async (_, options) => {
    const { messages } = await pushed('message', old, options)
    expect(messages.filter(({ code }) => code === 'moved-chat')).toEqual([])
  })
})
