import * as v from 'valibot'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { every } from './every.ts'

const event = v.picklist([...NATIVE_EVENTS], 'event')

/** One event, or a list of them, which may be empty: always a list once checked. */
const events = v.pipe(
  v.lazy(
    (input): v.GenericSchema<string | string[]> => (Array.isArray(input) ? v.array(event) : event),
  ),
  v.transform((value) => (Array.isArray(value) ? value : [value])),
)

/** When a trigger runs at all. */
export const runOptions = {
  active: v.pipe(
    v.optional(v.boolean(), true),
    v.title('boolean'),
    v.description('`false`: the trigger never fires, for webhooks too.'),
  ),
  every: v.pipe(
    v.optional(every),
    v.title('minutes or cron'),
    v.description(
      "How often a polled trigger runs on `schedule`: minutes since its last success (needs a store, unless the workflow's own schedule is that rare), or a cron expression of five fields. Without it: with every schedule event.",
    ),
  ),
  timeZone: v.pipe(
    v.optional(v.pipe(v.string(), v.check(isTimeZone, 'is no IANA time zone')), 'UTC'),
    v.title('time zone'),
    v.description('IANA time zone of a cron expression in `every`.'),
  ),
  manualRunEvent: v.pipe(
    v.optional(events, ['workflow_dispatch']),
    v.title('event, or a list'),
    v.description(
      'Events other than `schedule` on which a polled trigger runs, whatever `every` says; `[]` for none.',
    ),
  ),
  skipSchedule: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description('`true`: a polled trigger never runs on `schedule`.'),
  ),
}

function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true // the default: to ask would load all of Intl
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
