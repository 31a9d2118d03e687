import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { writtenOutputs } from '../../src/action/outputs.ts'
import { summaryHtml } from '../../src/action/summary.ts'
import { arrivalOf, isShown } from '../../src/action/summary-tables.ts'
import type { WorkflowSource } from '../../src/engine/engine-ports.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { explain } from '../../src/engine/explanation.ts'
import { memoryBackend } from '../../src/state/memory.ts'
import { createStore } from '../../src/state/store.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { OptionError, UserError } from '../../src/wire/errors.ts'
import type { Json } from '../../src/wire/json.ts'
import type { Workflow } from '../../src/workflow/workflow.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { batchDispatch, type Sent } from '../support/batches.ts'
import { testPorts } from '../support/ports.ts'
import { Queue, queueWorkflow, updates } from '../support/queue-trigger.ts'

/** An event, the workflows that it may concern, and everything that the run shows of it. */
interface Case {
  readonly name: string
  /** The `on:` sections by the names of their workflows. A number of items is a queue to poll. */
  readonly workflows: Readonly<Record<string, string | QueueCase>>
  readonly calling?: string
  /** The workflows that the event polls. */
  readonly polled?: readonly string[]
  readonly event?: string
  readonly payload?: Json
  /** The request of a `repository_dispatch`; several are a batch. */
  readonly sent?: Json
  readonly batch?: readonly Sent[]
  readonly store?: true
  readonly isPublic?: true
  readonly shown: Readonly<Record<string, unknown>>
}

interface QueueCase {
  readonly items: number
  readonly config?: Json
  /** Why the trigger does not poll. */
  readonly idle?: string
}

const CASES: readonly Case[] = parse(readFileSync(new URL('events.yml', import.meta.url), 'utf8'))

const SECRETS = { S: 'hunter2' }

function workflowOf(name: string, given: string | QueueCase): Workflow {
  if (typeof given === 'string') {
    const source = { name, file: `${name}.yml`, text: given }
    return readOnSection(name, source, { contexts: { secrets: SECRETS }, triggers: TRIGGERS })
  }
  const queue = new Queue()
  queue.put(...updates(1, given.items))
  return { ...queueWorkflow(queue, given.config, given.idle), name }
}

function sourceOf({ workflows, calling = 'hook', polled }: Case): WorkflowSource {
  return {
    calling,
    names: () => Object.keys(workflows),
    find(name) {
      const found = workflows[name]
      return found === undefined ? undefined : workflowOf(name, found)
    },
    ...(polled && { polled: () => polled }),
  }
}

async function eventOf({ event: name = 'repository_dispatch', payload, sent, batch }: Case) {
  if (batch) return batchDispatch(batch)
  return { name, payload: payload ?? { action: 'webhook', client_payload: sent ?? null } }
}

async function shown(given: Case): Promise<Case['shown']> {
  const event = await eventOf(given)
  const store = given.store && createStore(memoryBackend(() => Date.UTC(2026, 0, 2, 3, 4)))
  const workflows = sourceOf(given)
  const ports = testPorts({ store })
  try {
    const evaluation = await evaluate(event, workflows, ports)
    const readers = { isPublic: given.isPublic ?? false, secrets: SECRETS }
    const explanations = await explain(evaluation, {
      scripts: ports.scripts,
      shows: (path, value) => isShown(path, value, readers),
    })
    const { reason, miss, messages, effects, decisions } = evaluation
    const about = { ...readers, arrival: await arrivalOf(event), workflow: workflows.calling }
    return withoutAbsent({
      ...{ reason, miss, messages, effects, decisions, explanations },
      outputs: Object.fromEntries(writtenOutputs(evaluation)),
      summary: summaryHtml(evaluation, { ...about, explanations }),
    })
  } catch (error) {
    if (!(error instanceof UserError || error instanceof OptionError)) throw error
    const { problems = [{ message: error.message }] } = error as Partial<UserError>
    return withoutAbsent({
      failed: problems.map(({ message, hint, notes, position }) => {
        return { message, hint, notes, line: position?.line }
      }),
    })
  }
}

/** The same as plain JSON, without empty lists. */
function withoutAbsent(all: Readonly<Record<string, unknown>>) {
  const present = Object.entries(all).filter(([, value]) => !Array.isArray(value) || value.length)
  return JSON.parse(JSON.stringify(Object.fromEntries(present)))
}

test.each(CASES)('$name', async (given) => {
  expect(await shown(given)).toEqual(given.shown)
})
