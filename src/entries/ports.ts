import { setTimeout as sleep } from 'node:timers/promises'
import type { EnginePorts } from '../engine/ports.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import { http } from './http.ts'

/** The real world for the engine. */
export function enginePorts(messagingApiUrl: string, mask: TriggerPorts['mask']): EnginePorts {
  return {
    triggers: {
      http,
      now: () => Date.now(),
      sleep: (duration) => sleep(duration),
      messagingApiUrl: messagingApiUrl.replace(/\/+$/, ''),
      mask,
    },
  }
}
