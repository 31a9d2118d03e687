import { managerOf, readCaller } from '../../src/relay/admin/access.ts'
import { endpointResource, respondToEndpointResource } from '../../src/relay/admin/endpoints.ts'
import { RelayError } from '../../src/relay/errors.ts'
import { Encryption } from '../../src/relay/store/encryption.ts'
import { EndpointLookup } from '../../src/relay/store/endpoint-lookup.ts'
import { readRelayKeys } from '../../src/relay/store/relay-key.ts'
import { eventsOf, readEndpointUrl } from '../../src/relay/webhook/url.ts'
import { claimsMistake, openChecks } from '../../src/relay/webhook/verification.ts'
import {
  answerEndpointsCall,
  endpointsInObjects,
} from '../../src/relay/workers/endpoint-objects.ts'
import type { ObjectNamespace } from '../../src/relay/workers/object-call.ts'
import type { ObjectState } from '../../src/relay/workers/object-database.ts'
import { Secret } from '../../src/wire/secret.ts'

/** A worker with the endpoints and their admin API alone, for a test of them in workerd. */
interface Bindings {
  readonly HOOKLINE_RELAY_KEY: string
  readonly RELAY: ObjectNamespace
}

/** The objects of all owners; workerd's configuration of the tests has this name. */
export class RelayObject {
  readonly #state: ObjectState

  constructor(state: ObjectState) {
    this.#state = state
  }

  fetch(request: Request): Promise<Response> {
    return answerEndpointsCall(this.#state.storage, request)
  }
}

let lookup: EndpointLookup | undefined

async function respond(request: Request, { HOOKLINE_RELAY_KEY, RELAY }: Bindings) {
  const keys = await readRelayKeys(new Secret(HOOKLINE_RELAY_KEY), 'HOOKLINE_RELAY_KEY')
  const encryption = new Encryption(keys)
  lookup ??= new EndpointLookup({
    stores: endpointsInObjects(RELAY),
    encryption,
    holds: { known: 10_000, unknown: 1000 },
    now: () => Date.now(),
    date: () => new Date(),
    report: () => {},
  })
  const { pathname, search } = new URL(request.url)
  const url = readEndpointUrl(pathname + search)
  if (url) return { events: eventsOf(await lookup.find(url), url) }
  const headers = [...request.headers].flat()
  const rules = { relayKey: { keys, encryption }, allowsTokens: true }
  const caller = managerOf(await readCaller(headers, rules))
  const resource = endpointResource(pathname)
  if (!resource) return {}
  const readBody = async () => new Uint8Array(await request.arrayBuffer())
  const { method } = request
  const relayed = { method, target: pathname + search, headers, readBody }
  return respondToEndpointResource(relayed, resource, caller, {
    endpoints: lookup,
    hasCredential: true,
    loadChecks: async () => ({ claimsMistake, openChecks }),
    now: () => new Date(),
    checkAccess: async () => {},
    deleted: async () => 0,
    log: () => {},
  })
}

export const worker = {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    try {
      const reply = await respond(request, bindings)
      if (!('body' in reply)) return Response.json(reply)
      return new Response(reply.body, { status: reply.status })
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      return Response.json({ code: error.code }, { status: error.status })
    }
  },
}
