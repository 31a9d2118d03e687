import type { BoundTrigger, ExampleRequest, RequiredSignature } from '../triggers/trigger.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { WorkflowSource } from './engine-ports.ts'

/** The workflows that can be read, and the mistakes of the others. */
export function readAllWorkflows(open: () => WorkflowSource): {
  readonly found: readonly Workflow[]
  readonly problems: readonly Problem[]
} {
  const opened = readOrProblems(() => {
    const source = open()
    return { source, names: source.names() }
  })
  if ('problems' in opened) return { found: [], problems: opened.problems }
  const { source, names } = opened.value
  const results = names.map((name) => readOrProblems(() => source.find(name)))
  return {
    found: results.flatMap((result) => ('value' in result ? (result.value ?? []) : [])),
    problems: results.flatMap((result) => ('problems' in result ? result.problems : [])),
  }
}

function readOrProblems<Value>(
  read: () => Value,
): { readonly value: Value } | { readonly problems: readonly Problem[] } {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof UserError) return { problems: error.problems }
    throw error
  }
}

/** A trigger that waits for requests, with the address that it responds to. */
export interface FoundTrigger {
  readonly workflow: string
  readonly trigger: string
  readonly url: string
  /** A request that fires the trigger; `undefined` if only the real sender can make one. */
  readonly example: ExampleRequest | undefined
  readonly signatures: readonly RequiredSignature[]
  /** For a bot: the kinds of updates to register, in addition to new messages. */
  readonly updates: BoundTrigger['updates']
  /** The trigger's `config.filter`, if it has one. */
  readonly filter?: JsonObject | undefined
}

/** The triggers that take webhooks, each with its address below `base`. */
export function foundTriggers(base: string, workflows: readonly Workflow[]): FoundTrigger[] {
  return workflows.flatMap(({ name: workflow, triggers }) =>
    triggers.flatMap(({ name: trigger, takesWebhooks, example, signatures, updates, config }) => {
      const url = `${base}/webhook/${encodeURIComponent(workflow)}/${trigger}`
      return takesWebhooks
        ? [{ workflow, trigger, url, example, signatures, updates, filter: config.filter }]
        : []
    }),
  )
}

/** The names of the triggers that poll: `bot/messaging_bot`. */
export function polledTriggers(workflows: readonly Workflow[]): string[] {
  return workflows.flatMap(({ name, triggers }) =>
    triggers.flatMap((trigger) => (trigger.poll ? [`${name}/${trigger.name}`] : [])),
  )
}
