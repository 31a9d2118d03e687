import { http } from '../action/http-client.ts'
import { systemClock } from '../relay/config.ts'
import { ServerVersion } from '../wire/api-version.ts'
import {
  type GitHubCall,
  GitHubCallError,
  GitHubClient,
  type GitHubOutcome,
  type GitHubRefusal,
  type GitHubResponse,
  type RetryPolicy,
} from '../wire/github-api.ts'
import { HttpFailure } from '../wire/http.ts'
import type { Secret } from '../wire/secret.ts'
import { withProgress } from './terminal.ts'

/**
 * Asks GitHub's API.
 *
 * @param path from the API's base address, with a leading slash
 * @throws HttpFailure when no answer came
 */
export type AskGitHub = (path: string, options?: AskOptions) => Promise<Asked>

export interface AskOptions {
  /** Makes it a POST. */
  readonly json?: string
  /** The file itself instead of a description of it. */
  readonly raw?: boolean
  /** Once, when absent. */
  readonly patience?: Pick<RetryPolicy, 'budget' | 'retryTime' | 'pause' | 'tell'>
}

export interface Asked {
  readonly answer: GitHubResponse
  readonly refusal?: GitHubRefusal
}

/** Milliseconds for one call. */
const TIMEOUT = 15_000

const ONCE = { budget: TIMEOUT, retryTime: 0 }

/** With a token, and without one where there is none: of a public repository that is enough. */
export function githubAt(apiUrl: URL, token: Secret | undefined): AskGitHub {
  const version = new ServerVersion(apiUrl)
  const options = { call: platformCall(apiUrl), apiUrl, clock: systemClock, version }
  return async (path, { json, raw, patience = ONCE } = {}) => {
    const questions = new GitHubClient(
      options,
      { ...patience, callTime: TIMEOUT, sideEffect: 'none' },
      async (refused) => (refused ? undefined : token),
    )
    const outcome = await withProgress(
      'asking GitHub',
      questions.ask({
        path,
        reads: true,
        method: json === undefined ? 'GET' : 'POST',
        ...(json !== undefined && { body: json }),
        ...(raw && { accept: 'application/vnd.github.raw+json' }),
      }),
    )
    return resultOf(outcome)
  }
}

function resultOf(outcome: GitHubOutcome): Asked {
  if (outcome.accepted) return { answer: outcome.answer }
  const { answer, refusal } = outcome
  if (answer) return { answer, refusal }
  const { cause } = refusal
  throw cause instanceof GitHubCallError && cause.cause instanceof HttpFailure ? cause.cause : cause
}

/** GitHub, by the command line's own client. */
export function platformCall(apiUrl: URL): GitHubCall {
  return async ({ method = 'POST', path, headers, body, timeout }) => {
    const request = { method, url: apiUrl.origin + path, headers, timeout }
    const reply = await http({ ...request, ...(body !== undefined && { body }) }).catch(
      (cause: unknown) => {
        if (!(cause instanceof HttpFailure)) throw cause
        throw new GitHubCallError(cause.message, { sent: true, cause })
      },
    )
    return { status: reply.status, text: reply.text, header: (name) => reply.headers[name] }
  }
}
