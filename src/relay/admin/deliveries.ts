import { bodyBytes } from '../../wire/bytes.ts'
import { jsonResponse, type RelayRequest, type RelayResponse } from '../../wire/http.ts'
import { splitOnce } from '../../wire/path.ts'
import { HEADER, RESERVED_HEADER_PREFIX, readClientPayload } from '../../wire/payload.ts'
import { UUID } from '../../wire/uuid.ts'
import { CREDENTIAL_HEADERS } from '../../wire/webhook-request.ts'
import { type DeliveryStore, isSelected } from '../delivery/deliveries.ts'
import { type DeliveryContent, decryptContent, storedBody } from '../delivery/event-record.ts'
import type { ChangeLine } from '../delivery/log-lines.ts'
import { type Replayed, type ReplayPorts, replayMany, replayOne } from '../delivery/replay.ts'
import { methodNotAllowed, RelayError } from '../errors.ts'
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
  isOpen,
  OUTCOMES,
  STATES,
} from '../store/delivery-rows.ts'
import { DELETED, isDeleted } from '../store/delivery-sql.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import { endpointOf } from '../store/endpoint-records.ts'
import { ENDPOINT_NAME_FORM, type Endpoint, isEndpointOwner } from '../store/endpoint-settings.ts'
import type { LoadChecks } from '../webhook/checks.ts'
import type { Manager } from './access.ts'
import { invalidQuery, isoTime, isRead, noOwner, queryOf, readJsonBody, readPage } from './query.ts'
import { acceptedAt, type Resting, stagesOf } from './stages.ts'

export interface DeliveryPorts extends Pick<ReplayPorts, 'nameQueue' | 'passAgain' | 'newId'> {
  /**
   * The deliveries of an owner, or of all.
   *
   * @returns `undefined` for all owners on Workers, where each has a database of its own
   */
  deliveriesOf(owner: string | undefined): DeliveryStore | undefined
  readonly endpoints: Pick<EndpointLookup, 'stores' | 'encryption'>
  readonly loadChecks: LoadChecks
  now(): Date
  log(line: ChangeLine): void
}

const ADDRESS = new RegExp(`^/-admin/deliveries(?:/([^/]+)(?:/(${UUID}))?(/replay)?)?$`)

/**
 * The deliveries in the admin API: `/-admin/deliveries[/<owner>[/<id>]][/replay]`.
 *
 * @returns `undefined` if the path belongs to another resource
 * @throws RelayError, or StorageError if the disk fails
 */
export async function respondToDeliveries(
  request: RelayRequest,
  path: string,
  caller: Manager,
  ports: DeliveryPorts,
): Promise<RelayResponse | undefined> {
  const found = ADDRESS.exec(path)
  if (!found) return undefined
  const [, owner, id, replays] = found
  if (owner !== undefined && !isEndpointOwner(owner)) throw noSuchDelivery()
  const { method, target } = request
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
): Promise<Pick<DeliveryFilter, 'endpoints'>> {
  if (caller.kind === 'admin') return {}
  const source = owner === undefined ? stores.all : stores.of(owner)
  if (!source) throw noOwner()
  const rows = await source.list(caller.hashes)
  return { endpoints: rows.map((row) => `${row.owner}/${row.name}`) }
}

/** @throws RelayError 400 without an owner on Workers */
function storeOf(owner: string | undefined, { deliveriesOf }: DeliveryPorts): DeliveryStore {
  const store = deliveriesOf(owner)
  if (!store) throw noOwner()
  return store
}

async function listResponse(
  query: URLSearchParams,
  own: DeliveryFilter,
  ports: DeliveryPorts,
): Promise<RelayResponse> {
  const store = storeOf(own.owner, ports)
  const { limit, after } = readPage(query)
  const given = [...query].filter(([name]) => !['limit', 'after'].includes(name))
  const filter = { ...readFilter(Object.fromEntries(given)), ...own }
  const found = await store.table.list({ ...filter, after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const end = found.length > limit ? page.at(-1) : undefined
  return jsonResponse({
    deliveries: (await withRests(page, store)).map(shownDelivery),
    next: end ? String(end.seq) : null,
  })
}

async function showResponse(
  id: string,
  own: DeliveryFilter,
  ports: DeliveryPorts,
): Promise<RelayResponse> {
  const { endpoints, loadChecks } = ports
  const store = storeOf(own.owner, ports)
  const stored = await store.table.find(id)
  if (!stored || !isSelected(stored, own)) return requestResponse(id, own, store)
  const opened = await decryptContent(stored, endpoints.encryption)
  const endpoint = await endpointOf(stored, endpoints)
  const request = opened ? await shownRequest(opened, stored.path, endpoint, loadChecks) : null
  const [delivery = stored] = await withRests([stored], store)
  const stages = stagesOf(delivery, endpoint, request?.body)
  const members = stored.batch === id ? await store.table.members(id) : []
  const selected = members.filter((member) => isSelected(member, own))
  const deliveries = (await withRests(selected, store)).map(shownDelivery)
  const shown = { delivery: shownDelivery(delivery), request, stages }
  return jsonResponse(members.length > 1 ? { ...shown, deliveries } : shown)
}

/** The deliveries of a request with several targets, of which each has an id of its own. */
async function requestResponse(
  id: string,
  own: DeliveryFilter,
  store: DeliveryStore,
): Promise<RelayResponse> {
  const found = await store.table.list({ ...own, request: id, limit: MOST_LISTED })
  if (found.length === 0) throw noSuchDelivery()
  return jsonResponse({ deliveries: (await withRests(found, store)).map(shownDelivery) })
}

/** Each target can have been replayed, too. */
const MOST_LISTED = 100

/** An event whose queue rests waits for the end of the rest, even if it was never sent itself. */
async function withRests<Row extends Delivery>(
  rows: readonly Row[],
  store: DeliveryStore,
): Promise<readonly (Row & Resting)[]> {
  const waiting = rows.filter(({ state, next }) => isOpen(state) && next !== null)
  if (waiting.length === 0) return rows
  const rests = await store.rests([...new Set(waiting.map(({ queue }) => queue))])
  return rows.map((row) => {
    const rest = waiting.includes(row) ? rests[row.queue] : undefined
    return rest ? { ...row, next: Math.max(row.next ?? 0, rest.until), waitsFor: rest.reason } : row
  })
}

async function changeResponse(
  request: RelayRequest,
  id: string | undefined,
  own: DeliveryFilter,
  change: 'replay' | 'delete',
  ports: DeliveryPorts,
): Promise<RelayResponse> {
  const store = storeOf(own.owner, ports)
  const many = id === undefined ? await readChangeFilter(request, own) : undefined
  const named = id !== undefined && { delivery: id }
  if (change === 'delete') {
    const events = await store.delete(many ?? { ...own, id })
    if (!many && events === 0) throw noSuchDelivery()
    ports.log({ change: 'deleted', events, ...named })
    return jsonResponse({ deleted: events })
  }
  const done = await replay(id, own, many, ports)
  ports.log({ change: 'replayed', events: done.replayed, ...named })
  return jsonResponse(done)
}

/** @throws RelayError 404, 409 or 503 if nothing can be replayed */
async function replay(
  id: string | undefined,
  own: DeliveryFilter,
  many: ChangeFilter | undefined,
  ports: DeliveryPorts,
): Promise<Replayed> {
  const replayPorts = {
    ...ports,
    store: storeOf(own.owner, ports),
    encryption: ports.endpoints.encryption,
    now: () => ports.now().getTime(),
  }
  if (many?.state === 'refused') throw invalidQuery('a refused request has no payload to replay')
  const done = many
    ? await replayMany(many, replayPorts)
    : await replayOne(id ?? '', own, replayPorts)
  if (done === undefined) throw noSuchDelivery()
  if (done === 'refused') throw notReplayable('a refused request has no stored payload')
  if (done === 'deleted') {
    throw new RelayError('not_replayable', {
      message: 'the delivery cannot be replayed: its endpoint was deleted',
      hint: 'Create the endpoint again (hookline endpoint create), and let the sender send the event again.',
    })
  }
  const { replayed, declined, missing, left, explanation = '' } = done
  if (left > 0 && replayed === 0) {
    throw new RelayError('storage_full', {
      message: 'the database has no room for the replay',
      hint: 'Delete dead letters, or set a larger HOOKLINE_MAX_STORAGE_MB.',
    })
  }
  if (!many && replayed + declined === 0) {
    throw missing > 0 ? notReplayable(explanation) : noSuchDelivery()
  }
  return done
}

type ChangeFilter = DeliveryFilter & { readonly state: DeliveryState }

/** A filter that selects deliveries to change: dead letters, unless another state is named. */
async function readChangeFilter(request: RelayRequest, own: DeliveryFilter): Promise<ChangeFilter> {
  const given = await givenFilter(request)
  if (Object.keys(given).length === 0) {
    throw invalidQuery('add endpoint, repository, state, outcome, reason, since or until')
  }
  return { ...readFilter(given), ...own, state: readOneOf('state', STATES, given.state) ?? 'dead' }
}

async function givenFilter(request: RelayRequest): Promise<Readonly<Record<string, unknown>>> {
  const query = Object.fromEntries(queryOf(request.target))
  const all = Object.entries({ ...query, ...(await readJsonBody(request, invalidQuery)) })
  return Object.fromEntries(all.filter(([, value]) => value != null && value !== ''))
}

const FILTERS = ['endpoint', 'repository', 'state', 'outcome', 'reason', 'since', 'until']

/** @throws RelayError 400 that names the first mistake */
function readFilter(given: Readonly<Record<string, unknown>>): DeliveryFilter {
  const read = (name: string): string | undefined => {
    const value = given[name]
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw invalidQuery(`${name} must be a string`)
    return value
  }
  const [unknown] = Object.keys(given).filter(
    (name) => given[name] !== undefined && !FILTERS.includes(name),
  )
  if (unknown !== undefined) {
    throw invalidQuery(`${JSON.stringify(unknown.slice(0, 40))} is none of ${FILTERS.join(', ')}`)
  }
  const endpoint = read('endpoint')
  if (endpoint !== undefined && !ENDPOINT_NAME_FORM.test(endpoint)) {
    throw invalidQuery('endpoint is not the name of an endpoint')
  }
  const filter = {
    endpoint,
    repository: read('repository')?.toLowerCase(),
    state: readOneOf('state', STATES, given.state),
    outcome: readOneOf('outcome', OUTCOMES, given.outcome),
    reason: read('reason'),
    since: readTime('since', read('since')),
    until: readTime('until', read('until')),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

function readOneOf<Value extends string>(
  name: string,
  values: readonly Value[],
  given: unknown,
): Value | undefined {
  if (given === undefined || given === '') return undefined
  const known = values.find((value) => value === given)
  if (!known) throw invalidQuery(`${name} must be one of ${values.join(', ')}`)
  return known
}

function readTime(name: string, text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : Date.parse(text)
  if (Number.isNaN(time)) throw invalidQuery(`${name} must be a time such as 2026-01-31T12:00:00Z`)
  return time
}

/** The public part of a delivery. Unknown values are `null`. */
function shownDelivery(delivery: Delivery & Resting) {
  const { id, request, replayOf, batch, owner, repository, endpoint, path, method } = delivery
  const { state, reason, explanation, received, since, attempts, next, size } = delivery
  const { githubMs, run, outcome, outcomeReason, conclusion, details } = delivery
  return {
    id,
    request,
    owner,
    endpoint: endpoint === null ? null : endpoint.replace(DELETED, ''),
    ...(isDeleted(delivery) && { endpointDeleted: true }),
    repository,
    path,
    method: method || null,
    state,
    reason: reason || null,
    explanation,
    receivedAt: isoTime(received),
    changedAt: isoTime(since),
    attempts,
    nextAttemptAt: isOpen(state) && next !== null ? isoTime(next) : null,
    waitsFor: delivery.waitsFor ?? null,
    size,
    acceptedAt: acceptedAt(delivery),
    githubMs,
    run,
    outcome,
    outcomeReason,
    conclusion,
    details,
    ...(replayOf !== null && { replayOf }),
    ...(batch !== null && { batch }),
  }
}

/** A request as the admin API shows it: without credentials and signatures. */
interface ShownRequest {
  readonly method: string
  /** `<workflow>/<trigger>[/<rest>]` */
  readonly path: string
  /** Without the parameters that authenticated the sender. */
  readonly query: string
  /** Values are `null` for a refused request. */
  readonly headers: Readonly<Record<string, string | null>>
  /** `null` if it is not stored. */
  readonly body: string | null
  /** Set if `body` is base64. */
  readonly bodyEncoding?: 'base64'
  /** True if only the beginning of the body is stored. */
  readonly isCut?: true
  /** Address of a body that the relay stores because it is too large for an event. */
  readonly bodyUrl?: string | undefined
}

/** Cookies do not travel to GitHub, but a request that was refused may have had some. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...CREDENTIAL_HEADERS,
  'cookie',
  'proxy-authorization',
])

/**
 * @param path of the delivery, without its query
 * @param endpoint whose signatures are omitted
 */
async function shownRequest(
  content: DeliveryContent,
  path: string,
  endpoint: Endpoint | undefined,
  loadChecks: LoadChecks,
): Promise<ShownRequest> {
  const locations = endpoint?.verify
    ? (await loadChecks()).signatureLocations(endpoint.verify)
    : { headers: [], query: [] }
  const isShown = (name: string) =>
    !HIDDEN.has(name) &&
    !name.startsWith(RESERVED_HEADER_PREFIX) &&
    !locations.headers.includes(name)
  const queryOf = (url: string) =>
    splitOnce(url, '?')[1]
      .split('&')
      .filter((pair) => {
        const [name = ''] = new URLSearchParams(`&${pair}`).keys()
        return !name.startsWith('__') && !locations.query.includes(name)
      })
      .join('&')
  if (content.received) {
    const { method, target, headers, body, isCut } = content.received
    const shown = headers.filter(([name]) => isShown(name))
    return {
      method,
      path,
      query: queryOf(target),
      headers: Object.fromEntries(shown.map(([name, value = null]) => [name, value])),
      ...shownBody(body),
      ...(isCut && { isCut }),
    }
  }
  const payload = readClientPayload(JSON.parse(content.event.clientPayload))
  const { method, headers, body } = payload
  const bodyUrl = headers[HEADER.bodyUrl]
  const bytes =
    typeof body === 'string' ? await bodyBytes(body, headers[HEADER.bodyEncoding]) : undefined
  return {
    method,
    path,
    query: queryOf(payload.path),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isShown(name))),
    ...shownBody(bytes ? storedBody(bytes) : bodyUrl === undefined ? { text: '' } : null),
    bodyUrl,
  }
}

function shownBody(
  body: ReturnType<typeof storedBody> | null,
): Pick<ShownRequest, 'body' | 'bodyEncoding'> {
  if (body === null) return { body: null }
  return 'text' in body ? { body: body.text } : { body: body.base64, bodyEncoding: 'base64' }
}

function noSuchDelivery(): RelayError {
  return new RelayError('not_found', {
    message: 'no delivery has this id',
    hint: 'GET /-admin/deliveries/<owner> lists the deliveries. An owner is written in lower case.',
  })
}

/** @param why without a full stop */
function notReplayable(why: string): RelayError {
  return new RelayError('not_replayable', { message: `the delivery cannot be replayed: ${why}` })
}
