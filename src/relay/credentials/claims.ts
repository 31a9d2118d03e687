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

/** The scope of a sealed token or a grant. */
export interface AccessScope {
  /** `owner/name`; GitHub's names do not tell upper from lower case. */
  readonly repository: string
  /** The path, or its first whole segments, after the repository; every path when absent. */
  readonly path?: string
  /** The dispatch mode; the relay's own if absent. */
  readonly dispatch?: DispatchMode
  /** Branch or tag for `workflow_dispatch`; as the relay is set up when absent. */
  readonly ref?: string
}

/** The scope in a sealed or signed object; `undefined` if it is not valid. */
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

/** @param path what follows the repository, as it came, with its query */
export function covers(scope: AccessScope, { owner, name }: Repository, path: string): boolean {
  if (scope.repository.toLowerCase() !== `${owner}/${name}`.toLowerCase()) return false
  return scope.path === undefined || coversPath(path, scope.path)
}

/** Whole segments only: `hook/webhook` covers `hook/webhook/x`, but not `hook/webhook2`. */
function coversPath(path: string, prefix: string): boolean {
  const [route = ''] = path.split('?')
  return `${route}/`.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

/** Base64url has unused bits at the end of most lengths: these are the characters that leave them 0. */
const CANONICAL = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/

/** True for the one canonical spelling, so that no altered copy of a token is valid too. */
export function isCanonicalCompact(text: string): boolean {
  return text.split('.').every((part) => CANONICAL.test(part))
}

/** @throws TypeError when it was made with another key than these */
export function keyById<Key extends { readonly id: string }>(
  keys: readonly Key[],
  id: string | undefined,
): Key {
  const key = keys.find((candidate) => candidate.id === id)
  if (!key) throw new TypeError('made with another key')
  return key
}
