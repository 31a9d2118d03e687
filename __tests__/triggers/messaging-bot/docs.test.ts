import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { updateItem } from '../../../src/triggers/messaging-bot/updates.ts'
import { messagingBot } from '../../../src/triggers/messaging-bot.ts'
import { readOnSection, readWorkflowFile } from '../../../src/workflow/workflow.ts'
import { botPorts, botWorkflow, runMain, updateIds } from '../../support/bot-run.ts'
import { textMessage } from '../../support/messages.ts'
import { readOutputFile } from '../../support/output-file.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

const root = new URL('../../../', import.meta.url)
const page = ['start/telegram-bot', 'guides/reply', 'reference/messaging-bot']
  .map((name) => readFileSync(new URL(`docs/${name}.md`, root), 'utf8'))
  .join('\n')

interface Step {
  readonly name?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: { readonly on?: string }
}

/** The complete workflow files of the pages with the trigger, by their names. */
const WORKFLOWS = new Map(
  [...page.matchAll(/^ *```yaml\n *# \.github\/workflows\/(\S+)\n([\s\S]*?)```/gm)].flatMap(
    ([, name = '', text = '']) => (text.includes('messaging_bot:') ? [[name, text] as const] : []),
  ),
)

function steps(name: string): Step[] {
  const { jobs } = parse(WORKFLOWS.get(name) ?? '') as { jobs: Record<string, { steps: Step[] }> }
  return Object.values(jobs).flatMap((job) => job.steps)
}

/** The `on:` section for the action, after GitHub has evaluated its expressions. */
function onSection(name: string): string {
  const on = steps(name).find((step) => step.with)?.with?.on ?? ''
  return on
    .replace(/\$\{\{ secrets.BOT_TOKEN \}\}/, BOT_TOKEN)
    .replace(/\$\{\{ secrets.BOT_SECRET \}\}/, 'correct-horse_battery-staple')
}

/** Runs a step's script as a runner does; `curl` prints its arguments. */
async function runStep(script: string, env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-step-'))
  try {
    const GITHUB_OUTPUT = join(folder, 'output')
    const curl = 'curl() { printf "%s\\n" "$@"; }\n'
    const stdout = await new Promise<string>((resolve, reject) => {
      const options = { env: { ...env, GITHUB_OUTPUT }, cwd: folder }
      execFile('bash', ['-e', '-c', curl + script], options, (error, text) =>
        error ? reject(error) : resolve(text),
      )
    })
    const outputs = await readFile(GITHUB_OUTPUT, 'utf8').catch(() => '')
    return { stdout, outputs: readOutputFile(outputs) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the pages have a poller, a webhook and a chat-ops workflow, complete', () => {
  expect([...WORKFLOWS.keys()]).toEqual(['bot.yml', 'bot-webhook.yml', 'chat-ops.yml'])
})

describe.each([...WORKFLOWS])('%s of the pages about bots', (name, content) => {
  test('has an on: section without a mistake', () => {
    const source = { name, text: onSection(name), file: name }
    expect(
      readOnSection('bot', source, { contexts: {}, triggers: TRIGGERS }).triggers.map(
        (trigger) => trigger.name,
      ),
    ).toEqual(['messaging_bot'])
  })

  test('waits its turn, with queue: max, when it polls', () => {
    const { on, concurrency } = parse(content) as { on: object; concurrency?: { queue: string } }
    expect(concurrency?.queue).toBe('schedule' in on ? 'max' : undefined)
  })
})

describe('the chat-ops workflow', () => {
  const group = { id: -1001234567890, type: 'supergroup', title: 'Deploy room' }
  const person = (id: number) => ({ id, is_bot: false, first_name: 'Somebody' })

  test('fires only for its users in its group', async () => {
    const telegram = await new TelegramStandIn().start()
    try {
      const say = (chat: object, from: object) =>
        telegram.push('message', { ...textMessage('/deploy staging'), chat, from })
      const [ours] = [say(group, person(1111111)), say(group, person(3333333))]
      say({ id: 1111111, type: 'private' }, person(1111111))
      const run = await runMain(botWorkflow(onSection('chat-ops.yml')), botPorts(telegram.url))
      expect(updateIds(run.items)).toEqual([ours])
    } finally {
      await telegram.stop()
    }
  })

  test.each([
    ['/deploy staging', 7, 'staging'],
    ['/deploy@my_bot production', 14, 'production'],
    ['/deploy@another_bot staging', 19, ''],
    ['/deploy staging; id', 7, ''],
    ['/deploy staging\ntarget=production', 7, ''],
    ['/deploy $(id)', 7, ''],
    ['/undo staging', 5, ''],
    ['/deploy staging', 0, ''],
    ['hello', 0, ''],
  ])('understands %j', async (text, length, target) => {
    const entities = length === 0 ? [] : [{ type: 'bot_command', offset: 0, length }]
    const kind = 'message'
    const item = updateItem({ id: 1, kind, content: { text, entities } })
    const step = steps('chat-ops.yml').find(({ name }) => name === 'Understand the command')
    const { run = '', env = {} } = step ?? {}
    // The runner writes a missing field as an empty string.
    const values = Object.entries(env).map(([name, value]) => {
      const [, field = ''] = /outputs\.(\w+)/.exec(value) ?? []
      return [name, field === '' ? value : String(item[field] ?? '')]
    })
    const { outputs } = await runStep(run, Object.fromEntries(values))
    expect(outputs).toEqual({ target })
  })
})

test('the options of docs/reference/messaging-bot.md are those of the trigger', () => {
  const table = page.slice(page.indexOf('| option |'), page.indexOf('A message has one type'))
  const named = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, option]) => option),
  )
  expect([...named, 'config'].sort()).toEqual([...messagingBot.optionNames].sort())
})

describe('examples/workflows', () => {
  const folder = new URL('examples/workflows/', root)
  const names = readdirSync(folder).filter((name) => name.startsWith('bot'))

  test('has three bots', () => {
    expect(names).toEqual(['bot-chat-ops.yml', 'bot-webhook.yml', 'bot.yml'])
  })

  test.each(names)('%s has no mistake', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const secrets = { BOT_TOKEN, BOT_SECRET: 'secret' }
    const workflow = readWorkflowFile(
      name,
      { name, text, file: name },
      { contexts: { secrets }, triggers: TRIGGERS },
    )
    expect(workflow.triggers.map((trigger) => trigger.name)).toEqual(['messaging_bot'])
  })
})
