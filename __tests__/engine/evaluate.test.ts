import { describe, expect, test } from '@jest/globals'
import type { WorkflowSource } from '../../src/engine/engine-ports.ts'
import { evaluate as evaluateIn } from '../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import type { Json } from '../../src/wire/json.ts'
import type { GitHubEvent } from '../../src/wire/payload.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { testPorts } from '../support/ports.ts'

function evaluate(event: GitHubEvent, workflows: WorkflowSource) {
  return evaluateIn(event, workflows, testPorts())
}

const CONTEXTS = { secrets: {}, vars: {}, github: {}, env: {} }

function workflows(files: Record<string, string>, calling = 'hook') {
  return {
    calling,
    names: () => Object.keys(files),
    find: (name: string) => {
      const text = files[name]
      const source = { name, file: name, text: text ?? '' }
      return text === undefined
        ? undefined
        : readOnSection(name, source, { contexts: CONTEXTS, triggers: TRIGGERS })
    },
  }
}

const sent = (path: string, more: Record<string, Json> = {}) => ({
  name: 'repository_dispatch',
  payload: { action: 'webhook', client_payload: { path, method: 'POST', headers: {}, ...more } },
})

const files = { hook: 'webhook: {method: post}', other: '[push]', any: 'webhook' }

describe('which trigger a webhook fires', () => {
  test.each([
    ['hook/webhook', 'hook'],
    ['/hook/webhook', 'hook'],
    ['%68ook/web%68ook', 'hook'],
    ['any/webhook/x/y?z', 'any'],
  ])('%s', async (path, workflow) => {
    const evaluation = await evaluate(sent(path), workflows(files))
    expect(evaluation).toMatchObject({ workflow, trigger: 'webhook', reason: undefined })
    expect(evaluation.items).toHaveLength(1)
    expect(evaluation.decisions).toMatchObject([{ trigger: 'webhook', fired: true }])
  })

  test.each([
    [
      'hok/webhook',
      'the webhook addresses the workflow "hok"; here: "hook", "other", "any" (did you mean "hook"?)',
    ],
    ['zzzzzz/webhook', 'the webhook addresses the workflow "zzzzzz"; here: "hook", "other", "any"'],
    [
      '//hook/webhook',
      'the webhook addresses the workflow (not a name); here: "hook", "other", "any"',
    ],
    [
      'hook/webhook2',
      'the webhook addresses the trigger "webhook2"; "hook" declares: "webhook" (did you mean "webhook"?)',
    ],
    ['hook', 'the webhook addresses no trigger behind the workflow; "hook" declares: "webhook"'],
    ['hook/<b>', 'the webhook addresses the trigger (not a name); "hook" declares: "webhook"'],
    ['other/webhook', 'the webhook addresses the trigger "webhook"; "other" declares: none'],
  ])('none: %s', async (path, reason) => {
    const evaluation = await evaluate(sent(path), workflows(files))
    expect(evaluation).toMatchObject({ reason, items: [], contexts: [], workflow: '', trigger: '' })
  })

  test('none, with a decision for each declared trigger', async () => {
    const { decisions, reason } = await evaluate(
      sent('hook/webhook', { method: 'GET' }),
      workflows(files),
    )
    expect(reason).toBe('method get is not among post')
    expect(decisions).toMatchObject([{ trigger: 'webhook', fired: false }])
  })

  test('a workflow is looked for only when it is addressed', async () => {
    const broken = { ...files, broken: 'webhook: [' }
    expect((await evaluate(sent('hook/webhook'), workflows(broken))).items).toHaveLength(1)
    await expect(evaluate(sent('broken/webhook'), workflows(broken))).rejects.toThrow('YAML')
  })

  test('no workflow at all', async () => {
    const { reason } = await evaluate(sent('hook/webhook'), workflows({}))
    expect(reason).toBe('the webhook addresses the workflow "hook"; here: none')
  })
})

describe('an event that is none of Hookline’s', () => {
  const skipped = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }

  test.each([
    ['push', {}],
    ['repository_dispatch', { action: 'other', client_payload: {} }],
    ['repository_dispatch', null],
    ['repository_dispatch', []],
  ])(
    '%s %j: no item, and the triggers of the calling workflow as skipped',
    async (name, payload) => {
      const { contexts, items, unfired, decisions } = await evaluate(
        { name, payload },
        workflows(files),
      )
      expect(items).toEqual([])
      expect(contexts).toEqual([])
      expect({ ...unfired }).toEqual({ webhook: skipped })
      expect(decisions).toMatchObject([{ trigger: 'webhook', fired: false }])
    },
  )

  test('an empty context when the calling workflow is none of Hookline’s', async () => {
    const { unfired } = await evaluate({ name: 'push', payload: {} }, workflows(files, 'ci'))
    expect({ ...unfired }).toEqual({})
  })
})

test('the relay’s metadata goes with what fired and with what did not', async () => {
  const headers = { 'x-hookline-delivery': 'd', 'x-hookline-received-at': 't' }
  for (const path of ['hook/webhook', 'none/webhook']) {
    const evaluation = await evaluate(sent(path, { headers }), workflows(files))
    expect(evaluation).toMatchObject({ delivery: 'd', receivedAt: 't' })
  }
})
