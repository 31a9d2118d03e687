import { UsageError, UserError } from '../../wire/errors.ts'
import { listOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import { checkedRepository } from '../../wire/settings.ts'
import { originRepository } from '../files.ts'
import { type AdminAnswer, notARelay, type RelayClient, RelayRefusal } from '../relay-client.ts'

interface NamedEndpoint {
  readonly owner: string
  readonly name: string
  /** Path of the admin API, after `/-admin`. */
  readonly path: string
}

/** The owner in the admin API: the one of a repository, in lower case. */
export function checkedOwner(repository: string): string {
  return (checkedRepository(repository).split('/')[0] ?? '').toLowerCase()
}

/** The owner of the git remote, for relays on Workers, which have one database for each owner. */
export function ownerHere(): string | undefined {
  const repository = originRepository()
  return repository === '' ? undefined : checkedOwner(repository)
}

/**
 * Endpoints of one owner, or of all.
 *
 * @param owner `undefined` for all, or on Workers for the owner of the git remote
 */
export async function listEndpoints(
  client: RelayClient,
  owner: string | undefined,
): Promise<readonly AdminAnswer[]> {
  const ask = (of: string | undefined) =>
    client.ask({ method: 'GET', path: '/endpoints', query: { owner: of } })
  const { endpoints } = await withOwner(ask, owner)
  if (!Array.isArray(endpoints)) throw notARelay(client.host)
  return listOf(endpoints)
}

/** Repeats a request for the owner of the git remote, if the relay needs an owner. */
export async function withOwner<Result>(
  ask: (owner: string | undefined) => Promise<Result>,
  owner: string | undefined,
): Promise<Result> {
  try {
    return await ask(owner)
  } catch (error) {
    const needsOwner = error instanceof RelayRefusal && error.code === 'invalid_query'
    if (!needsOwner || owner !== undefined) throw error
    const here = ownerHere()
    if (here === undefined) throw error
    return ask(here)
  }
}

/**
 * Finds an endpoint by `name`, or by `owner/name`.
 *
 * @param repository of `--repository`, whose owner has the endpoint
 * @param ownersOfDeleted finds the owners of deleted endpoints of a name, if these count
 * @throws UserError if there is none; UsageError if several owners have one
 */
export async function namedEndpoint(
  text: string,
  repository: string | undefined,
  client: RelayClient,
  ownersOfDeleted: (name: string) => Promise<readonly string[]> = async () => [],
): Promise<NamedEndpoint> {
  const [, prefix, name = ''] = /^(?:([^/]+)\/)?([a-z0-9][a-z0-9._-]{0,62})$/.exec(text) ?? []
  const isOwner = prefix === undefined || /^[\w-]{1,100}$/.test(prefix)
  if (name === '' || !isOwner) {
    throw new UserError({
      message: `${JSON.stringify(text)} is not the name of an endpoint`,
      hint: 'Print the names with: hookline endpoint list',
    })
  }
  const owner =
    prefix?.toLowerCase() ?? (repository === undefined ? undefined : checkedOwner(repository))
  if (owner !== undefined) return { owner, name, path: `/endpoints/${owner}/${name}` }
  const all = await listEndpoints(client, undefined)
  const present = all.filter((endpoint) => endpoint.name === name).map((one) => String(one.owner))
  const owners = present.length > 0 ? present : await ownersOfDeleted(name)
  if (owners.length > 1) {
    throw new UsageError({
      message: `several owners have an endpoint ${name}`,
      hint: 'Write the owner before the name.',
      notes: owners.map((one) => `${one}/${name}`),
    })
  }
  const [only] = owners
  if (only !== undefined) return namedEndpoint(`${only}/${name}`, undefined, client)
  throw new UserError({
    message: `the relay at ${client.host} has no endpoint ${name}`,
    hint: 'Print the names with: hookline endpoint list',
  })
}

export async function storedSettings(
  client: RelayClient,
  { path }: Pick<NamedEndpoint, 'path'>,
): Promise<AdminAnswer> {
  const { endpoint } = await client.ask({ method: 'GET', path })
  if (!isObject(endpoint)) throw notARelay(client.host)
  return endpoint
}

export async function readEndpoint(
  client: RelayClient,
  { path }: Pick<NamedEndpoint, 'path'>,
): Promise<{ readonly endpoint: AdminAnswer; readonly url: string }> {
  return endpointAndUrl(client, await client.ask({ method: 'GET', path, query: { url: 'true' } }))
}

/** @throws UserError if it is not the answer of a relay */
export function endpointAndUrl(
  client: RelayClient,
  { endpoint, url }: AdminAnswer,
): { readonly endpoint: AdminAnswer; readonly url: string } {
  if (!isObject(endpoint) || typeof url !== 'string') throw notARelay(client.host)
  const whole = client.at(url)
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) throw notARelay(client.host)
  return { endpoint, url: whole }
}

/** Removes the checks of an endpoint that is stored again. */
export const NO_CHECKS = { if: null, ifError: null, verify: null }

/**
 * Creates an endpoint, or gives the one with this name the settings, so that its URL stays.
 *
 * @throws UserError if the relay refuses the settings
 */
export async function storedEndpoint(
  client: RelayClient,
  { name, ...settings }: AdminAnswer & { readonly name: string; readonly repository: string },
): Promise<{ readonly endpoint: AdminAnswer; readonly url: string }> {
  const path = `/endpoints/${checkedOwner(settings.repository)}/${name}`
  const known = await findEndpoint(client, path)
  // The relay key was lost: nobody can read the endpoint any more.
  if (known?.unreadable) await client.ask({ method: 'DELETE', path })
  if (!known || known.unreadable) {
    const given = Object.entries(settings).filter(([, value]) => value !== null)
    const body = { name, ...Object.fromEntries(given) }
    return endpointAndUrl(client, await client.ask({ method: 'POST', path: '/endpoints', body }))
  }
  await client.ask({ method: 'PATCH', path, body: settings })
  return readEndpoint(client, { path })
}

async function findEndpoint(client: RelayClient, path: string): Promise<AdminAnswer | undefined> {
  try {
    return await storedSettings(client, { path })
  } catch (error) {
    if (error instanceof RelayRefusal && error.code === 'not_found') return undefined
    throw error
  }
}
