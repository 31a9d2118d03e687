import type { EnginePorts } from '../engine/engine-ports.ts'
import { scripts } from '../engine/scripts.ts'
import type { StateStore } from '../state/store.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'
import { isObject } from '../wire/json.ts'
import { HEADER } from '../wire/payload.ts'
import { http } from './http-client.ts'

interface Chosen {
  readonly store?: StateStore | undefined
  /** Masks a secret in the log; absent if there is no log. */
  readonly mask?: TriggerPorts['mask']
  /** The input `relay-url` of the action. Without it, an event whose body the relay stores is an error. */
  readonly relayUrl?: string
}

export function enginePorts(
  messagingApiUrl: string,
  { store, mask = () => {}, relayUrl }: Chosen = {},
): EnginePorts {
  return {
    triggers: {
      http,
      now: () => Date.now(),
      sleep,
      messagingApiUrl: messagingApiUrl.replace(/\/+$/, ''),
      mask,
    },
    scripts,
    unpack,
    store,
    run: { id: process.env.GITHUB_RUN_ID || 'local', at: Date.now() },
    ...(relayUrl !== undefined && {
      fetchBody: async (payload) => {
        // Loaded for such an event only, because most events contain their body.
        if (payload.headers[HEADER.bodyEncoding] !== 'url') return payload
        const { withFetchedBody } = await import('./fetch-body.ts')
        return withFetchedBody(payload, { relayUrl, mask, sleep })
      },
    }),
    folder: workingCopy(),
  }
}

/** Not by `node:timers/promises`, a module that every run would load for its few pauses. */
function sleep(duration: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration))
}

/**
 * Synchronous: the streams of `DecompressionStream` take longer to start than a whole batch to
 * unpack.
 */
const unpack: NonNullable<EnginePorts['unpack']> = async (bytes, limit) => {
  const { gunzipSync } = await import('node:zlib')
  try {
    return gunzipSync(bytes, { maxOutputLength: limit })
  } catch (cause) {
    const isTooMuch = isObject(cause) && cause.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooMuch ? new RangeError(`more than ${limit} bytes`, { cause }) : cause
  }
}

/** The absolute path of the repository's working copy. */
export function workingCopy(): string {
  return process.env.GITHUB_WORKSPACE || process.cwd()
}
