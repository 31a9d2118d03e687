import * as v from 'valibot'
import { type DataPath, parseDataPath } from '../wire/data-path.ts'
import type { Http } from '../wire/http.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'
import type { Secret } from '../wire/secret.ts'
import type { WebhookRequest } from '../wire/webhook-request.ts'
import { type Config, configSchema, type KeyPaths } from './config-options.ts'
import type { UpdateKind } from './messaging-bot/places.ts'

/** One condition of a trigger, and whether the event met it. */
export interface Check {
  /** The option that sets the condition: `method`. */
  readonly option: string
  readonly held: boolean
  /** The found and the wanted value, without payload: `get, not post`. */
  readonly found: string
  /** The found value, if it is one of a known set: `get`. */
  readonly actual?: string
  /** The values that the option accepts. */
  readonly wanted?: string | string[]
  /**
   * True if the request has nothing that could be checked: no signature, as opposed to a wrong one.
   */
  readonly isAbsent?: boolean
}

/** A request that fires a trigger, for the user to try. */
export interface ExampleRequest {
  /** Upper case. */
  readonly method: string
  /** The part of the URL after the trigger name; empty if it is not needed. */
  readonly path: string
  readonly contentType?: string
  readonly body?: string
}

/** The parts of the outside world that triggers need. */
export interface TriggerPorts {
  readonly http: Http
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after this many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
  /** Base address of the Bot API, without a trailing slash. */
  readonly messagingApiUrl: string
  /** Hides a string in all output from now on. */
  readonly mask: (text: string) => void
}

/** The result of a trigger for a request: items only if every check passed. */
export interface Reception {
  readonly checks: readonly Check[]
  readonly items: readonly Item[]
  readonly messages?: readonly Message[]
}

export interface Polled extends Reception {
  /** All relevant items, oldest first, acknowledged or not. */
  readonly items: readonly Item[]
  /**
   * The cursor that acknowledges everything before `items[index]`, including ignored items; for
   * `items.length`, everything. `undefined` if there is nothing to acknowledge. It is passed to
   * another process as plain JSON, so it must not contain a secret.
   */
  cursorBefore(index: number): Json | undefined
}

interface OptionMistake {
  /** The option that the message names: `token`. */
  readonly option: string
  readonly message: string
}

type OptionsSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

type TriggerDefinition<Schema extends OptionsSchema> = DescribedTrigger<Schema> &
  (PollingTrigger<Schema> | WebhookTrigger)

interface DescribedTrigger<Schema extends OptionsSchema> {
  readonly name: string
  /** Other names in workflows and webhook URLs. */
  readonly aliases?: readonly string[]
  /** One sentence for the reference page. */
  readonly description: string
  /** Types, allowed values and descriptions of the options; `config` is added. */
  readonly options: Schema
  /** The fields of its items, each with a description; only these become step outputs. */
  readonly outputs: Readonly<Record<string, string>>
  /**
   * The names among `outputs` whose value is always a string; every other output can contain JSON.
   */
  readonly stringOutputs?: readonly string[]
  /**
   * The most useful fields of an item for people, by path (`from.first_name`), the most useful
   * first: the columns of a table of items. It contains no field in which a sender may put a key.
   */
  readonly columns?: readonly string[]
  /** Path of the deduplication key, which comes before every other key: `update_id`. */
  readonly key?: string
  /** The options that are required, in the form of a workflow file; absent if none are. */
  readonly minimalOptions?: JsonObject
  /** The mistake in a combination of valid options; `undefined` if there is none. */
  readonly validate?: (options: v.InferOutput<Schema>) => OptionMistake | undefined
  /**
   * For a trigger that receives webhooks: a request that fires it with these options. `undefined`
   * if the options require a signature, because only the sender can create it.
   */
  readonly example?: (options: v.InferOutput<Schema>) => ExampleRequest | undefined
  readonly receive?: (
    request: WebhookRequest,
    options: v.InferOutput<Schema>,
    ports: TriggerPorts,
  ) => Reception | Promise<Reception>
  /** The ways to authenticate its sender; absent if no option concerns that. */
  readonly signatures?: (options: v.InferOutput<Schema>) => readonly RequiredSignature[]
  /** For a bot: the kinds of updates to register, in addition to new messages. */
  readonly updates?: (options: v.InferOutput<Schema>) => readonly UpdateKind[]
}

interface PollingTrigger<Schema extends OptionsSchema> {
  /**
   * With a store, `cursor` is the position of an earlier poll whose job succeeded: the service may
   * forget everything before. The options may have changed since.
   */
  readonly poll: (
    options: v.InferOutput<Schema>,
    ports: TriggerPorts,
    cursor: Json | undefined,
  ) => Promise<Polled>
  /** Why it does not poll with these options; `undefined` if it polls. */
  readonly pollDisabledReason?: (options: v.InferOutput<Schema>) => string | undefined
  /**
   * Makes the service forget everything before a cursor of `poll`; called after the job succeeded,
   * if there is no store.
   */
  readonly acknowledge: (
    cursor: Json,
    options: v.InferOutput<Schema>,
    ports: TriggerPorts,
  ) => Promise<void>
}

interface WebhookTrigger {
  readonly poll?: undefined
  readonly pollDisabledReason?: undefined
  readonly acknowledge?: undefined
}

/** The signature or token that a trigger requires of a request. */
export interface RequiredSignature {
  /** The value of `scheme` in `verify`. */
  readonly scheme: string
  readonly secret: Secret
  /** The signed URL, if the scheme includes it. */
  readonly url: Secret | undefined
  /** For the scheme `token`: the header with the secret, if the options name it. */
  readonly header?: string
  /** The other options of the `verify` entry; they contain no secret. */
  readonly options?: JsonObject
}

/** A trigger with checked options, ready for events. */
export interface BoundTrigger {
  readonly config: Config
  readonly keys: KeyPaths
  readonly example: ExampleRequest | undefined
  /** The ways to authenticate its sender; none if any request is accepted. */
  readonly signatures: readonly RequiredSignature[]
  /** For a bot: the kinds of updates to register, in addition to new messages. */
  readonly updates: readonly UpdateKind[]
  readonly receive:
    | ((request: WebhookRequest, ports: TriggerPorts) => Reception | Promise<Reception>)
    | undefined
  /** Whether it receives webhooks; a trigger that polls with its options ignores all of them. */
  readonly takesWebhooks: boolean
  /** `undefined` if it cannot poll, or does not with these options. */
  readonly poll: ((ports: TriggerPorts, cursor?: Json) => Promise<Polled>) | undefined
  readonly pollDisabledReason: string | undefined
  readonly acknowledge: ((cursor: Json, ports: TriggerPorts) => Promise<void>) | undefined
}

/** A trigger in the registry; only the trigger itself knows the type of its options. */
export interface Trigger
  extends Pick<DescribedTrigger<OptionsSchema>, 'name' | 'description' | 'outputs'> {
  readonly columns: readonly string[]
  readonly jsonOutputs: readonly string[]
  readonly aliases: readonly string[]
  readonly minimalOptions: JsonObject
  /** Its options, including `config`. */
  readonly schema: OptionsSchema
  readonly optionNames: readonly string[]
  /** Checks the options of a workflow file. */
  bind(options: unknown): BoundTrigger | { readonly issues: readonly v.BaseIssue<unknown>[] }
}

export function defineTrigger<const Schema extends OptionsSchema>(
  definition: TriggerDefinition<Schema>,
): Trigger {
  const { name, aliases = [], description, outputs, columns = [], options } = definition
  const { minimalOptions = {}, stringOutputs = [] } = definition
  const schema = v.strictObject({ ...options.entries, config: configSchema })
  return {
    name,
    aliases,
    description,
    outputs,
    columns,
    jsonOutputs: Object.keys(outputs).filter((field) => !stringOutputs.includes(field)),
    minimalOptions,
    schema,
    optionNames: Object.keys(schema.entries),
    bind(values) {
      const checked = v.safeParse(schema, values)
      if (!checked.success) return { issues: checked.issues }
      // The compiler cannot follow the output type of `Schema` through a spread.
      const { config, ...own } = checked.output as v.InferOutput<Schema> & { config: Config }
      const given = own as v.InferOutput<Schema>
      const mistake = definition.validate?.(given)
      return mistake ? { issues: [issue(mistake, given)] } : bound(definition, given, config)
    },
  }
}

/** A mistake in the form of a schema's issue. */
function issue({ option, message }: OptionMistake, input: object): v.BaseIssue<unknown> {
  const options: Record<string, unknown> = { ...input }
  const place = { type: 'object', origin: 'value', input: options, key: option } as const
  return {
    kind: 'validation',
    type: 'mistake',
    input: options,
    expected: null,
    received: option,
    message,
    path: [{ ...place, value: options[option] }],
  }
}

function bound<Schema extends OptionsSchema>(
  definition: TriggerDefinition<Schema>,
  options: v.InferOutput<Schema>,
  config: Config,
): BoundTrigger {
  const { example, receive, signatures, poll, acknowledge, key } = definition
  const pollDisabledReason = poll && definition.pollDisabledReason?.(options)
  const polls = poll !== undefined && pollDisabledReason === undefined
  const chosen = 'deduplicationKey' in options ? options.deduplicationKey : undefined
  const keys = {
    by: config.deduplicateBy,
    own: key === undefined ? undefined : parseDataPath(key),
    chosen: chosen as DataPath | undefined, // every trigger with this option has the schema `keyPath`
  }
  return {
    config,
    keys,
    example: example?.(options),
    signatures: signatures?.(options) ?? [],
    updates: definition.updates?.(options) ?? [],
    receive: receive && ((request, ports) => receive(request, options, ports)),
    takesWebhooks: receive !== undefined && !polls,
    poll: polls ? (ports, cursor) => poll(options, ports, cursor) : undefined,
    pollDisabledReason,
    acknowledge: acknowledge && ((cursor, ports) => acknowledge(cursor, options, ports)),
  }
}

/** The `outputs` of a trigger's context for one event. */
export type Item = JsonObject

/** Expected by an issue of a mapping whose options are wrong whatever their values are. */
export const OTHER_OPTIONS = 'other options'

/**
 * A schema for one value or a list; always a list after validation. It uses `lazy` instead of
 * `union`, so that an issue names the wrong element.
 */
export function oneOrMore<Input, Output>(schema: v.GenericSchema<Input, Output>) {
  return v.pipe(
    v.lazy(
      (input): v.GenericSchema<Input | Input[], Output | Output[]> =>
        Array.isArray(input) ? v.pipe(v.array(schema), v.nonEmpty('is an empty list')) : schema,
    ),
    v.transform((value): Output[] => (Array.isArray(value) ? value : [value])),
  )
}
