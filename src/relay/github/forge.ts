import { fieldsOf } from '../../wire/github-api.ts'
import type { Forge } from '../../wire/settings.ts'
import type { GitHubSession } from './session.ts'

/**
 * Which forge the API belongs to. Forgejo and Gitea have their API at `/api/v1`, and tell by its
 * version which of the two they are: Forgejo's is `9.0.3+gitea-1.22.0`. The answer is requested once.
 */
export class ForgeDetection {
  readonly #isOther: boolean
  #forge: Forge | undefined

  /** @param configured the value of HOOKLINE_FORGE; `undefined` to detect it */
  constructor(apiUrl: URL, configured: Forge | undefined) {
    this.#isOther = /\/api\/v1\/*$/.test(apiUrl.pathname)
    this.#forge = configured
  }

  async forge(session: GitHubSession): Promise<Forge> {
    if (this.#forge === undefined && !this.#isOther) this.#forge = 'github'
    if (this.#forge !== undefined) return this.#forge
    const outcome = await session.version()
    if (!outcome.accepted) throw outcome.error.after(session.attempts)
    const { version } = fieldsOf(outcome.answer)
    this.#forge = /forgejo|\+gitea-/i.test(String(version)) ? 'forgejo' : 'gitea'
    return this.#forge
  }
}
