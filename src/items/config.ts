import * as v from 'valibot'
import { oneOrMore } from '../triggers/schema.ts'

/** The options common to all triggers, `on.<trigger>.config`. */
export const configSchema = v.optional(
  v.strictObject({
    active: v.pipe(
      v.optional(v.boolean(), true),
      v.description('`false`: the trigger never fires, for webhooks too.'),
    ),
    limit: v.pipe(
      v.optional(v.pipe(v.number(), v.integer('is no whole number'), v.minValue(0, 'is negative'))),
      v.description('Keeps only the first items of a run.'),
    ),
    manualRunEvent: v.pipe(
      v.optional(oneOrMore(v.string()), ['workflow_dispatch']),
      v.description('Events, other than `schedule`, on which a polled trigger runs.'),
    ),
    skipSchedule: v.pipe(
      v.optional(v.boolean(), false),
      v.description('`true`: a polled trigger never runs on `schedule`.'),
    ),
  }),
  {},
)

export type Config = v.InferOutput<typeof configSchema>
