import { EndpointTable } from '../../src/relay/store/endpoint-table.ts'
import { answerObjectCall } from '../../src/relay/workers/object-call.ts'
import { ObjectDatabase, type ObjectStorage } from '../../src/relay/workers/object-database.ts'
import { OwnerObjects } from '../../src/relay/workers/owner-objects.ts'
import { objectStorage } from './object-storage.ts'

/** The endpoints of each owner in an object of its own, with a storage in memory. */
export function endpointObjects() {
  const storages = new Map<string, Promise<ObjectStorage>>()
  const calls: string[] = []
  const answer = async (owner: string, body: unknown) => {
    calls.push(owner)
    const storage = storages.get(owner) ?? objectStorage()
    storages.set(owner, storage)
    const store = new EndpointTable(new ObjectDatabase(await storage)).of(owner)
    const look = async () => ({ versions: await store.versions(), waiting: [] })
    return answerObjectCall({ ...store, look }, JSON.parse(String(body)))
  }
  const namespace = {
    idFromName: (name: string) => name,
    get: (id: unknown) => ({
      fetch: (_: string, { body }: { readonly body?: unknown }) => answer(String(id), body),
    }),
  }
  const report = (error: unknown) => {
    throw error
  }
  const stores = new OwnerObjects(namespace, { now: () => 0, report })
  return { stores, calls, storages }
}
