import type { DispatchEvent } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Repository } from '../webhook/url.ts'

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
