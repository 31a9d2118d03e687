// The room `admin/` is the API by which an admin sees and changes what the relay has stored: a file for each resource.

import type { RelayRequest, RelayResponse } from '../../wire/http.ts'
import { methodNotAllowed, RelayError } from '../errors.ts'
import { StorageError } from '../store/database.ts'
import { errorResponse } from '../webhook/responses.ts'
import { targetPath } from '../webhook/url.ts'
import { type AccessRules, type Caller, managerOf, notAllowed, readCaller } from './access.ts'
import { type DeliveryPorts, respondToDeliveries } from './deliveries.ts'
import { type EndpointPorts, respondToEndpoints } from './endpoints.ts'
import { isRead } from './query.ts'
import { respondToMetrics, respondToStatus, type StatusPorts } from './status.ts'

/** The data of a relay, as the admin API shows and changes it. */
export type AdminPorts = EndpointPorts &
  DeliveryPorts &
  StatusPorts & {
    /** A copy of the database; absent on Workers. */
    readonly backup?: (() => Promise<AsyncIterable<Uint8Array>>) | undefined
  }

/** The admin API: all of it is below `/-admin/`. */
export function adminApi(
  options: AccessRules & { readonly ports: AdminPorts; report(error: unknown): void },
): (request: RelayRequest, delivery: string) => Promise<RelayResponse> {
  return async (request, delivery) => {
    try {
      const caller = await readCaller(request.headers, options)
      return await respond(request, caller, options.ports)
    } catch (error) {
      if (error instanceof RelayError) return errorResponse(error, delivery)
      options.report(error)
      if (!(error instanceof StorageError)) {
        return errorResponse(new RelayError('internal_error'), delivery)
      }
      const { message } = error
      const hint = "Free space on the disk of the relay's data folder: even a deletion needs some."
      return errorResponse(new RelayError('storage_full', { message, hint }), delivery)
    }
  }
}

/** Passes an authorized request to its resource. */
async function respond(
  request: RelayRequest,
  caller: Caller,
  ports: AdminPorts,
): Promise<RelayResponse> {
  const path = targetPath(request.target).replace(/^\/+/, '/')
  if (path === '/-admin/status' || path === '/-admin/metrics') {
    if (caller.kind === 'token') throw notAllowed('a GitHub token shows endpoints and deliveries')
    if (!isRead(request.method)) throw methodNotAllowed(['GET'])
    return path.endsWith('status')
      ? respondToStatus(request, ports)
      : respondToMetrics(request, ports)
  }
  const manager = managerOf(caller)
  if (path === '/-admin/backup') {
    if (manager.kind !== 'admin') throw notAllowed('a GitHub token shows endpoints and deliveries')
    return backupResponse(request, ports)
  }
  const response =
    (await respondToEndpoints(request, path, manager, ports)) ??
    (await respondToDeliveries(request, path, manager, ports))
  if (response) return response
  throw new RelayError('not_found', {
    message: 'the admin API has no such address',
    hint: 'See https://github.com/hookline/hookline/blob/v1/docs/reference/admin-api.md. Addresses are case-sensitive.',
  })
}

async function backupResponse(
  { method }: RelayRequest,
  { backup }: AdminPorts,
): Promise<RelayResponse> {
  if (method !== 'GET') throw methodNotAllowed(['GET'])
  if (!backup) {
    throw new RelayError('not_found', {
      message: 'a database in Durable Objects has no file',
      hint: 'Cloudflare stores it: use point-in-time recovery in place of a backup.',
    })
  }
  const headers = { 'content-type': 'application/vnd.sqlite3' }
  return { status: 200, headers, body: '', stream: await backup() }
}
