import { cutReservedParameters, decodePercent, type ReservedParameters } from '../../wire/path.ts'
import { invalidPath } from '../relay-errors.ts'
import { splitTarget } from '../request-target.ts'

/** The URL of an endpoint taken apart. */
export interface EndpointAddress {
  readonly id: string
  /** The part after the id, with the query but without reserved parameters. */
  readonly rest: string
  readonly reserved: ReservedParameters
}

/** An owner never begins with `-`, so no `/<owner>/<repo>` has this form. */
const ADDRESS = /^\/-\/([\w-]{22})(\/.*)?$/s

/** The public name of an endpoint, as a pattern. */
export const ENDPOINT_NAME = '[a-z0-9][a-z0-9._-]{0,62}'

/** Path by which the relay calls the Durable Object that stores the endpoints. */
export const ENDPOINTS_OBJECT_PATH = '/endpoints'

/**
 * Reads the URL of an endpoint from a raw request target; `undefined` if it is another URL.
 *
 * @throws RelayError 400 for a path with dot segments, which would leave the path of the endpoint
 */
export function endpointAddress(target: string): EndpointAddress | undefined {
  const [path, rawQuery] = splitTarget(target)
  const [, id, suffix = ''] = ADDRESS.exec(path) ?? []
  if (id === undefined) return undefined
  if (hasDotSegment(suffix)) throw invalidPath()
  const { query, reserved } = cutReservedParameters(rawQuery)
  return { id, rest: query === undefined ? suffix : `${suffix}?${query}`, reserved }
}

/** Raw or percent-encoded, behind any character that some server reads as a separator. */
function hasDotSegment(path: string): boolean {
  return path
    .split('/')
    .flatMap((segment) => decodePercent(segment).split(/[/\\]/))
    .some((segment) => segment === '.' || segment === '..')
}
