import {
  cutReservedParameters,
  decodePercent,
  isOwner,
  isRepositoryName,
  lacksTrigger,
  parseRepository,
  type Repository,
  type ReservedParameters,
} from '../../wire/path.ts'
import { notFound, RelayError } from '../errors.ts'
import type { Endpoint, EndpointTarget } from '../store/endpoint-settings.ts'

// The two forms of a webhook URL. Nothing in them is decoded or normalised but repeated slashes at the
// beginning and before the workflow, which a base address with a slash at its end causes.

/** The repository and the path of an event. */
export interface Destination {
  readonly repository: Repository
  /** `<workflow>/<trigger>[/<rest>]`, raw, with the query but without reserved parameters. */
  readonly path: string
}

export type Destinations = readonly [Destination, ...Destination[]]

const HOSTED_FORM = '/<owner>/<repo>/<workflow>/<trigger>'
const ENDPOINT_FORM =
  '/-/<owner>/<id>, whose id has 22 characters: hookline endpoint show <name> --url'

/** A raw request target as its path and its query; nothing in it is decoded. */
export function splitTarget(target: string): [path: string, query: string | undefined] {
  // A proxy may send the absolute form; its host is not trusted.
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const at = origin.indexOf('?')
  return at < 0 ? [origin, undefined] : [origin.slice(0, at), origin.slice(at + 1)]
}

/** Path of a raw request target, without its query and, in absolute form, without scheme and host. */
export function targetPath(target: string): string {
  return splitTarget(target)[0]
}

const HOSTED = /^\/+([^/]+)\/([^/]+)\/+(.+)/s

const SELF_HOSTED = /^\/+webhook\/+(.+)/s

/**
 * Reads a token URL from a raw request target.
 *
 * @param own set for the self-hosted form, where the URL names no repository
 * @throws RelayError 404, or 400 for a name that no repository can have
 */
export function readTokenUrl(target: string, own: Repository | undefined) {
  const [path, rawQuery] = splitTarget(target)
  const { query, reserved } = cutReservedParameters(rawQuery)
  const [repository, rest] = own ? [own, selfHosted(path)] : hosted(path)
  const destination = { repository, path: query === undefined ? rest : `${rest}?${query}` }
  return { destinations: [destination] as const, reserved }
}

function hosted(path: string): [Repository, string] {
  const [, owner = '', name = '', rest = ''] = HOSTED.exec(path) ?? []
  // No owner begins with `-`: such a path is of an endpoint, or of the admin API.
  if (/^\/+-\//.test(path)) throw notFound(ENDPOINT_FORM)
  if (owner === '' || owner.startsWith('-')) throw notFound(HOSTED_FORM)
  // The form of hookline dev: without a trigger it could not start anything of an owner of that name.
  if (owner === 'webhook' && !/^[^/]+\/./.test(rest)) throw notFound(HOSTED_FORM)
  if (!isOwner(owner)) throw invalidSegment('first', 'a repository owner', 39)
  if (!isRepositoryName(name)) throw invalidSegment('second', 'a repository name', 100)
  return [{ owner, name }, rest]
}

function invalidSegment(segment: string, what: string, most: number): RelayError {
  return new RelayError('invalid_path', {
    message: `the ${segment} segment of the path is not ${what}`,
    hint: `Use at most ${most} letters, digits, ".", "-" and "_", none of them percent-encoded.`,
  })
}

function selfHosted(path: string): string {
  const [, rest] = SELF_HOSTED.exec(path) ?? []
  if (rest === undefined) throw notFound('/webhook/<workflow>/<trigger>')
  return rest
}

/** The URL of an endpoint, `/-/<owner>/<id>[/<rest>]`, taken apart. */
export interface EndpointUrl {
  /** As the URL has it; only the one in lower case has endpoints. */
  readonly owner: string
  readonly id: string
  /** The part after the id, with the query but without reserved parameters. */
  readonly rest: string
  readonly reserved: ReservedParameters
}

/** No owner begins with `-`, so no `/<owner>/<repo>` has this form. */
const ENDPOINT = /^\/+-\/([^/]+)\/([\w-]{22})(\/.*)?$/s

/**
 * Reads the URL of an endpoint from a raw request target; `undefined` if it is another URL.
 *
 * @throws RelayError 400 for a path with dot segments, which would leave the path of the endpoint
 */
export function readEndpointUrl(target: string): EndpointUrl | undefined {
  const [path, rawQuery] = splitTarget(target)
  const [, owner = '', id = '', suffix = ''] = ENDPOINT.exec(path) ?? []
  if (owner === '') return undefined
  if (hasDotSegment(suffix)) {
    throw new RelayError('invalid_path', {
      message: 'the path contains "." or ".." segments',
      hint: 'Remove them: the path after an endpoint is added to the path of its trigger.',
    })
  }
  const { query, reserved } = cutReservedParameters(rawQuery)
  return { owner, id, rest: query === undefined ? suffix : `${suffix}?${query}`, reserved }
}

/** Raw or percent-encoded, behind any character that some server reads as a separator. */
function hasDotSegment(path: string): boolean {
  return path
    .split('/')
    .flatMap((segment) => decodePercent(segment).split(/[/\\]/))
    .some((segment) => segment === '.' || segment === '..')
}

export function endpointPath({ owner, id }: Pick<Endpoint, 'owner' | 'id'>): string {
  return `/-/${owner}/${id.reveal()}`
}

/**
 * The destinations of one request: of the endpoint's own workflow, and of each further target. The rest of the
 * path is added byte for byte.
 *
 * @throws RelayError 400 if the URL must name the workflow, and does not
 */
export function destinationsOf(
  endpoint: Endpoint,
  { rest }: Pick<EndpointUrl, 'rest'>,
): Destinations {
  const { repository, workflow, trigger, targets = [] } = endpoint
  if (workflow === undefined || trigger === undefined) {
    const path = rest.replace(/^\/+/, '')
    if (lacksTrigger(path)) throw new RelayError('invalid_workflow')
    return [{ repository: parseRepository(repository), path }]
  }
  const destinationOf = (target: EndpointTarget): Destination => ({
    repository: parseRepository(target.repository),
    path: `${target.workflow}/${target.trigger}${rest}`,
  })
  return [destinationOf({ repository, workflow, trigger }), ...targets.map(destinationOf)]
}
