import * as v from 'valibot'
import type { JsonObject } from '../protocol/json.ts'
import type { WebhookRequest } from '../protocol/webhook-request.ts'

/** What a trigger hands on for one event: the `outputs` of its context. */
export type Item = JsonObject

/** One condition of a trigger, and whether the event met it. */
export interface Check {
  /** The option it comes from: `method`. */
  readonly option: string
  readonly held: boolean
  /** What came and what was asked for, without payload text: `get, not post`. */
  readonly found: string
}

/** A request that fires a trigger, for a person to try it with. */
export interface ExampleRequest {
  /** Upper case. */
  readonly method: string
  /** What follows the trigger name in the URL; empty when nothing must. */
  readonly path: string
  readonly contentType?: string
  readonly body?: string
}

/** What a trigger made of a request: items only when every check held. */
export interface Reception {
  readonly checks: readonly Check[]
  readonly items: readonly Item[]
}

export type OptionsSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

/** A trigger, as its file describes it. */
export interface TriggerDefinition<Schema extends OptionsSchema> {
  readonly name: string
  /** One sentence for the reference. */
  readonly description: string
  /** Types, allowed values and descriptions of the options; `{}` must be a valid set. */
  readonly options: Schema
  /** The fields of its items, each with a description; only these become outputs of their own. */
  readonly outputs: Readonly<Record<string, string>>
  /** A request that would fire it with these options; there for a webhook-enabled trigger. */
  readonly example?: (options: v.InferOutput<Schema>) => ExampleRequest
  /** There for a webhook-enabled trigger. */
  readonly receive?: (
    request: WebhookRequest,
    options: v.InferOutput<Schema>,
  ) => Reception | Promise<Reception>
}

/** A trigger with options that were checked, ready to look at events. */
export interface BoundTrigger {
  readonly example: ExampleRequest | undefined
  readonly receive: ((request: WebhookRequest) => Reception | Promise<Reception>) | undefined
}

/** A trigger as the registry holds it: the type of its options is known to itself alone. */
export interface Trigger
  extends Pick<TriggerDefinition<OptionsSchema>, 'name' | 'description' | 'outputs'> {
  readonly schema: OptionsSchema
  readonly optionNames: readonly string[]
  /** Checks options as a workflow file gives them. */
  bind(options: unknown): BoundTrigger | { readonly issues: readonly v.BaseIssue<unknown>[] }
}

export function defineTrigger<const Schema extends OptionsSchema>(
  definition: TriggerDefinition<Schema>,
): Trigger {
  const { name, description, outputs, options: schema, example, receive } = definition
  return {
    name,
    description,
    outputs,
    schema,
    optionNames: Object.keys(schema.entries),
    bind(options) {
      const checked = v.safeParse(schema, options)
      if (!checked.success) return { issues: checked.issues }
      const { output } = checked
      return {
        example: example?.(output),
        receive: receive && ((request) => receive(request, output)),
      }
    },
  }
}
