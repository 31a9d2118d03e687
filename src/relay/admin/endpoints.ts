import { durationSeconds } from '../../wire/duration.ts'
import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import { isObject, parsePlainJson } from '../../wire/json.ts'
import { isRepository, isWorkflowName, lacksTrigger } from '../../wire/path.ts'
import { isDispatchMode } from '../../wire/payload.ts'
import { isHeaderSafe } from '../../wire/secret.ts'
import { ENDPOINT_NAME } from '../endpoints/address.ts'
import {
  type Endpoint,
  type EndpointRow,
  type EndpointSettings,
  hashOf,
  newEndpointId,
  sealEndpointsFor,
} from '../endpoints/endpoint.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import { methodNotAllowed, RelayError } from '../relay-errors.ts'
import type { RelayPorts, RelayRequest } from '../relay-ports.ts'
import { type BatchSettings, MOST_BATCH_SECONDS } from '../request/batch-period.ts'
import { isoTime, isRead, queryOf } from './query.ts'

/** The part of an address after `/-/endpoints`. */
export interface EndpointTarget {
  /** Lower case; `undefined` for all endpoints. */
  readonly name: string | undefined
  readonly rotates: boolean
}

export interface EndpointAdminPorts
  extends Pick<RelayPorts, 'credentials' | 'loadChecks' | 'publicUrl' | 'now'> {
  /** Whether the relay has a GitHub credential of its own. */
  readonly hasCredential: boolean
  /** Has the events of the endpoints that GitHub has not accepted yet. */
  readonly outbox?: { endRevoked(labels: readonly string[]): Promise<number> } | undefined
  /** Whether the relay has alarms, which `expect` needs. */
  readonly hasAlarms: boolean
  log(line: { readonly endpoint: string; readonly change: string }): void
}

/** Bytes of a request to the admin API. */
const MOST_BYTES = 64 * 1024

/** Endpoints of one relay: each isolate on Workers holds a list of their hashes. */
const MOST_ENDPOINTS = 10_000

/**
 * The admin API of endpoints, for a request that brought the admin key: `/-/endpoints`,
 * `/-/endpoints/<name>` and `/-/endpoints/<name>/rotate`.
 *
 * @throws RelayError, or StorageError if the disk fails
 */
export async function respondToEndpoints(
  request: RelayRequest,
  { name, rotates }: EndpointTarget,
  endpoints: Endpoints,
  ports: EndpointAdminPorts,
): Promise<RelayResponse> {
  const { method, target } = request
  if (name === undefined) {
    if (isRead(method)) return endpointsResponse(endpoints)
    if (method === 'POST') return createResponse(request, endpoints, ports)
    throw methodNotAllowed(['GET', 'POST'])
  }
  if (rotates) {
    if (method !== 'POST') throw methodNotAllowed(['POST'])
    const rotated = async (endpoint: Endpoint) => ({ ...endpoint, id: newEndpointId() })
    return replace(name, rotated, 'rotated', endpoints, ports)
  }
  if (method === 'PATCH') return updateResponse(name, request, endpoints, ports)
  const row = await endpoints.store.named(name)
  if (!row) throw noSuchEndpoint(name)
  if (isRead(method)) {
    const withUrl = queryOf(target).get('url') === 'true'
    const endpoint = await endpoints.openRow(row)
    if (withUrl) await opened(row, endpoints)
    return jsonResponse({
      ...shown(row, endpoint),
      ...(withUrl && endpoint && urlOf(endpoint, ports)),
    })
  }
  if (method !== 'DELETE') throw methodNotAllowed(['GET', 'PATCH', 'DELETE'])
  await endpoints.store.delete(name)
  endpoints.changed()
  ports.log({ endpoint: name, change: 'deleted' })
  const drops = queryOf(target).get('drop-events') === 'true'
  const events = drops ? ((await ports.outbox?.endRevoked([`endpoint:${name}`])) ?? 0) : undefined
  return jsonResponse({ success: true, ...(events !== undefined && { events }) })
}

async function endpointsResponse(endpoints: Endpoints): Promise<RelayResponse> {
  const rows = await endpoints.store.list()
  const all = rows.map(async (row) => shown(row, await endpoints.openRow(row)))
  return jsonResponse({ endpoints: await Promise.all(all) })
}

async function createResponse(
  request: RelayRequest,
  endpoints: Endpoints,
  ports: EndpointAdminPorts,
): Promise<RelayResponse> {
  const { name, ...settings } = await readJsonBody(request)
  if (typeof name !== 'string' || !new RegExp(`^${ENDPOINT_NAME}$`).test(name)) {
    throw invalidEndpoint('"name" must have 1 to 63 of: a-z 0-9 . _ -')
  }
  const endpoint = { id: newEndpointId(), name, ...(await checkedSettings(settings, ports)) }
  const [key] = endpoints.keys
  if (!key) throw new TypeError('there is no key to seal with')
  if ((await endpoints.store.versions()).length >= MOST_ENDPOINTS) {
    throw invalidEndpoint(`a relay has at most ${MOST_ENDPOINTS} endpoints: delete one`)
  }
  const now = ports.now().getTime()
  const row = {
    hash: await hashOf(endpoint.id),
    name,
    created: now,
    changed: now,
    firstEvent: null,
    ...(await sealEndpointsFor(key)(endpoint)),
  }
  if (!(await endpoints.store.create(row))) throw nameTaken(name)
  endpoints.changed()
  ports.log({ endpoint: name, change: 'created' })
  return jsonResponse({ ...shown(row, endpoint), ...urlOf(endpoint, ports) })
}

async function updateResponse(
  name: string,
  request: RelayRequest,
  endpoints: Endpoints,
  ports: EndpointAdminPorts,
): Promise<RelayResponse> {
  const changes = await readJsonBody(request)
  if ('name' in changes) throw invalidEndpoint('the name cannot be changed')
  const updated = async ({ id, name, ...old }: Endpoint) => {
    const merged = Object.entries({ ...old, ...changes }).filter(([, value]) => value !== null)
    return { id, name, ...(await checkedSettings(Object.fromEntries(merged), ports)) }
  }
  return replace(name, updated, 'updated', endpoints, ports)
}

/** @param next computes the changed endpoint; it is called again if another request changed the endpoint */
async function replace(
  name: string,
  next: (endpoint: Endpoint) => Promise<Endpoint>,
  change: 'updated' | 'rotated',
  endpoints: Endpoints,
  ports: EndpointAdminPorts,
): Promise<RelayResponse> {
  const [key] = endpoints.keys
  if (!key) throw new TypeError('there is no key to seal with')
  for (;;) {
    const row = await endpoints.store.named(name)
    if (!row) throw noSuchEndpoint(name)
    const endpoint = await next(await opened(row, endpoints))
    const changed = {
      ...row,
      // Two changes within a millisecond are two versions.
      changed: Math.max(ports.now().getTime(), row.changed + 1),
      hash: await hashOf(endpoint.id),
      ...(await sealEndpointsFor(key)(endpoint)),
    }
    // If it fails, another change was stored in between, so each pass is the success of a request.
    if (!(await endpoints.store.replace(changed, row))) continue
    endpoints.changed()
    ports.log({ endpoint: name, change })
    const withUrl = change === 'rotated' && urlOf(endpoint, ports)
    return jsonResponse({ ...shown(changed, endpoint), ...withUrl })
  }
}

/** @throws RelayError 409 if no sealing key opens the endpoint */
async function opened(row: EndpointRow, endpoints: Endpoints): Promise<Endpoint> {
  const endpoint = await endpoints.openRow(row)
  if (endpoint) return endpoint
  throw new RelayError(
    409,
    'unreadable_endpoint',
    `no sealing key opens the endpoint ${row.name}`,
    {
      hint: 'Add the key back to HOOKLINE_SEALING_KEYS, or delete the endpoint.',
    },
  )
}

/** The public part: no id, no secret. `undefined` for an endpoint that no key opens. */
function shown(row: EndpointRow, endpoint: Endpoint | undefined) {
  const { name, created, firstEvent } = row
  const times = {
    created: isoTime(created),
    firstEvent: firstEvent === null ? null : isoTime(firstEvent),
  }
  if (!endpoint) return { name, unreadable: true, ...times }
  const { repository, path, dispatch, ref, token, if: condition, ifError, verify } = endpoint
  const { expect, batch, debounce } = endpoint
  const schemes = [verify ?? []].flat().flatMap((entry) => (isObject(entry) ? entry.scheme : []))
  return {
    name,
    repository,
    path,
    ...(dispatch && { dispatch }),
    ...(ref !== undefined && { ref }),
    ...(condition !== undefined && { if: condition }),
    ...(ifError !== undefined && { ifError }),
    ...(verify !== undefined && { verify: schemes }),
    ...(expect !== undefined && { expect }),
    ...(batch !== undefined && { batch }),
    ...(debounce !== undefined && { debounce }),
    credential: token === undefined ? 'relay' : 'token',
    ...times,
  }
}

/** `url` is absent if the relay does not know its own address. */
function urlOf({ id }: Endpoint, { publicUrl }: EndpointAdminPorts) {
  const address = `/-/${id}`
  return { address, ...(publicUrl && { url: publicUrl.replace(/\/+$/, '') + address }) }
}

async function readJsonBody(request: RelayRequest): Promise<Readonly<Record<string, unknown>>> {
  let body: unknown
  try {
    body = parsePlainJson(new TextDecoder().decode(await request.readBody(MOST_BYTES)))
  } catch {
    throw invalidEndpoint('the body must be JSON, of at most 64 KB')
  }
  if (!isObject(body)) throw invalidEndpoint('the body must be a JSON object')
  return body
}

const SETTINGS = [
  ...['repository', 'path', 'dispatch', 'ref'],
  ...['if', 'ifError', 'verify', 'token', 'expect', 'batch', 'debounce'],
]

/** @throws RelayError 400 that names the setting */
async function checkedSettings(
  given: Readonly<Record<string, unknown>>,
  { loadChecks, publicUrl, hasCredential, hasAlarms }: EndpointAdminPorts,
): Promise<EndpointSettings> {
  const unknown = Object.keys(given).find((name) => !SETTINGS.includes(name))
  if (unknown !== undefined) throw invalidEndpoint(`unknown setting ${JSON.stringify(unknown)}`)
  const { repository, path, dispatch, ref, if: condition, ifError, verify, token } = given
  const expect = expectedInterval(given.expect, hasAlarms)
  const batch = batchSettings(given)
  if (typeof repository !== 'string' || !isRepository(repository)) {
    throw invalidEndpoint('"repository" must be owner/name')
  }
  if (typeof path !== 'string' || !isTriggerPath(path)) {
    throw invalidEndpoint('"path" must be <workflow>/<trigger>')
  }
  if (dispatch !== undefined && !isDispatchMode(dispatch)) {
    throw invalidEndpoint('"dispatch" must be "repository" or "workflow"')
  }
  if (ref !== undefined && (typeof ref !== 'string' || ref === '')) {
    throw invalidEndpoint('"ref" must be a branch or a tag')
  }
  if (token === undefined && !hasCredential) {
    throw invalidEndpoint(
      'the relay has no GitHub credential of its own: add "token", which hookline endpoint reads from HOOKLINE_GITHUB_TOKEN with --credential token',
    )
  }
  if (token !== undefined && (typeof token !== 'string' || token === '' || !isHeaderSafe(token))) {
    throw invalidEndpoint('"token" is not a GitHub token')
  }
  const claims = {
    ...(condition !== undefined && { if: condition }),
    ...(ifError !== undefined && { ifError }),
    ...(verify !== undefined && { verify }),
  }
  if (Object.keys(claims).length > 0) {
    const mistake = (await loadChecks?.())?.claimsMistake(claims, publicUrl)
    if (mistake !== undefined) throw invalidEndpoint(mistake)
  }
  return {
    repository,
    path,
    ...(dispatch !== undefined && { dispatch }),
    ...(typeof ref === 'string' && { ref }),
    ...(typeof token === 'string' && { token }),
    ...(expect !== undefined && { expect }),
    ...batch,
    ...claims,
  }
}

/** @throws RelayError 400 */
function expectedInterval(value: unknown, hasAlarms: boolean): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || durationSeconds(value) === undefined) {
    throw invalidEndpoint('"expect" must be days, hours or minutes: 2d, 12h or 30m')
  }
  if (!hasAlarms) throw invalidEndpoint('"expect" needs a relay on Node')
  return value
}

/** @throws RelayError 400 */
function batchSettings({ batch, debounce }: Readonly<Record<string, unknown>>): BatchSettings {
  if (batch === undefined) {
    if (debounce === undefined) return {}
    throw invalidEndpoint('"debounce" needs "batch", for example "batch": 600, "debounce": 60')
  }
  if (!isSeconds(batch, MOST_BATCH_SECONDS)) {
    throw invalidEndpoint(`"batch" must be whole seconds, from 1 to ${MOST_BATCH_SECONDS}`)
  }
  if (debounce === undefined) return { batch }
  if (!isSeconds(debounce, batch - 1)) {
    throw invalidEndpoint('"debounce" must be whole seconds, at least 1 and less than "batch"')
  }
  return { batch, debounce }
}

function isSeconds(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
}

/** At least workflow and trigger, and nothing that a URL must escape. */
function isTriggerPath(path: string): boolean {
  return !lacksTrigger(path) && path.split('/').every(isWorkflowName)
}

function invalidEndpoint(hint: string): RelayError {
  return new RelayError(400, 'invalid_endpoint', 'the settings of the endpoint are invalid', {
    hint,
  })
}

function nameTaken(name: string): RelayError {
  return new RelayError(409, 'endpoint_exists', `an endpoint is called ${name} already`, {
    hint: 'Choose another name, or update the endpoint.',
  })
}

function noSuchEndpoint(name: string): RelayError {
  return new RelayError(404, 'not_found', `no endpoint is called ${name}`, {
    hint: 'GET /-/endpoints lists the endpoints.',
  })
}
