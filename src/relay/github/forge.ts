import type { Forge } from '../../wire/settings.ts'

/**
 * Which forge the API belongs to. Forgejo and Gitea have their API at `/api/v1`, and tell by its
 * version which of the two they are: Forgejo's is `9.0.3+gitea-1.22.0`. The answer is requested once.
 */
export class ForgeDetection {
  /** `undefined` until the API was asked. */
  known: Forge | undefined

  /** @param configured the value of HOOKLINE_FORGE; `undefined` to detect it */
  constructor(apiUrl: URL, configured: Forge | undefined) {
    const isOther = /\/api\/v1\/*$/.test(apiUrl.pathname)
    this.known = configured ?? (isOther ? undefined : 'github')
  }

  /** @param readVersion asks for the version of the API, which only Forgejo and Gitea have */
  async detect(readVersion: () => Promise<string>): Promise<Forge> {
    this.known ??= /forgejo|\+gitea-/i.test(await readVersion()) ? 'forgejo' : 'gitea'
    return this.known
  }
}
