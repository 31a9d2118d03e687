import type { Encryption } from '../store/encryption.ts'
import { reencryptEndpoints } from '../store/endpoint-records.ts'
import { type EndpointStore, type EndpointStores, EndpointTable } from '../store/endpoint-table.ts'
import { diskFails } from '../store/storage-error.ts'
import {
  answerObjectCall,
  askObject,
  type ObjectNamespace,
  readObjectCall,
  storeInObject,
} from './object-call.ts'
import { type ObjectStorage, objectDatabase } from './object-database.ts'

/** Path by which the relay calls the Durable Object of an owner; the owner follows. */
export const ENDPOINTS_PATH = '/endpoints/'

/** The endpoints of each owner in the Durable Object that is named after the owner. */
export function endpointsInObjects(namespace: ObjectNamespace): EndpointStores {
  return {
    of: (owner) =>
      storeInObject((body) =>
        askObject(namespace, owner, ENDPOINTS_PATH + owner, { method: 'POST', body }).catch(
          diskFails,
        ),
      ),
  }
}

/** Databases whose endpoints were encrypted anew, if that was needed, since the object woke. */
const current = new WeakMap<ObjectStorage, Promise<unknown>>()

/** Runs in the object: answers one call of `endpointsInObjects`. @param encryption of the relay key */
export async function answerEndpointsCall(
  storage: ObjectStorage,
  request: Request,
  encryption?: Encryption,
): Promise<Response> {
  if (encryption && !current.has(storage)) {
    const encrypting = reencryptEndpoints(objectDatabase(storage), encryption)
    // A later call tries again; until then, the old keys decrypt these rows.
    current.set(
      storage,
      encrypting.catch(() => current.delete(storage)),
    )
  }
  await current.get(storage)
  const owner = new URL(request.url).pathname.slice(ENDPOINTS_PATH.length)
  const call = readObjectCall(await request.json())
  const store = new EndpointTable(objectDatabase(storage)).of(owner)
  return answerObjectCall<EndpointStore>(store, call)
}
