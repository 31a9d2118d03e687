import { type Credential, presentedToken } from '../credentials/credentials.ts'
import type { RelayPorts, RelayRequest } from '../relay-ports.ts'
import { parseRepository, type Webhook } from '../request/route.ts'
import { endpointAddress } from './address.ts'
import type { Endpoint } from './endpoint.ts'

/** A request whose URL names an endpoint. */
export interface EndpointRequest {
  readonly endpoint: Endpoint
  readonly webhook: Webhook
  readonly credential: Credential
}

/**
 * The endpoint that the URL of a request names; `undefined` if the URL has another form, or the relay
 * has no database.
 *
 * @throws RelayError 400 for dot segments, 401 for an unknown id
 */
export async function readEndpointRequest(
  { target, headers }: RelayRequest,
  { endpoints, credentials }: RelayPorts,
): Promise<EndpointRequest | undefined> {
  const address = endpoints && endpointAddress(target)
  if (!endpoints || !address) return undefined
  const endpoint = await endpoints.open(address.id)
  const webhook = {
    repository: parseRepository(endpoint.repository),
    path: endpoint.path + address.rest,
    reserved: address.reserved,
  }
  const credential = await credentials.ofEndpoint(endpoint)
  // A sender may send a token as well, which must not travel either.
  const other = presentedToken(headers, address.reserved)
  const secrets = other ? [...credential.secrets, other] : credential.secrets
  return { endpoint, webhook, credential: { ...credential, secrets } }
}
