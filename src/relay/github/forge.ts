import type { Forge } from '../../wire/settings.ts'

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

  /** @param readVersion asks for the version of the API, which only Forgejo and Gitea have */
  async forge(readVersion: () => Promise<string>): Promise<Forge> {
    if (this.#forge === undefined && !this.#isOther) this.#forge = 'github'
    if (this.#forge !== undefined) return this.#forge
    this.#forge = /forgejo|\+gitea-/i.test(await readVersion()) ? 'forgejo' : 'gitea'
    return this.#forge
  }
}
