import * as v from 'valibot'
import type { DataPath } from '../wire/data-path.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import {
  type OptionFault,
  PROJECTION_OPERATORS,
  projectionFaults,
  QUERY_OPERATORS,
  queryFaults,
  sortFaults,
} from './mongo-operators.ts'
import { keyPath } from './path-option.ts'

export const WHOLE_NUMBER = v.pipe(
  v.number(),
  v.integer('is not a whole number'),
  v.minValue(0, 'is less than 0'),
  v.maxValue(Number.MAX_SAFE_INTEGER, 'is too large'),
)

/** A string of digits, as a variable of the repository has it, counts as minutes, too. */
const every = v.pipe(
  v.lazy((input) => (typeof input === 'string' ? v.string() : v.number())),
  v.transform((value: string | number): PollInterval => {
    const isCount = typeof value === 'number' || /^\d+$/.test(value)
    return isCount ? { minutes: Number(value) } : { cron: value.trim() }
  }),
  v.check(
    ({ minutes, cron }) => (cron === undefined ? minutes >= 0 : isCronShape(cron)),
    'is neither a number of minutes nor a cron expression of five fields',
  ),
)

/** One event or a list, which may be empty; always a list after validation. */
const events = v.pipe(
  v.lazy(
    (input): v.GenericSchema<string | string[]> => (Array.isArray(input) ? v.array(event) : event),
  ),
  v.transform((value) => (Array.isArray(value) ? value : [value])),
)

/** A mapping of YAML with any keys, such as a query. */
const mapping = v.pipe(
  v.unknown(),
  v.check(isObject, 'is not a mapping'),
  v.transform((value) => value as JsonObject), // options are JSON
)

/** Schema of a script: the body of a function. */
const scriptBody = v.pipe(v.string(), v.nonEmpty('is empty'))

/** The options common to all triggers, in the order in which they take effect. */
export const CONFIG_OPTIONS = {
  // The options for when the trigger runs.
  active: v.pipe(
    v.optional(v.boolean(), true),
    v.title('boolean'),
    v.description('`false`: the trigger never fires, for webhooks too.'),
  ),
  every: v.pipe(
    v.optional(every),
    v.title('minutes or cron'),
    v.description(
      'How often a polled trigger runs on `schedule`: minutes since its last success, or a cron expression of five fields. Minutes need a store, unless the schedule of the workflow is not more frequent. Default: at every `schedule` event.',
    ),
  ),
  timeZone: v.pipe(
    v.optional(v.pipe(v.string(), v.check(isTimeZone, 'is not an IANA time zone')), 'UTC'),
    v.title('time zone'),
    v.description('IANA time zone of a cron expression in `every`.'),
  ),
  manualRunEvent: v.pipe(
    v.optional(events, ['workflow_dispatch']),
    v.title('event, or a list'),
    v.description(
      'Events besides `schedule` on which a polled trigger runs; `every` does not apply to them. `[]`: none.',
    ),
  ),
  skipSchedule: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description('`true`: a polled trigger never runs on `schedule`.'),
  ),
  batch: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: accepts the batches of an endpoint with `batch`. Each event is verified and matched by itself; the events that fire pass through `config` as items. Cannot be combined with `limit`.',
    ),
  ),
  filter: v.pipe(
    v.optional(mongoMapping(QUERY_OPERATORS, queryFaults)),
    v.title('MongoDB query'),
    v.description('Keeps the items that match: `body.action: opened`.'),
  ),
  filterScript: v.pipe(
    v.optional(scriptBody),
    v.title('JavaScript'),
    v.description(
      'Body of a function of `item`, `index` and `items` that returns `true` for each item to keep. If `filter` is set too, both must keep the item.',
    ),
  ),
  sort: v.pipe(
    v.optional(
      v.pipe(
        mapping,
        v.check(
          (value) => Object.values(value).every((way) => v.is(direction, way)),
          'gives each field 1 (ascending) or -1 (descending)',
        ),
        faults(sortFaults),
        v.transform((value) => value as Record<string, 1 | -1>), // checked above
      ),
    ),
    v.title('MongoDB sort'),
    v.description('Order of the items. `date: -1`: newest first.'),
  ),
  sortScript: v.pipe(
    v.optional(scriptBody),
    v.title('JavaScript'),
    v.description(
      'Body of a function of `a` and `b` that returns a negative number if `a` comes first. Applied after `sort`.',
    ),
  ),
  skip: v.pipe(
    v.optional(WHOLE_NUMBER),
    v.title('number'),
    v.description('Number of items to drop at the beginning.'),
  ),
  deduplicateBy: v.pipe(
    v.optional(keyPath),
    v.title('path'),
    v.description(
      'Path of the deduplication key, such as `body.event_id`. The path comes before every other key, also before `id`; only an item that has no value there has another key.',
    ),
  ),
  shouldDeduplicate: v.pipe(
    v.optional(v.boolean()),
    v.title('boolean'),
    v.description(
      'Whether items that an earlier run passed on are dropped, which needs a store. Default: no for webhooks; yes for polled triggers, within one run when there is no store.',
    ),
  ),
  skipFirst: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: the first run records the existing items and outputs none of them. Needs a store.',
    ),
  ),
  lease: v.pipe(
    v.optional(
      v.pipe(
        v.number(),
        v.gtValue(0, 'is not more than 0'),
        v.maxValue(10_080, 'is more than a week'),
      ),
      60,
    ),
    v.title('minutes'),
    v.description(
      'Minutes for which other runs do not get the items of a run whose job has not succeeded yet. Set it to more than the job takes.',
    ),
  ),
  force: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description('`true`: ignores seen keys, `every` and `skipFirst`.'),
  ),
  limit: v.pipe(
    v.optional(
      v.pipe(
        WHOLE_NUMBER,
        v.transform((count) => count || undefined),
      ),
    ),
    v.title('number'),
    v.description(
      'Largest number of items; `0` is no limit. A polled trigger outputs the rest in the next run; a webhook drops the rest. With `sort` or `sortScript`, a polled trigger needs a store.',
    ),
  ),
  filterOutputs: v.pipe(
    v.optional(mongoMapping(PROJECTION_OPERATORS, projectionFaults)),
    v.title('MongoDB projection'),
    v.description('The fields of an item that are passed on: `body.issue.title: 1`.'),
  ),
  format: v.pipe(
    v.optional(scriptBody),
    v.title('JavaScript'),
    v.description(
      'Body of a function of `item`, `index` and `items` that returns the item to pass on.',
    ),
  ),
  // The options for the outputs, and for a failure.
  outputsMode: v.pipe(
    v.optional(v.picklist(['separate', 'combine'], 'outputs mode'), 'separate'),
    v.title('`separate` or `combine`'),
    v.description(
      '`combine`: one context for all items of a run, whose `outputs` lists them. The outputs for single fields are empty then.',
    ),
  ),
  exportOutputs: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: writes the outputs as JSON to a file, for later steps of the same job; `outputs` is `{path}`.',
    ),
  ),
  outputsDir: v.pipe(
    v.optional(v.pipe(v.string(), v.nonEmpty('is empty')), 'outputs'),
    v.title('folder'),
    v.description('Folder for `exportOutputs`, relative to the workspace.'),
  ),
  skipOnError: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description('`true`: if a trigger fails, it counts as skipped, with a warning.'),
  ),
  failOnItemError: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: an item that fails makes the run fail. By default the run of a poll or a batch goes on with the other items, and lists the failed item in the output `failed`; it fails only if an option fails for all items.',
    ),
  ),
  buildOutputsOnError: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: if a trigger fails, it outputs one item with `outcome: failure`, `conclusion: success` and `outputs: {}`, so that jobs can react to the failure.',
    ),
  ),
}

/** Keys of Actionsflow that have no meaning in Hookline, each with its replacement. */
export const MOVED_KEYS: ReadonlyMap<string, string> = new Map([
  ['metadata', 'put values that jobs read into `env` of the workflow, or into variables (`vars`)'],
  ['resultsPerWorkflow', 'the output `items` is a matrix: every item has jobs of its own'],
])

const DEBUGGING = 'switch on step debug logging of GitHub Actions (variable ACTIONS_STEP_DEBUG)'

/**
 * Keys of Actionsflow that have no effect in Hookline and do no harm, each with its replacement.
 */
export const IGNORED_KEYS: ReadonlyMap<string, string> = new Map([
  ['debug', DEBUGGING],
  ['logLevel', DEBUGGING],
])

const ignored = v.pipe(v.optional(v.unknown()), v.description('Has no effect in Hookline.'))

/** `on.<trigger>.config` */
export const configSchema = v.optional(
  v.pipe(
    v.strictObject({ ...CONFIG_OPTIONS, debug: ignored, logLevel: ignored }),
    v.forward(
      v.check(
        ({ batch, limit }) => !batch || limit === undefined,
        'cannot be combined with "batch", because the events that it cuts off would be lost',
      ),
      ['limit'],
    ),
  ),
  {},
)

export type Config = v.InferOutput<typeof configSchema>

const event = v.picklist([...NATIVE_EVENTS], 'event')

function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true // the default; the general check would load all of Intl
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** `every`: a number of minutes, or a cron expression. */
export type PollInterval =
  | { readonly minutes: number; readonly cron?: never }
  | { readonly cron: string; readonly minutes?: never }

const FIELD = /^[\d*/,a-z-]+$/i

/**
 * Whether it looks like a cron expression. Its fields are checked only when a schedule needs them.
 */
function isCronShape(text: string): boolean {
  const fields = text.split(/\s+/)
  return fields.length === 5 && fields.every((field) => FIELD.test(field))
}

const direction = v.picklist([1, -1])

/**
 * A mapping in MongoDB's language whose `$names` are all in `operators`. Only names are checked
 * here, because the library that knows their rules is loaded only if there are items.
 */
function mongoMapping(
  operators: ReadonlySet<string>,
  faultsOf: (value: JsonObject) => readonly OptionFault[],
) {
  return v.pipe(
    mapping,
    faults(faultsOf),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      for (const name of operatorNames(dataset.value)) {
        if (!operators.has(name)) addIssue({ message: unknownOperator(name, operators) })
      }
    }),
  )
}

/** Reports each fault at the part of the option that has it. */
function faults(faultsOf: (value: JsonObject) => readonly OptionFault[]) {
  return v.rawCheck<JsonObject>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const input = dataset.value
    for (const { keys, message, isAboutKey } of faultsOf(input)) {
      const [first, ...rest] = keys.map((key, at): v.IssuePathItem => {
        const origin = isAboutKey && at === keys.length - 1 ? 'key' : 'value'
        return { type: 'unknown', origin, input, key, value: undefined }
      })
      addIssue({ message, ...(first && { path: [first, ...rest] }) })
    }
  })
}

/** Every key that begins with `$`, at any depth. */
function operatorNames(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.startsWith('$') ? [key] : []),
    ...operatorNames(inner),
  ])
}

function unknownOperator(name: string, operators: ReadonlySet<string>): string {
  const scripts = ['$where', '$function', '$accumulator'].includes(name)
  const why = scripts ? 'runs a script; use filterScript or format' : 'is unknown'
  return `operator ${name} ${why} (known: ${[...operators].join(', ')})`
}

export interface KeyPaths {
  /** The user's `config.deduplicateBy`. */
  readonly by?: DataPath | undefined
  /** The trigger's own key: `update_id`. */
  readonly own?: DataPath | undefined
  /** The user's `deduplicationKey`. */
  readonly chosen?: DataPath | undefined
}
