import { type DispatchEvent, type DispatchMode, isDispatchMode } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Repository } from '../request/route.ts'

/** What a token is for: to start runs by an event, or to look for runs. */
export type TokenPurpose = DispatchEvent | 'run_lookup'

/** For what a token is wanted. */
export interface TokenRequest {
  readonly repository: Repository
  readonly event: TokenPurpose
  /** One that GitHub called 401, so that it is not given again. */
  readonly refused?: Secret | undefined
}

/** The origin of the GitHub token of a request. */
export interface TokenSource {
  /**
   * @returns `undefined` where no platform is asked
   * @throws RelayError when there is none now
   */
  token(wanted: TokenRequest): Promise<Secret | undefined>
}

/** What the URL of an endpoint may start. */
export interface AccessScope {
  /** `owner/name`; GitHub's names do not tell upper from lower case. */
  readonly repository: string
  /** The path, or its first whole segments, after the repository; every path when absent. */
  readonly path?: string
  /** The dispatch mode; the relay's own if absent. */
  readonly dispatch?: DispatchMode
  /** Branch or tag for `workflow_dispatch`; the default branch when absent. */
  readonly ref?: string
}

/** The scope in a stored object; `undefined` if it is not valid. */
export function readScope(content: Readonly<Record<string, unknown>>): AccessScope | undefined {
  const { repository, path, dispatch, ref } = content
  if (typeof repository !== 'string') return undefined
  if (path !== undefined && typeof path !== 'string') return undefined
  if (dispatch !== undefined && !isDispatchMode(dispatch)) return undefined
  if (ref !== undefined && (typeof ref !== 'string' || ref === '')) return undefined
  return {
    repository,
    ...(path !== undefined && { path }),
    ...(dispatch !== undefined && { dispatch }),
    ...(ref !== undefined && { ref }),
  }
}
