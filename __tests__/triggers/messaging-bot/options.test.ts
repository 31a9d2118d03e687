import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { UserError } from '../../../src/wire/errors.ts'
import type { Json } from '../../../src/wire/json.ts'
import { renderProblem } from '../../../src/workflow/code-frame.ts'
import { readOnSection } from '../../../src/workflow/workflow.ts'
import { botPorts, botWorkflow, POLL } from '../../support/bot-run.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

/** The printed mistakes of an `on:` section; empty if it has none. */
function mistakes(on: string, secrets: Record<string, Json> = { BOT: BOT_TOKEN }): string {
  const source = { name: 'input "on"', text: on, file: '.github/workflows/bot.yml' }
  try {
    readOnSection('bot', source, { contexts: { secrets }, triggers: TRIGGERS })
    return ''
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map((problem) => renderProblem(problem)).join('\n')
  }
}

/** A bot that polls, with further options. */
function bot(...options: string[]): string {
  return POLL + options.map((line) => `  ${line}`).join('\n')
}

describe('are accepted', () => {
  test.each([
    ['a token alone', bot()],
    ['the alias', bot().replace('messaging_bot', 'telegram_bot')],
    ['a webhook without a token', 'messaging_bot:\n  webhook: true'],
    ['one event', bot('event: text')],
    ['several events, newer ones too', bot('event: [photo, live_photo, web_app_data]')],
    ['further kinds of update', bot('updates: [edited_message, callback_query]')],
    ['ids as numbers and as text', bot('chats: [-1001234567890, "42"]', 'users: 4503599627370495')],
    ['a time to wait', bot('wait: 50')],
    ['a secret token', 'messaging_bot:\n  webhook: true\n  secretToken: abc_DEF-1'],
    ['common configuration', bot('config:', '  limit: 5')],
  ])('%s', (_, on) => {
    expect(mistakes(on)).toBe('')
  })

  test('a token that was stored with a line break at its end', () => {
    expect(mistakes(bot(), { BOT: `${BOT_TOKEN}\n` })).toBe('')
  })
})

describe('an example to try it with', () => {
  const example = (on: string) => {
    const source = { name: 'input "on"', text: on, file: 'bot.yml' }
    return readOnSection('bot', source, {
      contexts: { secrets: { BOT: BOT_TOKEN } },
      triggers: TRIGGERS,
    }).triggers[0]?.example
  }

  test('is there for a webhook without a secret, and would fire', async () => {
    const request = example('messaging_bot: { webhook: true, event: text }')
    const client_payload = { path: 'bot/messaging_bot', method: 'POST', body: request?.body ?? '' }
    const event = { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }
    const workflow = botWorkflow('messaging_bot: { webhook: true, event: text }')
    expect((await evaluate(event, workflow, botPorts('http://127.0.0.1:1'))).items).toHaveLength(1)
  })

  test('is not there for what would not fire', () => {
    expect(example(POLL)).toBeUndefined()
    expect(example('messaging_bot: { webhook: true, secretToken: abc }')).toBeUndefined()
  })
})

describe('a secret that is not what it is for', () => {
  const NOT_SET =
    'is empty: is the secret set, and given to the action under "secrets", or to dev in .env?'
  const byWebhook = 'messaging_bot:\n  webhook: true\n  secretToken: ${{ secrets.BOT }}'

  test.each<[string, string, Record<string, Json>, string]>([
    ['a token that is not set', bot(), {}, `"token": secrets.BOT ${NOT_SET}`],
    ['an empty token', bot(), { BOT: '' }, `"token": secrets.BOT ${NOT_SET}`],
    ['a token that GitHub left out', 'messaging_bot:\n  token: ', {}, `"token" ${NOT_SET}`],
    ['a secret token that is not set', byWebhook, {}, `"secretToken": secrets.BOT ${NOT_SET}`],
  ])('%s', (_, on, secrets, message) => {
    expect(mistakes(on, secrets)).toContain(`error: ${message}\n`)
  })

  test.each([
    [bot(), 'it is not a bot token: digits, a colon and a string, as BotFather gives it'],
    [byWebhook, 'it is not a secret token: 1 to 256 letters, digits, "_" and "-"'],
  ])('of another kind: what it should look like, without it', (on, hint) => {
    const shown = mistakes(on, { BOT: 'ghp abcdef' })
    expect(shown).toContain(`^ ${hint}`)
    expect(shown).not.toContain('abcdef')
  })
})

describe('are refused, at their place', () => {
  test('a misspelt event, with the nearest name', () => {
    expect(mistakes(bot('event: fotoo'))).toContain('unknown message type "fotoo"')
    expect(mistakes(bot('event: potho'))).toMatch(
      /3 \| +event: potho\n.*\^{5} did you mean "photo"\?/,
    )
    expect(mistakes(bot('event: [text, vidoe]'))).toContain('^^^^^ did you mean "video"?')
  })

  test.each<[string, string, string]>([
    ['a misspelt kind of update', bot('updates: edited_mesage'), 'did you mean "edited_message"?'],
    ['a misspelt option', bot('events: text'), 'did you mean "event"?'],
    ['no token', 'messaging_bot:\n  event: text', '"token" is needed to poll'],
    ['no options at all', 'messaging_bot', '"token" is needed to poll'],
    ['a list of nobody', bot('users: []'), '"users" is an empty list'],
    ['ids as a mapping', bot('chats: {a: 1}'), '"chats" is a mapping, not a number or a string'],
    ['an id that is a name', bot('chats: "@news"'), '"chats" is not an id'],
    ['an id with a fraction', bot('users: [1.5]'), '"users" is not an id'],
    ['too long a wait', bot('wait: 51'), '"wait" is more than 50'],
    ['a negative wait', bot('wait: -1'), '"wait" is less than 0'],
    ['a wait with a fraction', bot('wait: 0.5'), '"wait" is not a whole number'],
    ['a webhook that is text', bot('webhook: "yes"'), '"webhook" is a string, not a boolean'],
    ['a secret token with a space', bot('secretToken: a b'), '"secretToken" is not a secret token'],
    ['two mistakes: the first', bot('wait: 51', 'event: txt'), '"wait" is more than 50'],
    ['two mistakes: the second', bot('wait: 51', 'event: txt'), 'did you mean "text"?'],
  ])('%s', (_, on, message) => {
    expect(mistakes(on)).toContain(message)
  })

  test.each<[string, Json]>([
    ['empty', ''],
    ['not there', null],
    ['"bot" before it', `bot${BOT_TOKEN}`],
    ['a path in it', '1:a/../../elsewhere'],
    ['a query in it', '1:a?b'],
  ])('a token that is %s, without showing it', (_, token) => {
    const shown = mistakes(bot(), { BOT: token })
    expect(shown).toContain('"token"')
    if (token) expect(shown).not.toContain(token)
  })
})
