import { base64url } from 'jose'
import { toHex } from '../../wire/bytes.ts'
import { durationSeconds } from '../../wire/duration.ts'
import { isObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import type { EncryptedTable, Encryption } from './encryption.ts'
import type { Endpoint } from './endpoint-settings.ts'
import type { EndpointRow } from './endpoint-table.ts'

const TYPE = 'hookline-endpoint'

const ID_BYTES = 16

export function newEndpointId(): Secret {
  return new Secret(base64url.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES))))
}

/** The id is looked up by its hash, so that the time of a lookup tells nothing about other ids. */
export async function endpointHash(id: Secret): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id.reveal()))
  return toHex(new Uint8Array(hash))
}

/** The row of an endpoint, encrypted by the first relay key. */
export async function encryptEndpoint(
  endpoint: Endpoint,
  times: Pick<EndpointRow, 'changed' | 'firstEvent'>,
  encryption: Encryption,
): Promise<EndpointRow> {
  const { created, ...stored } = endpoint
  const { owner, name, id, token, expect } = stored
  const content = { ...stored, id: id.reveal(), ...(token && { token: token.reveal() }) }
  return {
    hash: await endpointHash(id),
    owner,
    name,
    created,
    ...times,
    expect: expect === undefined ? null : (durationSeconds(expect) ?? 0) * 1000,
    tokenHash: token ? await encryption.tokenHash(token) : null,
    ...(await encryption.encrypt(TYPE, content)),
  }
}

/** @throws Error of any kind if no key decrypts the row, it is damaged, or it has another row's content */
export async function decryptEndpoint(row: EndpointRow, encryption: Encryption): Promise<Endpoint> {
  const content = await encryption.decrypt(TYPE, row)
  if (!isObject(content) || typeof content.id !== 'string') throw new TypeError('no endpoint')
  const { id, token, ...others } = content
  const secrets = {
    id: new Secret(id),
    ...(typeof token === 'string' && { token: new Secret(token) }),
  }
  // The relay wrote it, and nobody else can encrypt.
  const endpoint = { ...others, ...secrets, created: row.created } as Endpoint
  const isOwn = endpoint.owner === row.owner && endpoint.name === row.name
  if (!isOwn || (await endpointHash(endpoint.id)) !== row.hash) throw new TypeError('another row')
  return endpoint
}

/** The table of endpoints, as `encryption.ts` reads and changes its content. */
export const ENCRYPTED_ENDPOINTS: EncryptedTable = {
  name: 'endpoint',
  id: 'hash',
  type: TYPE,
  columns: async (content, encryption) => {
    const token = isObject(content) && typeof content.token === 'string' ? content.token : undefined
    return { tokenHash: token ? await encryption.tokenHash(new Secret(token)) : null }
  },
}
