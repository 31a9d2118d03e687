import { type ObjectStorage, objectDatabase } from '../database/durable-object.ts'
import {
  answerObjectCall,
  askObject,
  type ObjectNamespace,
  readObjectCall,
  storeInObject,
} from '../database/object-call.ts'
import { diskFails } from '../database/storage-error.ts'
import { ENDPOINTS_OBJECT_PATH } from './address.ts'
import { type EndpointStore, EndpointTable } from './store.ts'

/** Name of the one object with every endpoint; no queue has it, since a queue names a repository. */
const OBJECT = 'endpoints'

/** The endpoints in their Durable Object, as the relay reads and changes them. */
export function endpointsInObject(namespace: ObjectNamespace): EndpointStore {
  return storeInObject((body) =>
    askObject(namespace, OBJECT, ENDPOINTS_OBJECT_PATH, { method: 'POST', body }).catch(diskFails),
  )
}

/** Runs in the object: answers one call of `endpointsInObject`. */
export async function answerEndpointCall(
  storage: ObjectStorage,
  request: Request,
): Promise<Response> {
  const call = readObjectCall(await request.json())
  return answerObjectCall<EndpointStore>(new EndpointTable(objectDatabase(storage)), call)
}
