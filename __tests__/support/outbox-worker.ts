// An outbox in a Durable Object: a call comes as the name of a method and its arguments.
import {
  migrateObject,
  type ObjectState,
  objectDatabase,
  prepareObject,
  sqlOutbox,
} from '../../src/relay/outbox/sql.ts'

export class Outbox {
  readonly #state: ObjectState

  constructor(state: ObjectState) {
    this.#state = state
  }

  async fetch(request: Request): Promise<Response> {
    const { storage } = this.#state
    if (!migrateObject(storage)) prepareObject(storage)
    const outbox = sqlOutbox(objectDatabase(storage))
    const { method, given } = (await request.json()) as { method: string; given: unknown[] }
    const call = Object.entries(outbox).find(([name]) => name === method)?.[1] as () => unknown
    try {
      return Response.json({ result: (await Reflect.apply(call, outbox, given)) ?? null })
    } catch (error) {
      return Response.json({ error: error instanceof Error ? error.name : 'unknown' })
    }
  }
}

interface Namespace {
  idFromName(name: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

// biome-ignore lint/style/noDefaultExport: the form of a module worker
export default {
  fetch(request: Request, { OUTBOX }: { OUTBOX: Namespace }): Promise<Response> {
    return OUTBOX.get(OUTBOX.idFromName('contract')).fetch(request)
  },
}
