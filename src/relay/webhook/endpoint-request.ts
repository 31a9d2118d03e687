import type { RawHeaders } from '../../wire/headers.ts'
import { notFound } from '../errors.ts'
import { type Credential, type Credentials, presentedToken } from '../github/credentials.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { eventsOf, readEndpointUrl } from './endpoint-url.ts'
import { parseRepository, type Webhook } from './url.ts'

/** A request whose URL names an endpoint. */
export interface EndpointRequest {
  readonly endpoint: Endpoint
  readonly webhook: Webhook
  readonly credential: Credential
}

/** The endpoints that requests find. */
export type KnownEndpoints = Pick<EndpointLookup, 'find' | 'accepted'>

/**
 * The endpoint that the URL of a request names; `undefined` if the URL has another form.
 *
 * @param endpoints absent for a relay without a database
 * @throws RelayError 400 for dot segments, 401 for an unknown id, 404 without a database
 */
export async function findEndpoint(
  { target, headers }: { readonly target: string; readonly headers: RawHeaders },
  endpoints: KnownEndpoints | undefined,
  credentials: Credentials,
): Promise<EndpointRequest | undefined> {
  const url = readEndpointUrl(target)
  if (!url) return undefined
  if (!endpoints)
    throw notFound('/<owner>/<repo>/<workflow>/<trigger>: this relay has no endpoints')
  const endpoint = await endpoints.find(url)
  const credential = await credentials.ofEndpoint(endpoint)
  const [{ repository, path }] = eventsOf(endpoint, url)
  // A sender may send a token as well, which must not travel either.
  const other = presentedToken(headers, url.reserved)
  const secrets = other ? [...credential.secrets, other] : credential.secrets
  return {
    endpoint,
    webhook: { repository: parseRepository(repository), path, reserved: url.reserved },
    credential: { ...credential, secrets },
  }
}
