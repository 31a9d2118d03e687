import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { readInlineOn } from '../../../src/compiler/native.ts'
import { dispatchEvent, runAction } from '../../support/action.ts'
import { textMessage } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

/** Names that YAML, or an expression, could take for something else. */
const NAMES = ['hook', 'on', 'true', '1.0', 'a.b-c_d', 'null']

async function platformErrors(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map((error) => error.message)
}

function filesOf(kind: string, name: string) {
  const answers = { kind, name, repository: 'octo/repo', relay: 'https://relay.example.com' }
  return KINDS.get(kind)?.files(answers) ?? []
}

const NATIVE = [...KINDS.keys()]
  .flatMap((kind) =>
    NAMES.flatMap((name) => filesOf(kind, name).map((file) => ({ kind, ...file }))),
  )
  .filter(({ path }) => path.startsWith('.github/workflows/'))

test.each(NATIVE)('$path of kind $kind passes the parser of GitHub', async ({ path, text }) => {
  expect(await platformErrors(path, text)).toEqual([])
})

describe('the workflow of kind webhook', () => {
  const [{ text } = { text: '' }] = filesOf('webhook', 'hook')

  test('declares a trigger that hookline dev finds', () => {
    const file = '.github/workflows/hook.yml'
    const workflow = readInlineOn('hook', { name: file, file, text }, {})
    expect(workflow?.triggers.map(({ name }) => name)).toEqual(['webhook'])
  })

  test('fires in the action', async () => {
    const on = parse(text).jobs.react.steps[0].with.on
    const payload = { path: 'hook/webhook', method: 'POST', headers: {}, body: 'hello' }
    const { outputs } = await runAction({ ...dispatchEvent(payload), inputs: { on } })
    expect(outputs).toMatchObject({ triggered: 'true', body: 'hello' })
  })
})

test('the workflow of kind bot hands on what was written to the bot', async () => {
  const [{ text } = { text: '' }] = filesOf('bot', 'bot')
  const on: string = parse(text).jobs.poll.steps[0].with.on
  const telegram = await new TelegramStandIn().start()
  telegram.push('message', textMessage('hello'))
  const { outputs } = await runAction({
    event: 'schedule',
    payload: { schedule: '*/5 * * * *' },
    calling: 'bot',
    inputs: {
      on: on.replace('${' + '{ secrets.BOT_TOKEN }}', BOT_TOKEN),
      'messaging-api-url': telegram.url,
    },
  })
  await telegram.stop()
  expect(outputs).toMatchObject({ triggered: 'true', text: 'hello' })
  expect(JSON.parse(outputs.items ?? '')).toHaveLength(1)
})

test('a workflow file to compile begins with the schema that editors check it by', async () => {
  const [{ text } = { text: '' }] = filesOf('compiled', 'hook')
  const [first] = text.split('\n')
  expect(first).toMatch(
    /^# yaml-language-server: \$schema=https:\/\/raw\.githubusercontent\.com\/hookline\/hookline\/(?:main|v[\d.]+)\/schema\/hookline-workflow\.json$/,
  )
})
