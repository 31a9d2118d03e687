import type { Environment } from '../../wire/settings.ts'
import type { ObjectNamespace } from '../database/object-call.ts'

/**
 * The used part of an R2 bucket:
 * https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
export interface BodyBucket {
  put(key: string, value: Uint8Array): Promise<unknown>
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>
  /** At most 1,000 keys. */
  delete(keys: string[]): Promise<unknown>
}

/** The environment of a worker: settings as strings, and the objects and the bucket if they are bound. */
export type Bindings = Readonly<Record<string, string | ObjectNamespace | BodyBucket | undefined>>

export function environmentOf(env: Bindings): Environment {
  const settings = Object.entries(env).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string'
  })
  return Object.fromEntries(settings)
}

/** The objects of class `RelayObject`; a stateless relay has none. */
export function namespaceOf({ RELAY }: Bindings): ObjectNamespace | undefined {
  return typeof RELAY === 'object' && 'idFromName' in RELAY ? RELAY : undefined
}

/** The R2 bucket for large bodies, if one is bound. */
export function bucketOf({ HOOKLINE_BODIES }: Bindings): BodyBucket | undefined {
  return typeof HOOKLINE_BODIES === 'object' && 'put' in HOOKLINE_BODIES
    ? HOOKLINE_BODIES
    : undefined
}
