import * as v from 'valibot'
import type { Http } from '../wire/http.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'
import type { WebhookRequest } from '../wire/request.ts'
import type { Secret } from '../wire/secret.ts'
import { type Config, configSchema, type KeyPaths } from './config.ts'

/** One condition of a trigger, and whether the event met it. */
export interface Check {
  /** The option it comes from: `method`. */
  readonly option: string
  readonly held: boolean
  /** What came and what was asked for, without payload text: `get, not post`. */
  readonly found: string
  /** The value of the event, if it is one of a known set: `get`. */
  readonly actual?: string
  /** The values that the option accepts. */
  readonly wanted?: string | string[]
  /** True where nothing came at all that could have met it: no signature, so none that is wrong. */
  readonly isAbsent?: boolean
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

/** The outside world, as far as triggers need it. */
export interface TriggerPorts {
  readonly http: Http
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Ends after so many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
  /** Base address of the bot API, without a slash at its end. */
  readonly messagingApiUrl: string
  /** Hides a text from everything that is printed from now on. */
  readonly mask: (text: string) => void
}

/** What a trigger made of a request: items only when every check held. */
export interface Reception {
  readonly checks: readonly Check[]
  readonly items: readonly Item[]
  readonly messages?: readonly Message[]
}

/** What a trigger found when it looked by itself. */
export interface Polled extends Reception {
  /** Oldest first: all that came and is of interest, acknowledged or not. */
  readonly items: readonly Item[]
  /**
   * What acknowledges everything before `items[index]`, ignored kinds included; for `items.length`,
   * everything that came. `undefined` when there is nothing to acknowledge. It travels to another
   * process as plain text, so no secret may be part of it.
   */
  cursorBefore(index: number): Json | undefined
}

/** A mistake that shows only when options are looked at together. */
interface OptionMistake {
  /** The option that it is told at: `token`. */
  readonly option: string
  readonly message: string
}

type OptionsSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

/** A trigger, as its file describes it. */
type TriggerDefinition<Schema extends OptionsSchema> = DescribedTrigger<Schema> &
  (PollingTrigger<Schema> | WebhookTrigger)

interface DescribedTrigger<Schema extends OptionsSchema> {
  readonly name: string
  /** Other names by which workflows and webhook URLs may call it. */
  readonly aliases?: readonly string[]
  /** One sentence for the reference. */
  readonly description: string
  /** Types, allowed values and descriptions of the options; `config` is added to them. */
  readonly options: Schema
  /** The fields of its items, each with a description; only these become outputs of their own. */
  readonly outputs: Readonly<Record<string, string>>
  /** The names among `outputs` whose value is always a string; every other output can hold JSON. */
  readonly stringOutputs?: readonly string[]
  /**
   * What of an item tells a person most, by path (`from.first_name`), the most telling first: the
   * columns of a table of items. Nothing that a sender may carry a key in.
   */
  readonly columns?: readonly string[]
  /** Path to what tells its items apart, before every other key: `update_id`. */
  readonly key?: string
  /** What its options need at least, as a workflow file gives them; left out where nothing is needed. */
  readonly minimalOptions?: JsonObject
  /** What is wrong with options that are right one by one; `undefined` when nothing is. */
  readonly validate?: (options: v.InferOutput<Schema>) => OptionMistake | undefined
  /**
   * A request that would fire it with these options; there for a webhook-enabled trigger. None where
   * the sender has to prove itself: nobody else can make one.
   */
  readonly example?: (options: v.InferOutput<Schema>) => ExampleRequest | undefined
  /** There for a webhook-enabled trigger. */
  readonly receive?: (
    request: WebhookRequest,
    options: v.InferOutput<Schema>,
    ports: TriggerPorts,
  ) => Reception | Promise<Reception>
  /** What its sender may prove itself with; left out where no option has to do with that. */
  readonly proofs?: (options: v.InferOutput<Schema>) => readonly Proof[]
}

/** What a trigger has besides that can look by itself. */
interface PollingTrigger<Schema extends OptionsSchema> {
  /**
   * With a store, `cursor` is where an earlier poll ended whose job succeeded: what lies before may
   * be forgotten. It may be of other options than these.
   */
  readonly poll: (
    options: v.InferOutput<Schema>,
    ports: TriggerPorts,
    cursor: Json | undefined,
  ) => Promise<Polled>
  /** Why it does not poll with these options, in words; `undefined` when it does. */
  readonly pollDisabledReason?: (options: v.InferOutput<Schema>) => string | undefined
  /**
   * Forgets, at the service, what a cursor of `poll` stands for; called once the job succeeded, where
   * there is no store. `impossible` when the service forgets nothing: then every entry comes again
   * where there is no store, and the user is told.
   */
  readonly acknowledge:
    | ((cursor: Json, options: v.InferOutput<Schema>, ports: TriggerPorts) => Promise<void>)
    | 'impossible'
}

interface WebhookTrigger {
  readonly poll?: undefined
  readonly pollDisabledReason?: undefined
  readonly acknowledge?: undefined
}

/** What a request has to be signed with so that a trigger takes it. */
export interface Proof {
  /** As the option `verify` names it. */
  readonly scheme: string
  readonly secret: Secret
  /** The URL that is signed too, where the scheme wants that. */
  readonly url: Secret | undefined
  /** Header that carries the secret itself, where the options name it: of the scheme `token`. */
  readonly header?: string
  /** What else its entry of `verify` says, as that option is written; no secret is part of it. */
  readonly options?: JsonObject
}

/** A trigger with options that were checked, ready to look at events. */
export interface BoundTrigger {
  readonly config: Config
  readonly keys: KeyPaths
  readonly example: ExampleRequest | undefined
  /** In what ways its sender may prove who it is; none where everybody may call. */
  readonly proofs: readonly Proof[]
  readonly receive:
    | ((request: WebhookRequest, ports: TriggerPorts) => Reception | Promise<Reception>)
    | undefined
  /** Whether webhooks are for it: with options that have it poll, it passes over every one. */
  readonly takesWebhooks: boolean
  /** `undefined` when it cannot poll, or with these options does not. */
  readonly poll: ((ports: TriggerPorts, cursor?: Json) => Promise<Polled>) | undefined
  /** Why a trigger that could poll does not. */
  readonly pollDisabledReason: string | undefined
  /** Whether the service forgets what is acknowledged. */
  readonly forgets: boolean
  readonly acknowledge: ((cursor: Json, ports: TriggerPorts) => Promise<void>) | undefined
}

/** A trigger as the registry holds it: the type of its options is known to itself alone. */
export interface Trigger
  extends Pick<DescribedTrigger<OptionsSchema>, 'name' | 'description' | 'outputs'> {
  readonly columns: readonly string[]
  /** The outputs that can hold JSON. */
  readonly jsonOutputs: readonly string[]
  readonly aliases: readonly string[]
  readonly minimalOptions: JsonObject
  /** Its options, `config` among them. */
  readonly schema: OptionsSchema
  readonly optionNames: readonly string[]
  /** Checks options as a workflow file gives them. */
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
      // The output of the entries of `Schema`, which the compiler cannot follow through a spread.
      const { config, ...own } = checked.output as v.InferOutput<Schema> & { config: Config }
      const given = own as v.InferOutput<Schema>
      const mistake = definition.validate?.(given)
      return mistake ? { issues: [issue(mistake, given)] } : bound(definition, given, config)
    },
  }
}

/** A mistake in the form in which schemas tell theirs. */
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
  const { example, receive, proofs, poll, acknowledge, key } = definition
  const pollDisabledReason = poll && definition.pollDisabledReason?.(options)
  const polls = poll !== undefined && pollDisabledReason === undefined
  const forgets = typeof acknowledge === 'function'
  const chosen = 'deduplicationKey' in options ? options.deduplicationKey : undefined
  return {
    config,
    keys: { own: key, chosen: typeof chosen === 'string' ? chosen : undefined },
    example: example?.(options),
    proofs: proofs?.(options) ?? [],
    receive: receive && ((request, ports) => receive(request, options, ports)),
    takesWebhooks: receive !== undefined && !polls,
    poll: polls ? (ports, cursor) => poll(options, ports, cursor) : undefined,
    pollDisabledReason,
    forgets,
    acknowledge: forgets ? (cursor, ports) => acknowledge(cursor, options, ports) : undefined,
  }
}

/** What a trigger hands on for one event: the `outputs` of its context. */
export type Item = JsonObject

/**
 * One value or a list of them, always a list once checked. `lazy` instead of `union`, so that an
 * issue names the very element that is wrong.
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
