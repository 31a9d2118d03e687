import type { Run, StateStore } from '../state/store.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import type { Unpack } from '../wire/bytes.ts'
import type { DeclaredTrigger } from '../workflow/on.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { Scripts } from './scripts.ts'

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
  /** Unpacks batches; by what every runtime has when left out, which costs more at first. */
  readonly unpack?: Unpack
  /** The working copy of the repository, absolute: where `exportOutputs` writes. */
  readonly folder: string
}
