import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'

/** Whose state it is: names as the workflow file has them. */
export interface TriggerId {
  readonly workflow: string
  readonly trigger: string
}

/** A key, the run that has it, since when (milliseconds since 1970), and whether that succeeded. */
export interface Claim {
  readonly key: string
  readonly run: string
  readonly at: number
  readonly done: boolean
}

/** All that is remembered of a trigger. */
export interface TriggerState {
  /** When the last successful run began, in milliseconds since 1970; `null` before the first one. */
  readonly lastSuccess: number | null
  /** Oldest first. */
  readonly claims: readonly Claim[]
}

export const NO_STATE: TriggerState = { lastSuccess: null, claims: [] }

/** What every state file says of itself. */
export const FORMAT = 'hookline-state'
export const VERSION = 1

export const triggerStateSchema = v.object({
  lastSuccess: v.nullable(v.number()),
  claims: v.array(
    v.object({ key: v.string(), run: v.string(), at: v.number(), done: v.boolean() }),
  ),
})

/** What a state file has besides what it holds. */
const header = v.object({ format: v.literal(FORMAT), version: v.number() })

/**
 * Reads a state file.
 *
 * @param place how the user finds it: `state.json`, `hook/webhook.json on the branch state`
 * @param reset what the user can do to begin anew
 * @throws UserError for a file that is not ours, broken, or of a newer version
 */
export function readStateFile<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  { place, reset }: { readonly place: string; readonly reset: string },
): v.InferOutput<Schema> {
  const found = parsed(text)
  const head = v.safeParse(header, found)
  if (head.success && head.output.version > VERSION) {
    throw new UserError({
      message: `${place} was written by a newer version of Hookline`,
      notes: ['use that version here too', reset],
    })
  }
  const checked = v.safeParse(schema, found)
  if (head.success && checked.success) return checked.output
  throw new UserError({ message: `${place} is no state of Hookline, or broken`, notes: [reset] })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON with one claim a line, so that a difference between two states can be read. */
export function stateJson({ lastSuccess, claims }: TriggerState): string {
  const lines = claims.map((claim) => `\n${JSON.stringify(claim)}`)
  return `{"lastSuccess":${JSON.stringify(lastSuccess)},"claims":[${lines.join(',')}]}`
}
