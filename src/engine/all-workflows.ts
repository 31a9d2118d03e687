import type { ExampleRequest, Proof } from '../triggers/trigger.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { WorkflowSource } from './ports.ts'

/** All workflows that can be read, and the mistakes of the others. */
export interface AllWorkflows {
  readonly found: readonly Workflow[]
  readonly problems: readonly Problem[]
}

/** Reads every workflow there is: one wrong file does not hide the others. */
export function readAllWorkflows(open: () => WorkflowSource): AllWorkflows {
  const opened = attempt(() => {
    const source = open()
    return { source, names: source.names() }
  })
  if ('problems' in opened) return { found: [], problems: opened.problems }
  const { source, names } = opened.value
  const results = names.map((name) => attempt(() => source.find(name)))
  return {
    found: results.flatMap((result) => ('value' in result ? (result.value ?? []) : [])),
    problems: results.flatMap((result) => ('problems' in result ? result.problems : [])),
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] }

function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof UserError) return { problems: error.problems }
    throw error
  }
}

/** A trigger that waits for requests, with the address that it answers to. */
export interface FoundTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly url: string
  /** `undefined` when only its sender can make a request that fires it. */
  readonly example: ExampleRequest | undefined
  readonly proofs: readonly Proof[]
  /** Its `config.filter`, where there is one. */
  readonly filter?: JsonObject | undefined
}

/** The triggers of workflows that take webhooks, as addresses below `base`. */
export function foundTriggers(base: string, workflows: readonly Workflow[]): FoundTrigger[] {
  return workflows.flatMap(({ name: workflow, triggers }) =>
    triggers.flatMap(({ name: trigger, takesWebhooks, example, proofs, config }) => {
      const url = `${base}/webhook/${encodeURIComponent(workflow)}/${trigger}`
      return takesWebhooks
        ? [{ workflow, trigger, url, example, proofs, filter: config.filter }]
        : []
    }),
  )
}

/** The triggers of workflows that poll: `bot/messaging_bot`. */
export function polledTriggers(workflows: readonly Workflow[]): string[] {
  return workflows.flatMap(({ name, triggers }) =>
    triggers.flatMap((trigger) => (trigger.poll ? [`${name}/${trigger.name}`] : [])),
  )
}
