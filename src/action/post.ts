import * as core from '@actions/core'
import * as v from 'valibot'
import { type Effect, effectsSchema, runEffects } from '../engine/effects.ts'
import { actionPorts, readActionContext, stepInputs } from './context.ts'

/** Name under which the step's effects wait for its `post` part; `post-program.ts` looks for it too. */
const STATE = 'effects'

/** True in the process that ends the job, when the step left something to be done. */
export function isPost(): boolean {
  return core.getState(STATE) !== ''
}

/** Last of all: a step that ends before leaves nothing to be acknowledged. */
export function leaveForPost(effects: readonly Effect[]): void {
  if (effects.length > 0) core.saveState(STATE, JSON.stringify(effects))
}

/**
 * Ends a job that succeeded: with a store one commit, for which nothing else is read or called;
 * without one the acknowledgement of what was polled.
 */
export async function post(): Promise<void> {
  const effects = v.parse(effectsSchema, JSON.parse(core.getState(STATE)))
  const calls = effects.some(({ kind }) => kind === 'acknowledge')
  const context = calls ? await readActionContext() : undefined
  const ports = context?.ports ?? (await actionPorts(stepInputs()))
  await runEffects(effects, (name) => context?.workflows.find(name), ports)
}
