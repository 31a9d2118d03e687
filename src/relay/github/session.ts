import type { ServerVersion } from '../../wire/api-version.ts'
import {
  type Clock,
  fieldsOf,
  type GitHubCall,
  GitHubClient,
  type GitHubRefusal,
  type GitHubResponse,
  type RequestBody,
} from '../../wire/github-api.ts'
import type { Forge } from '../../wire/settings.ts'
import {
  type Attempts,
  githubTimeout,
  githubUnavailable,
  githubUnreachable,
  invalidToken,
  payloadTooLarge,
  RelayError,
  rateLimited,
  redirected,
  unexpectedStatus,
  unknownOutcome,
} from '../errors.ts'
import type { Repository } from '../webhook/url.ts'
import type { TokenPurpose, TokenSource } from './token-source.ts'

export interface SessionOptions {
  readonly call: GitHubCall
  /** Base address of GitHub's API. */
  readonly apiUrl: URL
  /** Milliseconds for all tries of one event together. */
  readonly budget: number
  /** Milliseconds after which no further try begins; those of the budget when absent. */
  readonly retryTime?: number
  readonly clock: Clock
  /** The value of HOOKLINE_FORGE; detected if absent. */
  readonly forge?: Forge | undefined
}

/** The `User-Agent` of the relay. */
export const AGENT = 'hookline-relay'

/** A request about one repository; `path` is the part after `/repos/{owner}/{repo}`. */
interface RepositoryCall {
  /** POST by default. */
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly body?: RequestBody
  /** True where the text of a 2xx is wanted too. */
  readonly reads?: boolean
  /** Bytes of that text, if it may be longer than usual. */
  readonly responseBytes?: number
}

/** The result of a request after all tries. */
export type SessionOutcome =
  | {
      readonly accepted: true
      readonly answer: GitHubResponse
      /** Page of the run that was started, where the answer names it. */
      readonly run: string | undefined
    }
  /** `answer` is absent when none came. */
  | { readonly accepted: false; readonly error: RelayError; readonly answer?: GitHubResponse }

/** All that is asked for one event: one repository, one credential, one budget of time. */
export class GitHubSession {
  readonly #questions: GitHubClient
  readonly #event: TokenPurpose
  readonly #place: string
  /** Address of the repository on the web, for Forgejo, whose response has only the number of the run. */
  readonly #webUrl: string

  /**
   * @param call asks in place of the options' own: in its turn among all that is asked
   * @param version what the sessions before this one learned of the server
   */
  constructor(
    { apiUrl, clock, budget, retryTime }: SessionOptions,
    call: GitHubCall,
    event: TokenPurpose,
    { repository, credential }: { repository: Repository; credential: TokenSource },
    version?: ServerVersion,
  ) {
    // Copies of objects are a good part of what an event costs: they are written out.
    this.#questions = new GitHubClient(
      { call, apiUrl, clock, agent: AGENT, ...(version && { version }) },
      // `retryTime` is set if the relay stores what GitHub may have accepted, and looks for its run.
      {
        budget,
        retryTime,
        sideEffect: 'event',
        retriesOf502: retryTime === undefined ? 1 : 0,
        passes: passesSoon,
      },
      (refused) => credential.token({ repository, event, refused }),
    )
    this.#event = event
    this.#place = `/repos/${repository.owner}/${repository.name}`
    const server = apiUrl.href.replace(/\/api\/v1\/*$/, '')
    this.#webUrl = `${server}/${repository.owner}/${repository.name}`
  }

  /** The calls so far, without lookups. */
  get attempts(): Attempts {
    return this.#questions.attempts
  }

  /** The version of the API, which only Forgejo and Gitea have. */
  version(): Promise<SessionOutcome> {
    return this.#send('/version', { method: 'GET', path: '', reads: true })
  }

  /** Asks as often as fits into the budget. */
  ask(question: RepositoryCall): Promise<SessionOutcome> {
    return this.#send(`${this.#place}${question.path}`, question)
  }

  async #send(path: string, question: RepositoryCall): Promise<SessionOutcome> {
    const { method, body, reads, responseBytes } = question
    let run: string | undefined
    const accepts = (answer: GitHubResponse) => {
      if (method === 'GET') return answer.status === 200
      if (answer.status === 204) return true
      const mayNameRun = answer.status === 200 || answer.status === 201
      if (!mayNameRun || this.#event !== 'workflow_dispatch') return false
      const { workflow_run_id, html_url, id, run_number } = fieldsOf(answer)
      const address =
        typeof run_number === 'number' && html_url === undefined
          ? `${this.#webUrl}/actions/runs/${run_number}`
          : html_url
      run = typeof address === 'string' && RUN.test(address) ? address : undefined
      // A login page or a proxy may respond 200 too, but only a forge names the run.
      const isNumbered = answer.status === 201 && typeof id === 'number'
      return typeof workflow_run_id === 'number' || typeof html_url === 'string' || isNumbered
    }
    try {
      const outcome = await this.#questions.ask({
        method,
        path,
        body,
        reads,
        responseBytes,
        accepts,
      })
      if (outcome.accepted) return { accepted: true, answer: outcome.answer, run }
      const { refusal, answer } = outcome
      const error = relayError(refusal, answer, this.#event)
      return { accepted: false, error, ...(answer && { answer }) }
    } catch (fault) {
      if (fault instanceof RelayError) return { accepted: false, error: fault }
      throw fault
    }
  }
}

/** GitHub did not receive the event: there was no token, or the rate limiter holds the calls. */
function passesSoon(fault: unknown): { readonly wait?: number } | undefined {
  if (!(fault instanceof RelayError) || ![429, 502, 503].includes(fault.status)) return undefined
  return fault.retryAfter === undefined ? {} : { wait: fault.retryAfter * 1000 }
}

/** The address of a run. The sender and the log see it, so nothing else may pass. */
const RUN = /^https?:\/\/[\x21-\x7e]{1,500}\/actions\/runs\/\d{1,20}$/

/** The error that the sender receives for a refusal by GitHub. */
export function relayError(
  refusal: GitHubRefusal,
  answer: GitHubResponse | undefined,
  event: TokenPurpose = 'repository_dispatch',
): RelayError {
  const { kind, status = 0, wait, cause } = refusal
  switch (kind) {
    case 'unauthorized':
      return invalidToken()
    case 'limited':
      return rateLimited(wait === undefined ? DEFAULT_RETRY_AFTER : wait / 1000)
    case 'sso':
    case 'forbidden':
    case 'missing':
      return notAccessible(event)
    case 'conflict':
    case 'unavailable':
      return githubUnavailable(undefined, wait === undefined ? undefined : wait / 1000)
    case 'failed':
      return unknownOutcome()
    case 'strange':
      return unexpectedStatus({ status })
    case 'redirected':
      return redirected({ status })
    case 'unreachable':
      return githubUnreachable(cause)
    case 'unanswered':
      return githubTimeout(cause)
    case 'unasked':
      return cause instanceof RelayError ? cause : githubUnavailable(cause)
    case 'rejected':
      return eventRejected(status, answer?.text ?? '')
  }
}

/** Seconds, if GitHub's response names none: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
const DEFAULT_RETRY_AFTER = 60

const NEEDED = {
  repository_dispatch: '`contents: write` on it (classic: `repo`)',
  workflow_dispatch: '`actions: write` on it (classic: `repo`)',
  run_lookup: '`actions: read` on it (classic: `repo`)',
} as const satisfies Record<TokenPurpose, string>

function notAccessible(event: TokenPurpose): RelayError {
  return new RelayError(
    403,
    'repository_not_accessible',
    'the token cannot access the repository',
    {
      hint: `Check the name of the repository, and that the token has the permission ${NEEDED[event]}.`,
    },
  )
}

function eventRejected(status: number, text: string): RelayError {
  if (status === 422 && /too large/i.test(text)) {
    return payloadTooLarge()
  }
  return new RelayError(422, 'event_rejected', `GitHub rejected the event with status ${status}`, {
    hint: 'Check the content of the event: GitHub accepts the token.',
  })
}
