import { setTimeout as sleep } from 'node:timers/promises'
import type { EnginePorts } from '../engine/ports.ts'
import { scripts } from '../engine/scripts.ts'
import type { StateStore } from '../state/store.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import { isObject } from '../wire/json.ts'
import { http } from './http.ts'

interface Chosen {
  readonly store?: StateStore | undefined
  /** How a secret is hidden; left out where no log is kept. */
  readonly mask?: TriggerPorts['mask']
}

/** The real world for the engine. */
export function enginePorts(
  messagingApiUrl: string,
  { store, mask = () => {} }: Chosen = {},
): EnginePorts {
  return {
    triggers: {
      http,
      now: () => Date.now(),
      sleep: (duration) => sleep(duration),
      messagingApiUrl: messagingApiUrl.replace(/\/+$/, ''),
      mask,
    },
    scripts,
    unpack,
    store,
    run: { id: process.env.GITHUB_RUN_ID || 'local', at: Date.now() },
    folder: workingCopy(),
  }
}

/** At once: what all runtimes have for it costs a start more than all events of a batch. */
const unpack: NonNullable<EnginePorts['unpack']> = async (bytes, limit) => {
  const { gunzipSync } = await import('node:zlib')
  try {
    return gunzipSync(bytes, { maxOutputLength: limit })
  } catch (cause) {
    const isTooMuch = isObject(cause) && cause.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooMuch ? new RangeError(`more than ${limit} bytes`, { cause }) : cause
  }
}

/** The working copy of the repository, absolute. */
export function workingCopy(): string {
  return process.env.GITHUB_WORKSPACE || process.cwd()
}
