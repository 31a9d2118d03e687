import type { RelayRequest } from '../../wire/http.ts'
import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import { isObject, parsePlainJson } from '../../wire/json.ts'
import { splitOnce } from '../../wire/path.ts'
import type { DeliveryFilter, DeliveryView, ListedDelivery } from '../delivery/delivery-list.ts'
import type { EventState } from '../delivery/event.ts'
import { decryptEvent } from '../delivery/event-record.ts'
import { DELETED } from '../delivery/ledger.ts'
import { endpointLabel } from '../delivery/queue-name.ts'
import { methodNotAllowed, RelayError } from '../errors.ts'
import type { OutboxLine } from '../log-lines.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import { ENDPOINT_NAME_FORM, isEndpointOwner } from '../store/endpoint-settings.ts'
import type { Manager } from './access.ts'
import { invalidQuery, isoTime, isRead, queryOf, readPage } from './query.ts'

export interface DeliveryPorts {
  readonly deliveries: DeliveryView
  /** The endpoints of a caller with a GitHub token. */
  readonly endpoints: Pick<EndpointLookup, 'stores' | 'encryption'>
  log(line: Pick<OutboxLine, 'outbox' | 'delivery' | 'events'>): void
}

/** The part of an address after `/-admin/deliveries`. */
interface DeliveryResource {
  /** `undefined` for all owners. */
  readonly owner: string | undefined
  /** `undefined` for all deliveries. */
  readonly id: string | undefined
  readonly replays: boolean
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const ADDRESS = new RegExp(`^/-admin/deliveries(?:/([^/]+)(?:/(${UUID}))?(/replay)?)?$`)

/**
 * The resource of a path; `undefined` if the path belongs to another resource.
 *
 * @throws RelayError 404 for an owner that cannot be one
 */
export function deliveryResource(path: string): DeliveryResource | undefined {
  const found = ADDRESS.exec(path)
  if (!found) return undefined
  const [, owner, id, replay] = found
  if (owner !== undefined && !isEndpointOwner(owner)) throw noSuchDelivery()
  return { owner, id, replays: replay !== undefined }
}

/**
 * The deliveries in the admin API: `/-admin/deliveries[/<owner>[/<id>]][/replay]`.
 *
 * @throws RelayError, or StorageError if the disk fails
 */
export async function respondToDeliveries(
  request: RelayRequest,
  resource: DeliveryResource,
  caller: Manager,
  ports: DeliveryPorts,
): Promise<RelayResponse> {
  const { method, target } = request
  const { owner, id, replays } = resource
  const query = queryOf(target)
  const own = { owner, ...(await ownDeliveries(owner, caller, ports)) }
  if (replays) {
    if (method !== 'POST') throw methodNotAllowed(['POST'])
    return changeResponse(request, id, own, 'replay', ports)
  }
  if (isRead(method)) {
    return id === undefined ? listResponse(query, own, ports) : showResponse(id, own, ports)
  }
  if (method !== 'DELETE' || owner === undefined) {
    throw methodNotAllowed(owner === undefined ? ['GET'] : ['GET', 'DELETE'])
  }
  return changeResponse(request, id, own, 'delete', ports)
}

/** The deliveries that the caller may see: those of endpoints that store the caller's token. */
async function ownDeliveries(
  owner: string | undefined,
  caller: Manager,
  { endpoints: { stores } }: DeliveryPorts,
): Promise<Pick<DeliveryFilter, 'credentials'>> {
  const source = owner === undefined ? stores.all : stores.of(owner)
  if (!source) {
    throw invalidQuery('the path has no owner: on Workers, each owner has a database of its own')
  }
  if (caller.kind === 'admin') return {}
  const rows = await source.list(caller.hashes)
  return { credentials: rows.map(endpointLabel) }
}

async function listResponse(
  query: URLSearchParams,
  own: DeliveryFilter,
  { deliveries }: DeliveryPorts,
): Promise<RelayResponse> {
  const { limit, cursor } = readPage(query, /^\d{1,15}\.[0-9a-f-]{36}$/)
  const [received, last] = splitOnce(cursor ?? '', '.')
  const after = cursor === undefined ? undefined : { received: Number(received), id: last }
  const outcome = query.get('outcome') || undefined
  const given = [...query].filter(([name]) => !['limit', 'after', 'outcome'].includes(name))
  const filter = { ...readFilter(Object.fromEntries(given)), ...own }
  const found = await deliveries.list({ ...filter, outcome, after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const end = found.length > limit ? page.at(-1) : undefined
  return jsonResponse({
    deliveries: page.map(shownDelivery),
    next: end ? `${end.received}.${end.id}` : null,
  })
}

async function showResponse(
  id: string,
  own: DeliveryFilter,
  { deliveries, endpoints: { encryption } }: DeliveryPorts,
): Promise<RelayResponse> {
  const [delivery] = await deliveries.list({ ...own, id, limit: 1 })
  if (!delivery) throw noSuchDelivery()
  const stored = (await deliveries.find(id)).find((event) => event.delivery === id)
  const opened = stored && (await decryptEvent(stored, encryption).catch(() => undefined))
  // The relay serialized it.
  const payload: unknown = opened ? JSON.parse(opened.event.clientPayload) : null
  return jsonResponse({ delivery: shownDelivery(delivery), payload })
}

async function changeResponse(
  request: RelayRequest,
  id: string | undefined,
  own: DeliveryFilter,
  change: 'replay' | 'delete',
  { deliveries, log }: DeliveryPorts,
): Promise<RelayResponse> {
  const replays = change === 'replay'
  const outbox = replays ? 'replayed' : 'deleted'
  let events: number
  if (id === undefined) {
    const given = await givenFilter(request)
    if (Object.keys(given).length === 0) {
      throw invalidQuery('add endpoint, repository, state, reason, since or until')
    }
    const filter = { state: 'dead' as const, ...readFilter(given), ...own }
    if (filter.state !== 'dead' && filter.state !== 'delivered') {
      throw invalidQuery('state must be dead or delivered')
    }
    events = await (replays ? deliveries.replayAll(filter) : deliveries.deleteAll(filter))
  } else {
    events = await (replays ? deliveries.replay(id, own) : deliveries.delete(id, own))
    if (events === 0) throw replays ? notReplayable() : noSuchDelivery()
  }
  log({ outbox, events, ...(id !== undefined && { delivery: id }) })
  return jsonResponse({ [outbox]: events })
}

const MOST_BYTES = 64 * 1024

/** The filter in the query, and in a body of JSON. */
async function givenFilter(request: RelayRequest): Promise<Readonly<Record<string, unknown>>> {
  const query = Object.fromEntries(queryOf(request.target))
  let body: unknown = {}
  try {
    const text = new TextDecoder().decode(await request.readBody(MOST_BYTES))
    if (text !== '') body = parsePlainJson(text)
  } catch {
    throw invalidQuery('the body must be JSON, of at most 64 KB')
  }
  if (!isObject(body)) throw invalidQuery('the body must be a JSON object')
  const all = Object.entries({ ...query, ...body })
  return Object.fromEntries(all.filter(([, value]) => value != null && value !== ''))
}

const STATES: readonly EventState[] = ['waiting', 'uncertain', 'delivered', 'dead']

/** @throws RelayError 400 that names the first mistake */
function readFilter(given: Readonly<Record<string, unknown>>): DeliveryFilter {
  const allowed = ['endpoint', 'repository', 'state', 'reason', 'since', 'until']
  const read = (name: string): string | undefined => {
    const value = given[name]
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw invalidQuery(`${name} must be a string`)
    return value
  }
  const [unknown] = Object.keys(given).filter(
    (name) => given[name] !== undefined && !allowed.includes(name),
  )
  if (unknown !== undefined) {
    throw invalidQuery(`${JSON.stringify(unknown.slice(0, 40))} is none of ${allowed.join(', ')}`)
  }
  const endpoint = read('endpoint')
  if (endpoint !== undefined && !ENDPOINT_NAME_FORM.test(endpoint)) {
    throw invalidQuery('endpoint is not the name of an endpoint')
  }
  const state = read('state')
  const known = STATES.find((each) => each === state)
  if (state !== undefined && !known) throw invalidQuery(`state must be one of ${STATES.join(', ')}`)
  const filter = {
    endpoint,
    repository: read('repository')?.toLowerCase(),
    state: known,
    reason: read('reason'),
    since: readTime('since', read('since')),
    until: readTime('until', read('until')),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

function readTime(name: string, text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : Date.parse(text)
  if (Number.isNaN(time)) throw invalidQuery(`${name} must be a time such as 2026-01-31T12:00:00Z`)
  return time
}

function shownDelivery(delivery: ListedDelivery) {
  const { id, unit, repository, credential, path, method, state, reason, received } = delivery
  const { attempts, next, bytes, run, outcome, conclusion } = delivery
  const [, name = null] = /^endpoint:[^/]*\/([^#]*)/.exec(credential) ?? []
  return {
    id,
    owner: splitOnce(repository, '/')[0],
    endpoint: name,
    repository,
    path,
    method: method || null,
    state,
    reason: reason || null,
    receivedAt: isoTime(received),
    attempts,
    nextAttemptAt: next === null ? null : isoTime(next),
    size: bytes,
    run: run || null,
    outcome: outcome || null,
    conclusion: conclusion || null,
    credential: credential.replace(DELETED, ''),
    ...(unit !== id && { batch: unit }),
  }
}

function noSuchDelivery(): RelayError {
  return new RelayError(404, 'not_found', 'no delivery has this id', {
    hint: 'GET /-admin/deliveries/<owner> lists the deliveries. An owner is written in lower case.',
  })
}

function notReplayable(): RelayError {
  return new RelayError(404, 'not_found', 'no dead letter and no delivered batch has this id', {
    hint: 'A waiting delivery is attempted without a replay. Of other delivered events, the relay stores no payload.',
  })
}
