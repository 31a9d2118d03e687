import type { Run, StateStore } from '../state/store.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import { PayloadError } from '../wire/errors.ts'
import { isObject, type Json, parseJson } from '../wire/json.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import type { DeclaredTrigger, Workflow } from '../workflow/workflow.ts'
import type { Scripts } from './scripts.ts'

/** A GitHub event: its name (`GITHUB_EVENT_NAME`) and payload (the file at `GITHUB_EVENT_PATH`). */
export interface PlatformEvent {
  readonly name: string
  readonly payload: Json
}

/**
 * The `client_payload` of a webhook, by whichever event it came; `undefined` for every other event.
 * A `workflow_dispatch` carries one as the text of its input `hookline`; where that is empty, somebody
 * started the workflow by hand.
 *
 * @throws PayloadError when the input is no JSON
 */
export function webhookPayload({ name, payload }: PlatformEvent): Json | undefined {
  if (!isObject(payload)) return undefined
  if (name === 'repository_dispatch' && payload.action === EVENT_TYPE) {
    return (payload.client_payload ?? null) as Json // the event was parsed from JSON
  }
  if (name !== 'workflow_dispatch' || !isObject(payload.inputs)) return undefined
  const { hookline } = payload.inputs
  if (typeof hookline !== 'string' || hookline.trim() === '') return undefined
  try {
    return parseJson(hookline)
  } catch {
    throw new PayloadError('the input hookline of this workflow_dispatch is not JSON')
  }
}

/** Where workflows come from: the input `on`, or files, read when they are asked for. */
export interface WorkflowSource {
  /** The names of all workflows there are. @throws UserError when there are none */
  names(): readonly string[]
  /** @throws UserError when the workflow has mistakes */
  find(name: string): Workflow | undefined
  /** Name of the workflow that GitHub is running, for events that name none. */
  readonly calling: string
  /** Names of the workflows that an event polls; the calling one alone when left out. */
  polled?(): readonly string[]
}

/** One trigger of one workflow. */
export interface TriggerRef {
  readonly workflow: Workflow
  readonly trigger: DeclaredTrigger
}

/** The outside world, as far as evaluating an event needs it. */
export interface EnginePorts {
  readonly triggers: TriggerPorts
  readonly scripts: Scripts
  /** Absent for `state: none`. */
  readonly store?: StateStore | undefined
  readonly run: Run
  /** The working copy of the repository, absolute: where `exportOutputs` writes. */
  readonly folder: string
}
