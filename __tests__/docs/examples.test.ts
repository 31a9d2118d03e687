import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Session, startSession } from './session.ts'
import { runSource, type Scenario } from './workflows.ts'

const EXAMPLES = new URL('../../examples/workflows/', import.meta.url)

/**
 * Examples that other tests cover: only Amazon can sign for `aws-sns`, the commands of
 * docs/senders/curl.md sign for `curl`, and `slack` replies to an address of Slack.
 */
const ELSEWHERE = ['aws-sns', 'curl', 'slack']

const NAMES = readdirSync(EXAMPLES)
  .map((file) => file.replace(/\.yml$/, ''))
  .filter((name) => !ELSEWHERE.includes(name))

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'bot-chat-ops': {
    message: {
      text: '/deploy staging',
      entities: [{ type: 'bot_command', offset: 0, length: 7 }],
      from: { id: 1111111, is_bot: false, first_name: 'Ada' },
      chat: { id: -1001234567890, type: 'supergroup', title: 'Deploy room' },
    },
  },
}

/** Each example runs on an event that fires and on one that does not. */
describe('workflows of examples/', () => {
  let session: Session
  beforeAll(async () => {
    session = await startSession(undefined)
  })
  afterAll(() => session.close())

  test.each(NAMES)('examples/workflows/%s.yml', async (name) => {
    const text = readFileSync(new URL(`${name}.yml`, EXAMPLES), 'utf8')
    await runSource(name, text, session, SCENARIOS[name])
    expect(session.elsewhere.faults).toEqual([])
  })
})
