/**
 * The version of GitHub's API that Hookline is written for.
 *
 * https://docs.github.com/rest/about-the-rest-api/api-versions
 */
export const GITHUB_API_VERSION = '2026-03-10'

/** For a GitHub Enterprise Server that refuses the current version with the status 400. */
const OLDER_VERSION = '2022-11-28'

/**
 * The version of the API that one server speaks. A server that refuses the current version gets the
 * older one, and from its first success on only that one.
 */
export class ServerVersion {
  #version = GITHUB_API_VERSION
  /** False for Forgejo and Gitea, whose API is at `/api/v1` and ignores the header. */
  readonly #hasVersions: boolean

  /** The path of the API's base, without a slash at its end; a client takes it from here. */
  readonly basePath: string

  constructor(apiUrl: URL | string) {
    this.#hasVersions = !/\/api\/v1\/*$/.test(String(apiUrl))
    this.basePath = new URL(apiUrl).pathname.replace(/\/+$/, '')
  }

  /**
   * @param send sends the request with `X-GitHub-Api-Version: <version>`; `isOlder` tells the body which
   *   of the two versions it is. `ask` calls it at most twice. A second call starts nothing twice, because
   *   a server that refuses the version does not look at the request.
   */
  async ask<Answer extends { readonly status: number }>(
    send: (version: string, isOlder: boolean) => Promise<Answer>,
  ): Promise<Answer> {
    const isOlder = this.#version === OLDER_VERSION
    const answer = await send(this.#version, isOlder)
    if (answer.status !== 400 || isOlder || !this.#hasVersions) return answer
    const other = await send(OLDER_VERSION, true)
    // Only success shows that the version was the cause, so that one caller cannot decide it for all others.
    if (other.status >= 200 && other.status < 300) this.#version = OLDER_VERSION
    return other
  }
}
