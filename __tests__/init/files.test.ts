import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { KINDS } from '../../src/dev/init/kinds.ts'
import { readInlineOn } from '../../src/workflow/inline-on.ts'
import { dispatchEvent, runAction } from '../support/action.ts'

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

describe.each([...KINDS.keys()])('what %s writes', (kind) => {
  const rows = NAMES.flatMap((name) => filesOf(kind, name).map(({ path, text }) => [path, text]))
  const native = rows.filter(([path]) => path?.startsWith('.github/workflows/'))

  test.each(native)('%s passes the parser of GitHub', async (path = '', text = '') => {
    expect(await platformErrors(path, text)).toEqual([])
  })
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
