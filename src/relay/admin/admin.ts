import { headerValue } from '../../wire/headers.ts'
import type { RelayResponse } from '../../wire/http.ts'
import { Secret } from '../../wire/secret.ts'
import { comparison } from '../credentials/credentials.ts'
import { StorageError } from '../database/storage-error.ts'
import type { ReceiptStore } from '../receipts/store.ts'
import { internalError, RelayError } from '../relay-errors.ts'
import type { RelayPorts, RelayRequest } from '../relay-ports.ts'
import { errorResponse } from '../request/responses.ts'
import { respondToEndpoints } from './endpoints.ts'
import { respondToMetrics } from './metrics.ts'
import { type OutboxAdminPorts, type OutboxView, respondToOutbox } from './outbox.ts'
import { respondToReceipts } from './receipts.ts'

export interface AdminOptions extends OutboxAdminPorts {
  /** `HOOKLINE_ADMIN_KEY`; without it the admin API is disabled. */
  readonly key: Secret | undefined
  readonly outbox: OutboxView | undefined
  /** Followed events and alarms; absent on Workers. */
  readonly receipts?: ReceiptStore | undefined
  /** Whether the relay has a GitHub credential of its own, which endpoints can use. */
  readonly hasCredential: boolean
  log(
    line:
      | Parameters<OutboxAdminPorts['log']>[0]
      | { readonly endpoint: string; readonly change: string },
  ): void
}

/** Adds the admin API: its parts are one file each in this folder. */
export function withAdmin(ports: RelayPorts, options: AdminOptions): RelayPorts {
  const isKey = options.key && comparison([options.key])
  return {
    ...ports,
    admin: async (request, address, delivery) => {
      try {
        await authorize(request, isKey)
        return await respond(request, address, ports, options)
      } catch (error) {
        if (error instanceof RelayError) return errorResponse(error, delivery)
        ports.report(error)
        const fault = error instanceof StorageError ? diskFails(error) : internalError(error)
        return errorResponse(fault, delivery)
      }
    },
  }
}

/** Passes an authorized request to its part of the API. */
async function respond(
  request: RelayRequest,
  { 0: path, 1: delivery, groups = {} }: RegExpExecArray,
  ports: RelayPorts,
  options: AdminOptions,
): Promise<RelayResponse> {
  const { outbox, receipts } = options
  const parts = path.toLowerCase().split('/')
  if (parts[1] === 'metrics') return respondToMetrics(request, ports.metrics, outbox)
  if (parts[2] === 'receipts') return respondToReceipts(request, receipts)
  if (parts[2] === 'endpoints') {
    const { endpoints } = ports
    if (!endpoints) throw noOutbox()
    const target = { name: groups.endpoint?.toLowerCase(), rotates: groups.rotate !== undefined }
    const hasAlarms = receipts !== undefined
    return respondToEndpoints(request, target, endpoints, { ...ports, ...options, hasAlarms })
  }
  if (!outbox) throw noOutbox()
  const action = (['backup', 'replay'] as const).find((name) => name === parts.at(-1))
  return respondToOutbox(request, { delivery: delivery?.toLowerCase(), action }, outbox, options)
}

/** @throws RelayError 401, or 404 if the admin API is disabled */
async function authorize(
  { headers }: RelayRequest,
  isKey: ((presented: Secret) => Promise<boolean>) | undefined,
): Promise<void> {
  if (!isKey) throw adminDisabled()
  const bearer = /^bearer +(\S+)$/i.exec(headerValue(headers, 'authorization') ?? '')?.[1]
  if (!bearer || !(await isKey(new Secret(bearer)))) throw wrongKey()
}

function adminDisabled(): RelayError {
  return new RelayError(404, 'not_found', 'the admin API is disabled', {
    hint: 'Set HOOKLINE_ADMIN_KEY and restart the relay.',
  })
}

function noOutbox(): RelayError {
  return new RelayError(404, 'no_outbox', 'this relay has no outbox', {
    hint: 'Start the relay with --outbox <file>; on Workers, add the binding OUTBOX.',
  })
}

function wrongKey(): RelayError {
  return new RelayError(401, 'invalid_key', 'the admin key is wrong or missing', {
    hint: 'Send the header Authorization: Bearer <HOOKLINE_ADMIN_KEY>.',
  })
}

function diskFails(error: StorageError): RelayError {
  return new RelayError(503, 'outbox_full', error.message, {
    hint: 'Free space on the disk of the outbox: even a deletion needs some.',
    retryAfter: 60,
    cause: error,
  })
}
