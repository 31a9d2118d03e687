/** The answer to a call, whatever its status. */
export interface GitHubReply {
  /** 0 when no answer came. */
  readonly status: number
  readonly data: unknown
  /** What GitHub says is wrong; empty when nothing is. */
  readonly message: string
}

/**
 * Calls GitHub for the repository of the run: a route such as `GET /repos/{owner}/{repo}/…` in which
 * owner and repository are filled in.
 */
export type GitHubApi = (
  route: string,
  parameters: Readonly<Record<string, unknown>>,
) => Promise<GitHubReply>
