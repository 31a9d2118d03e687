import { isObject } from '../../wire/json.ts'
import { type AdminAnswer, notARelay, type RelayClient, RelayRefusal } from '../relay-client.ts'
import { endpointAndUrl, ownerOf } from './named-endpoint.ts'
import type { GivenSettings } from './settings.ts'

/** The settings of an endpoint that `connect` stores. `null` removes a setting. */
interface WantedEndpoint extends GivenSettings {
  readonly name: string
  readonly repository: string
}

/**
 * Creates an endpoint, or gives the one with this name the settings, so that its URL stays.
 *
 * @throws UserError if the relay refuses the settings
 */
export async function storedEndpoint(
  client: RelayClient,
  { name, ...settings }: WantedEndpoint,
): Promise<{ readonly endpoint: AdminAnswer; readonly url: string }> {
  const path = `/endpoints/${ownerOf(settings.repository)}/${name}`
  const known = await findEndpoint(client, path)
  // The relay key was lost: nobody can read the endpoint any more.
  if (known?.unreadable) await client.ask({ method: 'DELETE', path })
  if (!known || known.unreadable) {
    const given = Object.entries(settings).filter(([, value]) => value !== null)
    const body = { name, ...Object.fromEntries(given) }
    return endpointAndUrl(client, await client.ask({ method: 'POST', path: '/endpoints', body }))
  }
  await client.ask({ method: 'PATCH', path, body: settings })
  return endpointAndUrl(client, await client.ask({ method: 'GET', path, query: { url: 'true' } }))
}

async function findEndpoint(client: RelayClient, path: string): Promise<AdminAnswer | undefined> {
  try {
    const { endpoint } = await client.ask({ method: 'GET', path })
    if (!isObject(endpoint)) throw notARelay(client.host)
    return endpoint
  } catch (error) {
    if (error instanceof RelayRefusal && error.code === 'not_found') return undefined
    throw error
  }
}
