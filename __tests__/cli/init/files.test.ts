import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { ownAction } from '../../../src/cli/own-action.ts'
import { SENDERS } from '../../../src/triggers/senders.ts'
import type { DispatchMode } from '../../../src/wire/payload.ts'
import { validate } from '../../compiler/support/editor.ts'
import { Repository } from '../../compiler/support/repository.ts'
import { dispatchEvent, runInShared } from '../../support/action.ts'
import { checkByLevel } from '../../support/findings.ts'
import { textMessage } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

/** Names that YAML or an expression could misread. */
const NAMES = ['hook', 'on', 'true', '1.0', 'a.b-c_d', 'null']

async function platformErrors(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map((error) => error.message)
}

test('the page about a Telegram bot shows the file that init --kind bot writes', () => {
  const answers = { name: 'bot', uses: 'hookline/hookline@v1' }
  const [file] = KINDS.get('bot')?.files(answers) ?? []
  const page = new URL('../../../docs/start/telegram-bot.md', import.meta.url)
  const [, shown] =
    /```yaml\n# \.github\/workflows\/bot\.yml\n(.*?)```/s.exec(readFileSync(page, 'utf8')) ?? []
  expect(shown).toBe(file?.text)
})

function filesOf(kind: string, name: string, dispatch?: DispatchMode) {
  return KINDS.get(kind)?.files({ name, dispatch }) ?? []
}

const MODES = ['repository', 'workflow'] as const

const NATIVE = [...KINDS.keys()]
  .flatMap((kind) =>
    MODES.flatMap((dispatch) =>
      NAMES.flatMap((name) =>
        filesOf(kind, name, dispatch).map((file) => ({ kind, dispatch, ...file })),
      ),
    ),
  )
  .filter(({ path }) => path.startsWith('.github/workflows/'))

test.each(NATIVE)(
  '$path of kind $kind, dispatch $dispatch, passes the parser of GitHub',
  async ({ path, text }) => {
    expect(await platformErrors(path, text)).toEqual([])
  },
)

test.each(MODES)(
  'check --strict finds nothing in the files of all kinds and senders, started by %s',
  async (dispatch) => {
    const repository = new Repository()
    const names = [undefined, ...SENDERS]
    const files = names.flatMap((sender) => {
      const answers = { sender, dispatch }
      return [...KINDS].flatMap(([kind, { files }]) =>
        files({ name: `${kind}-${sender?.name ?? 'any'}`, ...answers }),
      )
    })
    for (const { path, text } of files) repository.write(path, text)
    const checked = await checkByLevel({ root: repository.root, globs: [], strict: true })
    repository.remove()
    // The repository has one file already.
    expect(checked).toEqual({
      count: files.length + 1,
      errors: [],
      warnings: [],
      notChecked: [],
      fixed: [],
    })
  },
)

describe('the workflow of kind webhook', () => {
  const [{ text } = { text: '' }] = filesOf('webhook', 'hook')

  test('fires in the action', async () => {
    const on = parse(text).jobs.react.steps[0].with.on
    const payload = { path: 'hook/webhook', method: 'POST', headers: {}, body: 'hello' }
    const { outputs } = await runInShared({ ...dispatchEvent(payload), inputs: { on } })
    expect(outputs).toMatchObject({ triggered: 'true', body: 'hello' })
  })

  test('uses the given action, or else that of its package', () => {
    const uses = `acme/hookline@${'a'.repeat(40)}`
    const [own] = KINDS.get('webhook')?.files({ name: 'hook', uses }) ?? []
    expect(parse(own?.text ?? '').jobs.react.steps[0].uses).toBe(uses)
    expect(parse(text).jobs.react.steps[0].uses).toBe('hookline/hookline@v1')
  })

  const released = { name: 'hookline', version: '1.2.3', gitHead: 'a'.repeat(40) }
  test.each([
    ['its commit if it is released', released, `hookline/hookline@${'a'.repeat(40)} # v1.2.3`],
    ['v1 in a clone', { name: 'hookline', version: '1.2.3' }, 'hookline/hookline@v1'],
    ['v1 in another package', { ...released, name: 'other' }, 'hookline/hookline@v1'],
    ['v1 with half a commit', { ...released, gitHead: 'abc' }, 'hookline/hookline@v1'],
  ])('of a package is %s', (_, manifest, action) => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-package-'))
    mkdirSync(join(folder, 'dist/cli'), { recursive: true })
    const script = join(folder, 'dist/cli/index.js')
    writeFileSync(script, '')
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    expect(ownAction(script)).toBe(action)
    rmSync(folder, { recursive: true })
  })
})

describe('a workflow that the relay starts directly', () => {
  const [{ text } = { text: '' }] = filesOf('webhook', 'hook', 'workflow')
  const workflow = parse(text)

  test('has the input of the relay, and the delivery in the name of its runs', () => {
    expect(workflow.on).toEqual({
      workflow_dispatch: { inputs: { hookline: expect.objectContaining({ type: 'string' }) } },
    })
    expect(workflow.jobs.react.if).toBe("inputs.hookline != ''")
    expect(workflow['run-name']).toBe(
      `hook $${'{'}{ fromJSON(inputs.hookline || '{}').headers['x-hookline-delivery'] }}`,
    )
  })

  test('fires in the action, but not if it is started manually', async () => {
    const { on } = workflow.jobs.react.steps[0].with
    const payload = { path: 'hook/webhook', method: 'POST', headers: {}, body: 'hello' }
    const fired = (hookline: string) =>
      runInShared({ event: 'workflow_dispatch', payload: { inputs: { hookline } }, inputs: { on } })
    const [webhook, byHand] = await Promise.all([fired(JSON.stringify(payload)), fired('')])
    expect(webhook.outputs).toMatchObject({ triggered: 'true', body: 'hello' })
    expect(byHand).toMatchObject({ exitCode: 0, outputs: { triggered: 'false', items: '[]' } })
  })
})

test('the workflow of kind bot outputs the message to the bot', async () => {
  const [{ text } = { text: '' }] = filesOf('bot', 'bot')
  const on: string = parse(text).jobs.poll.steps[0].with.on
  const telegram = await new TelegramStandIn().start()
  telegram.push('message', textMessage('hello'))
  const { outputs } = await runInShared({
    event: 'schedule',
    payload: { schedule: '*/5 * * * *' },
    calling: 'bot',
    inputs: {
      on: on.replace('${' + '{ secrets.BOT_TOKEN }}', BOT_TOKEN),
      'telegram-api-url': telegram.url,
    },
  })
  await telegram.stop()
  expect(outputs).toMatchObject({ triggered: 'true', text: 'hello' })
  expect(JSON.parse(outputs.items ?? '')).toHaveLength(1)
})

test('the schema accepts a workflow to compile of every sender', () => {
  const { files } = KINDS.get('compiled') ?? {}
  for (const sender of [undefined, ...SENDERS]) {
    const [{ text } = { text: '' }] = files?.({ name: 'x', sender, dispatch: 'workflow' }) ?? []
    expect([sender?.name, validate(parse(text)), validate.errors]).toEqual([
      sender?.name,
      true,
      null,
    ])
    // The comment by which editors find the schema.
    expect(text).toMatch(/^# yaml-language-server: \$schema=https:.*\/hookline-workflow\.json\n/)
  }
})
