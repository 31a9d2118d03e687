import { base64url } from 'jose'
import { toHex } from '../../wire/bytes.ts'
import { durationSeconds } from '../../wire/duration.ts'
import { isObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import type { Delivery } from './delivery-rows.ts'
import { ENDPOINT, type Encryption } from './encryption.ts'
import type { Endpoint } from './endpoint-settings.ts'
import type { EndpointRow, EndpointStores } from './endpoint-table.ts'

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
    ...(await encryption.encrypt(ENDPOINT, content)),
  }
}

/** @throws Error of any kind if no key decrypts the row, it is damaged, or it has another row's content */
export async function decryptEndpoint(row: EndpointRow, encryption: Encryption): Promise<Endpoint> {
  const content = await encryption.decrypt(ENDPOINT, row)
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

/** The endpoint of a delivery as it is now; `undefined` if it was deleted, or no relay key decrypts it. */
export async function endpointOf(
  { owner, endpoint }: Pick<Delivery, 'owner' | 'endpoint'>,
  { stores, encryption }: { stores: Pick<EndpointStores, 'of'>; encryption: Encryption },
): Promise<Endpoint | undefined> {
  const row = endpoint === null ? undefined : await stores.of(owner).named(endpoint)
  return row && decryptEndpoint(row, encryption).catch(() => undefined)
}
