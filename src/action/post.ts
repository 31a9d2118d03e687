import * as core from '@actions/core'
import * as v from 'valibot'
import { type Effect, effectsSchema, runEffects } from '../engine/effects.ts'
import { actionPorts, readActionContext, stepInputs } from './context.ts'

/** Names under which the step's own state waits for its `post` part. */
const STATE = { begun: 'begun', effects: 'effects' } as const

/** True in the process that ends the job: GitHub hands it what the step saved. */
export function isPost(): boolean {
  return core.getState(STATE.begun) !== ''
}

/** Before anything else, so that a step that fails half-way is not run again in place of `post`. */
export function beginMain(): void {
  core.saveState(STATE.begun, 'true')
}

/** Last of all: a step that ends before leaves nothing to be acknowledged. */
export function leaveForPost(effects: readonly Effect[]): void {
  if (effects.length > 0) core.saveState(STATE.effects, JSON.stringify(effects))
}

/**
 * Ends a job that succeeded: with a store one commit, for which nothing else is read or called;
 * without one the acknowledgement of what was polled.
 */
export async function post(): Promise<void> {
  const saved = core.getState(STATE.effects)
  if (saved === '') return
  const effects = v.parse(effectsSchema, JSON.parse(saved))
  const calls = effects.some(({ kind }) => kind === 'acknowledge')
  const context = calls ? await readActionContext() : undefined
  const ports = context?.ports ?? (await actionPorts(stepInputs()))
  await runEffects(effects, (name) => context?.workflows.find(name), ports)
}
