import { headerValue, type RawHeaders } from '../../wire/headers.ts'
import { LIMITS } from '../../wire/limits.ts'
import { isHeaderSafe, Secret } from '../../wire/secret.ts'
import { RelayError } from '../errors.ts'
import type { Encryption } from '../store/encryption.ts'
import { bearerKind, looksLikeBearer, type RelayKeys } from '../store/relay-key.ts'

/** The caller of the admin API. */
export type Caller =
  /** The holder of the relay key: everything. */
  | { readonly kind: 'admin' }
  /** Metrics and status alone. */
  | { readonly kind: 'read' }
  /** A caller with a GitHub token: the endpoints that store this same token, and their deliveries. */
  | {
      readonly kind: 'token'
      readonly token: Secret
      /** Keyed hashes of the token, one for each relay key. */
      readonly hashes: readonly string[]
    }

/** A caller who may manage endpoints and see deliveries. */
export type Manager = Exclude<Caller, { kind: 'read' }>

export interface AccessRules {
  readonly keys: RelayKeys
  readonly encryption: Encryption
  /** `--allow-tokens` */
  readonly allowsTokens: boolean
}

/** A GitHub token has at least 40 characters. Fewer than these could be guessed. */
const SHORTEST_TOKEN = 20

/**
 * Reads who calls the admin API from the header `Authorization`. A GitHub token is not checked: its caller
 * sees only endpoints that store it.
 *
 * @throws RelayError 401, the same for every wrong bearer
 */
export async function readCaller(headers: RawHeaders, rules: AccessRules): Promise<Caller> {
  const { keys, encryption, allowsTokens } = rules
  const text = /^bearer +(\S+)$/i.exec(headerValue(headers, 'authorization') ?? '')?.[1] ?? ''
  if (!isHeaderSafe(text) || text.length > LIMITS.tokenLength) throw new RelayError('invalid_key')
  const presented = new Secret(text)
  const kind = await bearerKind(keys, presented)
  if (kind) return { kind }
  const isToken = text.length >= SHORTEST_TOKEN && !looksLikeBearer(text)
  if (!allowsTokens || !isToken) throw new RelayError('invalid_key')
  return { kind: 'token', token: presented, hashes: await encryption.tokenHashes(presented) }
}

/** @throws RelayError 403 for the read bearer */
export function managerOf(caller: Caller): Manager {
  if (caller.kind === 'read') throw notAllowed('the read bearer shows the status and the metrics')
  return caller
}

/** @param allowed what the caller may do */
export function notAllowed(allowed: string): RelayError {
  return new RelayError('not_allowed', { message: `${allowed} only` })
}
