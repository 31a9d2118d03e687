import { fieldsOf } from '../../wire/github-api.ts'
import { jsonResponse, type RelayRequest, type RelayResponse } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { parseRepository } from '../../wire/path.ts'
import { dispatchEvent } from '../../wire/payload.ts'
import type { DeliveryStore } from '../delivery/deliveries.ts'
import type { ChangeLine } from '../delivery/log-lines.ts'
import { methodNotAllowed, RelayError } from '../errors.ts'
import type { TokenSource } from '../github/credential.ts'
import { GitHubSession, type SessionOptions } from '../github/send.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import { decryptEndpoint, encryptEndpoint, newEndpointId } from '../store/endpoint-records.ts'
import {
  ENDPOINT_NAME_FORM,
  type Endpoint,
  type EndpointSettings,
  givenSettings,
  invalidEndpoint,
  isEndpointOwner,
  needsRelayKey,
  readEndpointSettings,
  type SettingsRules,
  targetText,
} from '../store/endpoint-settings.ts'
import type { EndpointRow } from '../store/endpoint-table.ts'
import { ownerOf } from '../store/queue-name.ts'
import { endpointPath } from '../webhook/url.ts'
import type { Manager } from './access.ts'
import { invalidQuery, isoTime, isRead, noOwner, queryOf, readJsonBody } from './query.ts'

export interface EndpointPorts extends Omit<SettingsRules, 'isAdmin'> {
  readonly endpoints: EndpointLookup
  now(): Date
  /**
   * Checks that the credential of an endpoint may start its workflows. It is called before settings are
   * stored, so that a caller with an invented token stores nothing.
   *
   * @throws RelayError
   */
  checkAccess(settings: EndpointSettings): Promise<void>
  /** The deliveries of an owner, whose waiting ones end with their endpoint. */
  deliveriesOf(owner: string): Pick<DeliveryStore, 'endDeleted'> | undefined
  log(line: ChangeLine): void
}

type EndpointKey = Pick<Endpoint, 'owner' | 'name'>

/** Endpoints of one owner: each isolate on Workers has a list of their hashes in memory. */
const MOST_ENDPOINTS = 1000

const ADDRESS = /^\/-admin\/endpoints(?:\/([^/]+)\/([^/]+)(\/rotate)?)?$/

/**
 * The endpoints in the admin API: `/-admin/endpoints`, `/-admin/endpoints/<owner>/<name>` and
 * `/-admin/endpoints/<owner>/<name>/rotate`.
 *
 * @returns `undefined` if the path belongs to another resource
 * @throws RelayError, or StorageError if the disk fails
 */
export async function respondToEndpoints(
  request: RelayRequest,
  path: string,
  caller: Manager,
  ports: EndpointPorts,
): Promise<RelayResponse | undefined> {
  const found = ADDRESS.exec(path)
  if (!found) return undefined
  const [, owner, name, rotates] = found
  const { method } = request
  if (owner === undefined || name === undefined) {
    if (isRead(method)) return listResponse(request, caller, ports)
    if (method === 'POST') return createResponse(request, caller, ports)
    throw methodNotAllowed(['GET', 'POST'])
  }
  if (!isEndpointOwner(owner)) throw noSuchEndpoint()
  const key = { owner, name }
  if (rotates) {
    if (method !== 'POST') throw methodNotAllowed(['POST'])
    const rotated = async (endpoint: Endpoint) => ({ ...endpoint, id: newEndpointId() })
    return changeResponse(key, rotated, 'rotated', caller, ports)
  }
  if (isRead(method)) return showResponse(request, await ownRow(key, caller, ports), ports)
  if (method === 'PATCH') return updateResponse(request, key, caller, ports)
  if (method === 'DELETE') return deleteResponse(await ownRow(key, caller, ports), ports)
  throw methodNotAllowed(['GET', 'PATCH', 'DELETE'])
}

async function listResponse(
  { target }: RelayRequest,
  caller: Manager,
  { endpoints }: EndpointPorts,
): Promise<RelayResponse> {
  const { stores, encryption } = endpoints
  const owner = queryOf(target).get('owner')?.toLowerCase()
  if (owner !== undefined && !isEndpointOwner(owner)) throw invalidQuery('owner is not an owner')
  const source = owner === undefined ? stores.all : stores.of(owner)
  if (!source) throw noOwner()
  const rows = await source.list(caller.kind === 'token' ? caller.hashes : undefined)
  const shown = rows.map(async (row) =>
    shownEndpoint(row, await decryptEndpoint(row, encryption).catch(() => undefined)),
  )
  return jsonResponse({ endpoints: await Promise.all(shown) })
}

async function createResponse(
  request: RelayRequest,
  caller: Manager,
  ports: EndpointPorts,
): Promise<RelayResponse> {
  const { endpoints } = ports
  const { name, ...given } = await readJsonBody(request, invalidEndpoint)
  if (typeof name !== 'string' || !ENDPOINT_NAME_FORM.test(name)) {
    throw invalidEndpoint(
      '"name" must have 1 to 63 of a-z 0-9 . _ - and begin with a letter or digit.',
    )
  }
  const rules = { ...ports, isAdmin: caller.kind === 'admin' }
  const settings = await readEndpointSettings(withOwnToken(given, caller), rules)
  await ports.checkAccess(settings)
  const owner = ownerOf(settings.repository)
  const store = endpoints.stores.of(owner)
  if ((await store.versions()).length >= MOST_ENDPOINTS) {
    throw new RelayError('too_many_endpoints')
  }
  const created = ports.now().getTime()
  const endpoint = { ...settings, owner, name, id: newEndpointId(), created }
  const times = { changed: created, firstEvent: null }
  const row = await encryptEndpoint(endpoint, times, endpoints.encryption)
  if (!(await store.create(row))) throw new RelayError('endpoint_exists')
  // A request to a deleted endpoint of this name may have been recorded after the deletion.
  await ports.deliveriesOf(owner)?.endDeleted(owner, name)
  changed(endpoint, 'created', ports)
  const shown = { endpoint: shownEndpoint(row, endpoint), url: urlOf(endpoint, ports) }
  return { ...jsonResponse(shown), status: 201 }
}

async function showResponse(
  { target }: RelayRequest,
  row: EndpointRow,
  ports: EndpointPorts,
): Promise<RelayResponse> {
  const withUrl = queryOf(target).get('url') === 'true'
  const { encryption } = ports.endpoints
  const endpoint = withUrl
    ? await readable(row, ports)
    : await decryptEndpoint(row, encryption).catch(() => undefined)
  const url = withUrl && endpoint && { url: urlOf(endpoint, ports) }
  return jsonResponse({ endpoint: shownEndpoint(row, endpoint), ...url })
}

async function updateResponse(
  request: RelayRequest,
  key: EndpointKey,
  caller: Manager,
  ports: EndpointPorts,
): Promise<RelayResponse> {
  // The body of a caller who has no such endpoint is not read.
  await ownRow(key, caller, ports)
  const changes = await readJsonBody(request, invalidEndpoint)
  if ('name' in changes) throw invalidEndpoint('"name" cannot be changed.')
  const updated = async ({ owner, name, id, created, ...old }: Endpoint): Promise<Endpoint> => {
    const before = givenSettings(old)
    const given: Record<string, unknown> = { ...before, ...changes }
    // A change of the credential replaces the token; a new token needs no further word.
    if (changes.credential === 'relay' && changes.token == null) delete given.token
    const rules = { ...ports, isAdmin: caller.kind === 'admin' }
    const settings = await readEndpointSettings(given, rules)
    if (ownerOf(settings.repository) !== owner) {
      throw invalidEndpoint('"repository" has another owner. Create an endpoint for this owner.')
    }
    if (accessOf(settings) !== accessOf(old)) await ports.checkAccess(settings)
    return { ...settings, owner, name, id, created }
  }
  return changeResponse(key, updated, 'updated', caller, ports)
}

/** @param next computes the changed endpoint; it is called again if another request changed the endpoint */
async function changeResponse(
  key: EndpointKey,
  next: (endpoint: Endpoint) => Promise<Endpoint>,
  change: 'updated' | 'rotated',
  caller: Manager,
  ports: EndpointPorts,
): Promise<RelayResponse> {
  const { stores, encryption } = ports.endpoints
  for (;;) {
    const row = await ownRow(key, caller, ports)
    const endpoint = await next(await readable(row, ports))
    // Two changes within a millisecond are two versions.
    const at = Math.max(ports.now().getTime(), row.changed + 1)
    const times = { changed: at, firstEvent: row.firstEvent }
    const replacement = await encryptEndpoint(endpoint, times, encryption)
    // If it fails, another change was stored in between, so each pass is the success of a request.
    if (!(await stores.of(key.owner).replace(replacement, row))) continue
    changed(endpoint, change, ports)
    const url = change === 'rotated' && { url: urlOf(endpoint, ports) }
    return jsonResponse({ endpoint: shownEndpoint(replacement, endpoint), ...url })
  }
}

/** An endpoint that no key decrypts can be deleted, too. */
async function deleteResponse(row: EndpointRow, ports: EndpointPorts): Promise<RelayResponse> {
  const { owner, name } = row
  await ports.endpoints.stores.of(owner).delete(name)
  changed(row, 'deleted', ports)
  const deadLetters = await ports.deliveriesOf(owner)?.endDeleted(owner, name)
  return jsonResponse({ deleted: true, deadLetters })
}

function changed(
  { owner, name }: Pick<Endpoint, 'owner' | 'name'>,
  change: 'created' | 'updated' | 'rotated' | 'deleted',
  { endpoints, log }: EndpointPorts,
): void {
  endpoints.changed(owner)
  log({ endpoint: `${owner}/${name}`, change })
}

/**
 * The row that the caller names, if it is the caller's.
 *
 * @throws RelayError 404, the same for an endpoint of another caller and for none
 */
async function ownRow(
  { owner, name }: EndpointKey,
  caller: Manager,
  { endpoints }: EndpointPorts,
): Promise<EndpointRow> {
  const row = await endpoints.stores.of(owner).named(name)
  if (!row || !isOwn(row, caller)) throw noSuchEndpoint()
  return row
}

/** The hashes are keyed, so the time of their comparison tells nothing about a token. */
function isOwn({ tokenHash }: EndpointRow, caller: Manager): boolean {
  return caller.kind === 'admin' || (tokenHash !== null && caller.hashes.includes(tokenHash))
}

/** A caller with a GitHub token creates endpoints that store this token. */
function withOwnToken(
  given: Readonly<Record<string, unknown>>,
  caller: Manager,
): Readonly<Record<string, unknown>> {
  if (caller.kind !== 'token') return given
  if (given.credential === 'relay') throw needsRelayKey("the relay's own GitHub credential")
  const own = caller.token.reveal()
  if (given.token != null && given.token !== own) {
    throw invalidEndpoint('"token" is not the token that the request was authorized with.')
  }
  return { ...given, token: own }
}

/** The settings that decide whether GitHub accepts an event. */
function accessOf({ repository, targets, token }: EndpointSettings): string {
  return JSON.stringify([repository, targets, token?.reveal()])
}

/** @throws RelayError 409 if no relay key decrypts the endpoint */
async function readable(row: EndpointRow, { endpoints }: EndpointPorts): Promise<Endpoint> {
  try {
    return await decryptEndpoint(row, endpoints.encryption)
  } catch (cause) {
    throw new RelayError('unreadable_endpoint', { cause })
  }
}

/** The public part: no id, no secret. `undefined` for an endpoint that no key decrypts. */
function shownEndpoint(row: EndpointRow, endpoint: Endpoint | undefined) {
  const { owner, name, created, changed, firstEvent } = row
  const times = {
    created: isoTime(created),
    changed: isoTime(changed),
    firstEvent: firstEvent === null ? null : isoTime(firstEvent),
  }
  if (!endpoint) return { owner, name, unreadable: true, ...times }
  const { repository, workflow, trigger, dispatch, ref, targets, verify, token } = endpoint
  const { if: condition, ifError, respond, batch, debounce, expect } = endpoint
  return {
    owner,
    name,
    repository,
    ...(workflow === undefined ? { anyWorkflow: true } : { workflow, trigger }),
    // JSON leaves out what is undefined.
    ...{ dispatch, ref, targets: targets?.map(targetText) },
    verify: verify?.flatMap(({ scheme }) => scheme ?? []),
    ...{ if: condition, ifError, respond, batch, debounce, expect },
    credential: token ? 'token' : 'relay',
    ...times,
  }
}

/** The path alone, beginning with `/-/`, if the relay does not know its own address. */
function urlOf(endpoint: Endpoint, { publicUrl = '' }: EndpointPorts): string {
  return publicUrl.replace(/\/+$/, '') + endpointPath(endpoint)
}

function noSuchEndpoint(): RelayError {
  return new RelayError('not_found', {
    message: 'there is no such endpoint',
    hint: 'GET /-admin/endpoints lists the endpoints. An owner is written in lower case.',
  })
}

/**
 * Checks that the credential of an endpoint may start its workflows, as far as GitHub tells: the
 * repositories exist for it, and the user of a token may write to them. Otherwise anyone could take names of
 * any owner with an invented token.
 *
 * @param own the relay's own GitHub credential
 * @returns throws RelayError if GitHub refuses, or cannot be asked
 */
export function accessCheck(
  options: SessionOptions,
  own: TokenSource | undefined,
): (settings: EndpointSettings) => Promise<void> {
  return async ({ repository, targets = [], dispatch, token }) => {
    const credential = token ? { token: async () => token } : own
    if (!credential) return
    const repositories = [repository, ...targets.map((target) => target.repository)]
    for (const name of new Set(repositories)) {
      const place = { repository: parseRepository(name), credential }
      const session = new GitHubSession(options, options.call, dispatchEvent(dispatch), place)
      const outcome = await session.ask({ method: 'GET', path: '', reads: true })
      if (!outcome.accepted) throw outcome.error
      const { permissions } = fieldsOf(outcome.answer)
      // The permissions of an App's token are not those of a user.
      if (token && isObject(permissions) && permissions.push === false) {
        throw new RelayError('repository_not_accessible', {
          message: `the token may read ${name}, but not start its workflows`,
          hint: 'Use a token of a user who may write to the repository.',
        })
      }
    }
  }
}
