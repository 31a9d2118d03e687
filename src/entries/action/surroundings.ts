import * as core from '@actions/core'
import { expressionContexts } from '../../action/contexts.ts'
import { type Inputs, readInputs } from '../../action/inputs.ts'
import type { EnginePorts, PlatformEvent, WorkflowSource } from '../../engine/event.ts'
import type { StateStore } from '../../state/index.ts'
import { enginePorts, workingCopy } from '../ports.ts'
import { readEvent } from './platform-event.ts'
import { workflowSource } from './workflow-source.ts'

/** Everything around a run of the action. */
export interface Surroundings {
  readonly inputs: Inputs
  readonly event: PlatformEvent
  readonly workflows: WorkflowSource
  readonly ports: EnginePorts
}

/** @throws UserError when an input or the event cannot be read */
export async function readSurroundings(): Promise<Surroundings> {
  const inputs = readInputs((name) => core.getInput(name, { trimWhitespace: false }))
  const event = readEvent()
  const contexts = expressionContexts(process.env, event.payload, inputs)
  const workflows = await workflowSource(inputs, contexts)
  const ports = enginePorts(inputs.messagingApiUrl, {
    store: await store(inputs),
    mask: core.setSecret,
  })
  return { inputs, event, workflows, ports }
}

/** A store is loaded only when one is asked for. */
async function store(inputs: Inputs): Promise<StateStore | undefined> {
  if (inputs.state.kind === 'none') return undefined
  const { chosenStore } = await import('./store.ts')
  return chosenStore(inputs, workingCopy())
}
