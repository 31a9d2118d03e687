import { isObject } from '../../wire/json.ts'
import { type ObjectStorage, objectDatabase } from '../database/durable-object.ts'
import { StorageError } from '../database/storage-error.ts'
import type { ObjectNamespace } from '../outbox/durable.ts'
import { ENDPOINTS_OBJECT_PATH } from './address.ts'
import { type EndpointStore, EndpointTable } from './store.ts'

/** Name of the one object with every endpoint; no queue has it, since a queue names a repository. */
const OBJECT = 'endpoints'

const METHODS = [
  'versions',
  'find',
  'list',
  'named',
  'create',
  'replace',
  'delete',
  'noteFirstEvent',
  'claimSession',
] as const satisfies readonly (keyof EndpointStore)[]

type StoreMethod = (typeof METHODS)[number]

/** The endpoints in their Durable Object, as the relay reads and changes them. */
export function endpointsInObject(namespace: ObjectNamespace): EndpointStore {
  const call =
    <Name extends StoreMethod>(method: Name) =>
    async (...given: Parameters<EndpointStore[Name]>): Promise<never> => {
      const stub = namespace.get(namespace.idFromName(OBJECT))
      const init = { method: 'POST', body: JSON.stringify({ method, given }) }
      const response = await stub
        .fetch(`https://outbox${ENDPOINTS_OBJECT_PATH}`, init)
        .catch((cause: unknown) => {
          throw new StorageError('disk fails', { cause })
        })
      if (!response.ok) throw new StorageError('disk fails')
      const { result } = (await response.json()) as { result?: unknown }
      // The result of the method with this name; JSON leaves out `undefined`.
      return result as never
    }
  return {
    versions: call('versions'),
    find: call('find'),
    list: call('list'),
    named: call('named'),
    create: call('create'),
    replace: call('replace'),
    delete: call('delete'),
    noteFirstEvent: call('noteFirstEvent'),
    claimSession: call('claimSession'),
  }
}

/** Runs in the object: answers one call of `endpointsInObject`. */
export async function answerEndpointCall(
  storage: ObjectStorage,
  question: unknown,
): Promise<{ result: unknown }> {
  const { method, given } = isObject(question) ? question : {}
  const name = METHODS.find((known) => known === method)
  if (!name || !Array.isArray(given)) throw new TypeError('no call of the endpoint store')
  const table = new EndpointTable(objectDatabase(storage))
  // `endpointsInObject` gave the method its arguments.
  const run = table[name].bind(table) as (...given: unknown[]) => Promise<unknown>
  return { result: await run(...given) }
}
