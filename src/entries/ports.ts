import { setTimeout as sleep } from 'node:timers/promises'
import type { Inputs } from '../action/inputs.ts'
import type { EnginePorts } from '../engine/ports.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import { http } from './http.ts'
import { scripts } from './scripts.ts'

/** The real world for the engine. A store is loaded only when one is asked for. */
export async function enginePorts(
  inputs: Inputs,
  mask: TriggerPorts['mask'],
): Promise<EnginePorts> {
  const folder = process.env.GITHUB_WORKSPACE ?? process.cwd()
  const store = inputs.state.kind !== 'none' && (await import('./store.ts'))
  return {
    triggers: triggerPorts(inputs.messagingApiUrl, mask),
    scripts,
    store: store ? store.chosenStore(inputs, folder) : undefined,
    run: { id: process.env.GITHUB_RUN_ID ?? 'local', at: Date.now() },
    folder,
  }
}

function triggerPorts(messagingApiUrl: string, mask: TriggerPorts['mask']): TriggerPorts {
  return {
    http,
    now: () => Date.now(),
    sleep: (duration) => sleep(duration),
    messagingApiUrl: messagingApiUrl.replace(/\/+$/, ''),
    mask,
  }
}
