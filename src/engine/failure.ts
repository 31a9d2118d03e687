import { OptionError, PayloadError, UserError } from '../wire/errors.ts'
import type { Addressed } from './events.ts'
import { type Firing, notFired } from './firing.ts'
import { failedContext } from './on-context.ts'

/** A mistake in `config` as one that the user is shown in the workflow file; others as they are. */
export function placed(error: unknown, { trigger }: Addressed): unknown {
  if (!(error instanceof OptionError)) return error
  const position = trigger.positionOf(['config', error.option])
  return new UserError({ message: error.message, position }, { cause: error })
}

/**
 * What a trigger that failed comes to, as its `config` says: a warning, or an item that tells of it.
 * Such a run leaves nothing to commit or acknowledge.
 *
 * @throws the error, where `config` excuses nothing
 */
export function failed(error: unknown, at: Addressed): Firing {
  const { skipOnError, buildOutputsOnError } = at.trigger.config
  const excused = skipOnError || buildOutputsOnError
  if (!excused || error instanceof PayloadError) throw placed(error, at)
  const message = describe(error)
  const warnings = [`${at.workflow.name}/${at.trigger.name} failed: ${message}`]
  const firing = { ...notFired(at, `failed: ${message}`), warnings }
  if (!buildOutputsOnError) return firing
  const contexts = [failedContext(at.workflow, at.trigger.name)]
  const fields = Object.keys(at.trigger.definition.outputs)
  return { ...firing, items: [{}], contexts, fields, decision: { ...firing.decision, fired: true } }
}

/** The message of an error that is none of ours may carry a payload, so only its kind is told. */
function describe(error: unknown): string {
  if (error instanceof UserError || error instanceof OptionError) {
    return error.message.replace(/\s+/g, ' ')
  }
  return `internal error (${error instanceof Error ? error.name : typeof error})`
}
