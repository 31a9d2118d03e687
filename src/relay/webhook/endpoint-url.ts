import {
  cutReservedParameters,
  decodePercent,
  isOwner,
  lacksTrigger,
  type ReservedParameters,
} from '../../wire/path.ts'
import { invalidPath, missingTrigger } from '../errors.ts'
import type { Endpoint, EndpointTarget } from '../store/endpoint-settings.ts'
import { splitTarget } from './request-target.ts'

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
const FORM = /^\/+-\/([^/]+)\/([\w-]{22})(\/.*)?$/s

/**
 * Reads the URL of an endpoint from a raw request target; `undefined` if it is another URL.
 *
 * @throws RelayError 400 for a path with dot segments, which would leave the path of the endpoint
 */
export function readEndpointUrl(target: string): EndpointUrl | undefined {
  const [path, rawQuery] = splitTarget(target)
  const [, owner, id, suffix = ''] = FORM.exec(path) ?? []
  if (owner === undefined || id === undefined) return undefined
  if (hasDotSegment(suffix)) throw invalidPath()
  const { query, reserved } = cutReservedParameters(rawQuery)
  return { owner, id, rest: query === undefined ? suffix : `${suffix}?${query}`, reserved }
}

/** The path of an endpoint's URL. */
export function endpointPath({ owner, id }: Pick<Endpoint, 'owner' | 'id'>): string {
  return `/-/${owner}/${id.reveal()}`
}

/** True for a text that can name the owner in the URL of an endpoint. */
export function isEndpointOwner(text: string): boolean {
  return isOwner(text) && text === text.toLowerCase()
}

/** An event that a request starts. */
export interface EndpointEvent {
  /** `owner/name` */
  readonly repository: string
  /** `<workflow>/<trigger>[/<rest>]`, with the query. */
  readonly path: string
}

/**
 * The events of one request: of the endpoint's own workflow, and of each further target. The rest of the
 * path is added byte for byte.
 *
 * @throws RelayError 400 if the URL must name the workflow, and does not
 */
export function eventsOf(
  endpoint: Endpoint,
  { rest }: Pick<EndpointUrl, 'rest'>,
): readonly [EndpointEvent, ...EndpointEvent[]] {
  const { repository, workflow, trigger, targets = [] } = endpoint
  if (workflow === undefined || trigger === undefined) {
    const path = rest.replace(/^\/+/, '')
    if (lacksTrigger(path)) throw missingTrigger('/-/<owner>/<id>/<workflow>/<trigger>')
    return [{ repository, path }]
  }
  const eventOf = (target: EndpointTarget) => ({
    repository: target.repository,
    path: `${target.workflow}/${target.trigger}${rest}`,
  })
  return [eventOf({ repository, workflow, trigger }), ...targets.map(eventOf)]
}

/** Raw or percent-encoded, behind any character that some server reads as a separator. */
function hasDotSegment(path: string): boolean {
  return path
    .split('/')
    .flatMap((segment) => decodePercent(segment).split(/[/\\]/))
    .some((segment) => segment === '.' || segment === '..')
}
