import type { Environment } from '../../wire/settings.ts'
import type { ObjectNamespace } from './object-call.ts'

/** The environment of a worker: settings as strings, and the objects if they are bound. */
export type Bindings = Readonly<Record<string, string | ObjectNamespace | undefined>>

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
