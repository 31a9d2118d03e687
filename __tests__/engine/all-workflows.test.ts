import { describe, expect, test } from '@jest/globals'
import { foundTriggers, polledTriggers, readAllWorkflows } from '../../src/engine/all-workflows.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { UserError } from '../../src/wire/errors.ts'
import type { Workflow } from '../../src/workflow/workflow.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { Queue, queueWorkflow } from '../support/queue-trigger.ts'

function workflow(name: string, text: string): Workflow {
  const source = { name, file: `${name}.yml`, text }
  return readOnSection(name, source, { contexts: { secrets: {} }, triggers: TRIGGERS })
}

const problemOf = (message: string) => new UserError({ message })

describe('all workflows', () => {
  const source = (find: (name: string) => Workflow | undefined) => () => ({
    calling: '',
    names: () => ['a', 'b', 'c', 'd'],
    find,
  })

  test('a workflow with mistakes does not hide the others', () => {
    const [a, d] = [workflow('a', 'webhook'), workflow('d', 'slack')]
    const { found, problems } = readAllWorkflows(
      source((name) => {
        if (name === 'b') throw problemOf('b is wrong')
        return { a, d }[name]
      }),
    )
    expect(found).toEqual([a, d])
    expect(problems).toEqual([{ message: 'b is wrong' }])
  })

  test('a folder that cannot be read is a problem, too', () => {
    const failing = () => {
      throw problemOf('no folder')
    }
    expect(readAllWorkflows(failing)).toEqual({
      found: [],
      problems: [{ message: 'no folder' }],
    })
  })

  test('an error of another kind is thrown', () => {
    const failing = source(() => {
      throw new TypeError('a bug')
    })
    expect(() => readAllWorkflows(failing)).toThrow(new TypeError('a bug'))
  })
})

test('each trigger that takes webhooks has its address', () => {
  const filter = { method: 'post' }
  const all = [
    workflow(
      'a b',
      `{webhook: {method: put, config: {filter: ${JSON.stringify(filter)}}}, push: {}}`,
    ),
    workflow('bot', 'messaging_bot: {token: "1:a"}\nslack:'),
  ]
  const found = foundTriggers('http://localhost:3000', all)
  expect(found.map(({ workflow, trigger, url }) => [workflow, trigger, url])).toEqual([
    ['a b', 'webhook', 'http://localhost:3000/webhook/a%20b/webhook'],
    ['bot', 'slack', 'http://localhost:3000/webhook/bot/slack'],
  ])
  expect(found.map((one) => [one.filter, one.example?.method])).toEqual([
    [filter, 'PUT'],
    [undefined, found[1]?.example?.method],
  ])
})

test('each trigger that polls is named', () => {
  const polling = { ...queueWorkflow(new Queue()), name: 'q' }
  const idle = { ...queueWorkflow(new Queue(), {}, 'it waits'), name: 'idle' }
  expect(polledTriggers([workflow('a', 'webhook'), polling, idle])).toEqual(['q/queue'])
})
