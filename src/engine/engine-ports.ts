import type { Run, StateStore } from '../state/store.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import type { Unpack } from '../wire/bytes.ts'
import type { ClientPayload, FetchedPayload } from '../wire/payload.ts'
import type { DeclaredTrigger } from '../workflow/on.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { Scripts } from './scripts.ts'

/** The source of workflows: the input `on`, or files that are read on demand. */
export interface WorkflowSource {
  /** The names of all workflows. @throws UserError if there are none */
  names(): readonly string[]
  /** @throws UserError if the workflow has mistakes */
  find(name: string): Workflow | undefined
  /** Name of the workflow that GitHub is running, for events without a workflow name. */
  readonly calling: string
  /** Names of the workflows that an event polls; only the calling workflow if absent. */
  polled?(): readonly string[]
}

export interface TriggerRef {
  readonly workflow: Workflow
  readonly trigger: DeclaredTrigger
}

/** The parts of the outside world that evaluating an event needs. */
export interface EnginePorts {
  readonly triggers: TriggerPorts
  readonly scripts: Scripts
  /** Absent for `state: none`. */
  readonly store?: StateStore | undefined
  readonly run: Run
  /**
   * Unpacks batches; if absent, by a decompression that works in every runtime but takes longer to
   * load.
   */
  readonly unpack?: Unpack
  /**
   * Fetches a body that the relay stores. Absent where nothing is fetched; such an event is then an error.
   *
   * @throws UserError if the body cannot be fetched
   */
  readonly fetchBody?: (payload: ClientPayload) => Promise<FetchedPayload>
  /** The absolute path of the working copy, below which `exportOutputs` writes. */
  readonly folder: string
}
