import type { Environment } from '../../wire/settings.ts'
import type { ObjectNamespace } from '../database/object-call.ts'

/** The environment of a worker: settings as strings, and the outbox if it is bound. */
export type Bindings = Readonly<Record<string, string | ObjectNamespace | undefined>>

export function environmentOf(env: Bindings): Environment {
  const settings = Object.entries(env).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string'
  })
  return Object.fromEntries(settings)
}

/** The objects of class `Outbox`, where the outbox is switched on. */
export function namespaceOf({ OUTBOX }: Bindings): ObjectNamespace | undefined {
  return typeof OUTBOX === 'object' && 'idFromName' in OUTBOX ? OUTBOX : undefined
}
