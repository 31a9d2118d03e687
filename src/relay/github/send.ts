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
import type { Repository } from '../../wire/path.ts'
import { writeDispatch, writeWorkflowDispatch } from '../../wire/payload.ts'
import type { Forge } from '../../wire/settings.ts'
import { BoundedCache } from '../bounded-cache.ts'
import {
  type Attempts,
  ERROR_CODES,
  githubUnavailable,
  RelayError,
  rateLimited,
} from '../errors.ts'
import type { RelayMetrics } from '../metrics.ts'
import type { Credential, TokenPurpose, TokenSource } from './credential.ts'

/** An event for GitHub, or for the local engine of `hookline dev`. */
export interface Dispatch {
  readonly repository: Repository
  readonly target: DispatchTarget
  /** The serialized `client_payload`. */
  readonly clientPayload: string
  readonly delivery: string
  readonly credential: Credential
  /** The request as lists show it; absent for a batch of several. */
  readonly request?: RequestSummary
  /** True if a notification of a relay started the event: its run causes no notification. */
  readonly isNotification?: boolean
  /** True if the relay stores the body, so that the event joins no batch. */
  readonly hasStoredBody?: boolean
}

/** What a list shows of a request: nothing of its body. */
interface RequestSummary {
  /** UUID of the request; with one target it is also the id of the delivery. */
  readonly id: string
  /** `<workflow>/<trigger>[/<rest>]`; a list omits the query. */
  readonly path: string
  readonly method: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** Bytes of the received body. */
  readonly size: number
}

/** The event that starts runs: `event_type: webhook` for all workflows that listen, or one workflow. */
export type DispatchTarget = { readonly event: 'repository_dispatch' } | WorkflowTarget

interface WorkflowTarget {
  readonly event: 'workflow_dispatch'
  /** Name of its file, without the extension. */
  readonly workflow: string
  /** Branch or tag; the default branch when absent. */
  readonly ref?: string | undefined
}

/** Resolves if GitHub accepts the event. @throws RelayError if not, or if the outcome is unknown */
export type DispatchPort = (dispatch: Dispatch) => Promise<Attempts>

/**
 * Sends each event to the API of GitHub, and records in the metrics for which repositories GitHub refuses the
 * relay's own credential.
 */
export function dispatchTo(
  options: DispatchOptions,
  metrics: Pick<RelayMetrics, 'credential'>,
): DispatchPort {
  const startWorkflow = workflowStarter(options)
  const isOther = /\/api\/v1\/*$/.test(options.apiUrl.pathname)
  let forge = options.forge ?? (isOther ? undefined : 'github')
  const dispatch: DispatchPort = async (event) => {
    const { target, clientPayload } = event
    const github = await openSession(options, event, target.event)
    // Forgejo's version is `9.0.3+gitea-1.22.0`.
    forge ??= /forgejo|\+gitea-/i.test(await github.version()) ? 'forgejo' : 'gitea'
    if (target.event === 'workflow_dispatch') return startWorkflow(event, target, github, forge)
    if (forge !== 'github') throw new RelayError('dispatch_not_supported')
    // https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
    const outcome = await github.ask({ path: '/dispatches', body: writeDispatch(clientPayload) })
    if (!outcome.accepted) throw outcome.error.after(github.attempts)
    return github.attempts
  }
  const counted: DispatchPort = async (event) => {
    const { owner, name } = event.repository
    const repository = `${owner}/${name}`.toLowerCase()
    try {
      const attempts = await dispatch(event)
      metrics.credential(repository, undefined)
      return attempts
    } catch (error) {
      const isRefused = error instanceof RelayError && refusesCredential(error)
      if (isRefused) metrics.credential(repository, error.code)
      throw error
    }
  }
  return (event) => (event.credential.isOwn ? counted(event) : dispatch(event))
}

export interface SessionOptions {
  readonly call: GitHubCall
  /** Base address of GitHub's API. */
  readonly apiUrl: URL
  /** The version of the API that this server speaks, which all calls learn together. */
  readonly version?: ServerVersion | undefined
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

export interface DispatchOptions extends SessionOptions {
  /**
   * Gives the calls of an event their place among all that is asked with its githubCredential.
   *
   * @throws RelayError when GitHub must not be asked now
   */
  readonly govern?: Govern
}

export type LimitedCall = Pick<Dispatch, 'repository' | 'credential'>

export type Govern = (call: LimitedCall) => Promise<(call: GitHubCall) => GitHubCall>

/** @throws RelayError when GitHub must not be asked now */
export async function openSession(
  options: DispatchOptions,
  asked: LimitedCall,
  purpose: TokenPurpose,
): Promise<GitHubSession> {
  const limited = await options.govern?.(asked)
  return new GitHubSession(options, limited ? limited(options.call) : options.call, purpose, asked)
}

/** Refusals that only the admin of the relay can fix. */
const CREDENTIAL_REFUSALS: ReadonlySet<string> = new Set([
  'invalid_token',
  'repository_not_accessible',
  'app_not_installed',
  'app_key_rejected',
  'app_clock_skew',
  'app_permission_missing',
])

/** True if GitHub refused the credential, and not the event. */
export function refusesCredential({ code }: { readonly code: string }): boolean {
  return CREDENTIAL_REFUSALS.has(code)
}

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
  /** True for the expected 2xx. If absent, a GET expects 200, and a POST 204. */
  readonly accepts?: (answer: GitHubResponse) => boolean
}

/** The result of a request after all tries. */
type SessionOutcome =
  | { readonly accepted: true; readonly answer: GitHubResponse }
  /** `answer` is absent when none came. */
  | { readonly accepted: false; readonly error: RelayError; readonly answer?: GitHubResponse }

/** All that is asked for one event: one repository, one credential, one budget of time. */
export class GitHubSession {
  readonly #client: GitHubClient
  readonly #purpose: TokenPurpose
  readonly #place: string

  /** @param call asks in place of the options' own: in its turn among all that is asked */
  constructor(
    { apiUrl, version, clock, budget, retryTime }: SessionOptions,
    call: GitHubCall,
    purpose: TokenPurpose,
    { repository, credential }: { repository: Repository; credential: TokenSource },
  ) {
    this.#client = new GitHubClient(
      { call, apiUrl, version, clock, agent: AGENT },
      // `retryTime` is set if the relay stores what GitHub may have accepted, and looks for its run.
      {
        budget,
        retryTime,
        sideEffect: 'event',
        retriesOf502: retryTime === undefined ? 1 : 0,
        passes: passesSoon,
      },
      (refused) => credential.token({ repository, event: purpose, refused }),
    )
    this.#purpose = purpose
    this.#place = `/repos/${repository.owner}/${repository.name}`
  }

  /** The calls so far, without lookups. */
  get attempts(): Attempts {
    return this.#client.attempts
  }

  /** The version of the API, which only Forgejo and Gitea have. @throws RelayError */
  async version(): Promise<string> {
    const outcome = await this.#client.ask({ method: 'GET', path: '/version', reads: true })
    if (outcome.accepted) return String(fieldsOf(outcome.answer).version)
    throw relayError(outcome.refusal, outcome.answer, this.#purpose).after(this.attempts)
  }

  /** Asks as often as fits into the budget. */
  async ask(question: RepositoryCall): Promise<SessionOutcome> {
    const expected = question.method === 'GET' ? 200 : 204
    const { accepts = ({ status }) => status === expected } = question
    const path = this.#place + question.path
    try {
      const outcome = await this.#client.ask({ ...question, path, accepts })
      if (outcome.accepted) return outcome
      const { refusal, answer } = outcome
      const error = relayError(refusal, answer, this.#purpose)
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

/** A login page or a proxy may respond 200 too, but only a forge names the run. */
function namesRun(answer: GitHubResponse): boolean {
  const { status } = answer
  if (status !== 200 && status !== 201) return status === 204
  const { workflow_run_id, html_url, id } = fieldsOf(answer)
  const isNumbered = status === 201 && typeof id === 'number'
  return typeof workflow_run_id === 'number' || typeof html_url === 'string' || isNumbered
}

/** The address of a run. The sender and the log see it, so nothing else may pass. */
const RUN = /^https?:\/\/[\x21-\x7e]{1,500}\/actions\/runs\/\d{1,20}$/

/** Milliseconds for which the default branch of a repository is cached. */
const BRANCH_HOLDS = 10 * 60_000

/** Repositories in the cache. */
const REMEMBERED = 10_000

/** GitHub's messages for a workflow that exists, and has no such trigger or input. */
const NOT_LISTENING = /workflow_dispatch' trigger|unexpected inputs|required input/i
const UNKNOWN_FIELD = /return_run_(?:details|info).* is not a permitted key/i
const NO_REF = /no ref found/i
const TOO_LARGE = /too (?:large|long)|inputs? (?:is|are) (?:too|larger|longer)/i

/** Facts about a repository. Only GitHub's answers add entries, so made-up names fill no cache. */
interface RepositoryFacts {
  /** Its default branch, and until when that is believed. */
  branch?: { readonly name: string; readonly until: number } | undefined
  /** Its workflows whose file ends in `.yaml`. */
  readonly yaml: Set<string>
}

/** The field of the body that requests the run. GitHub's current API names the run in every response. */
const RUN_FIELD: Record<Forge, (isOlderVersion: boolean) => Record<string, true>> = {
  github: (isOlderVersion) => (isOlderVersion ? { return_run_details: true } : {}),
  forgejo: () => ({ return_run_info: true }),
  gitea: () => ({}),
}

/**
 * Starts one workflow: https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event
 *
 * @returns a function that throws RelayError if the workflow was not started, or if that is unknown
 */
function workflowStarter({ apiUrl, clock }: Pick<SessionOptions, 'apiUrl' | 'clock'>) {
  const facts = new BoundedCache<string, RepositoryFacts>(REMEMBERED)
  /** False after a server rejected the field that requests the run, as GitHub Enterprise Server up to 3.20 does. */
  let tellsRun = true

  return async (
    { repository, clientPayload }: Dispatch,
    target: WorkflowTarget,
    github: GitHubSession,
    forge: Forge,
  ): Promise<Attempts> => {
    const { workflow } = target
    const place = `${repository.owner}/${repository.name}`
    const known = facts.get(place) ?? { yaml: new Set() }

    const defaultBranch = async () => {
      const outcome = await github.ask({ method: 'GET', path: '', reads: true })
      if (!outcome.accepted) throw outcome.error.after(github.attempts)
      const name = fieldsOf(outcome.answer).default_branch
      if (typeof name !== 'string' || name === '') {
        throw new RelayError('github_unavailable', {
          message: 'GitHub did not report the default branch',
          hint: 'Use an endpoint with --ref <branch>.',
        }).after(github.attempts)
      }
      known.branch = { name, until: clock.now().getTime() + BRANCH_HOLDS }
      facts.set(place, known)
      return name
    }
    const ask = (ref: string, extension: string, asksForRun: boolean) => {
      // Gitea takes this parameter in the query, GitHub and Forgejo take one in the body.
      const query = forge === 'gitea' && asksForRun ? '?return_run_details=true' : ''
      const path = `/actions/workflows/${workflow}.${extension}/dispatches${query}`
      const body = (isOlder: boolean) =>
        writeWorkflowDispatch(clientPayload, ref, asksForRun ? RUN_FIELD[forge](isOlder) : {})
      return github.ask({ path, body, reads: true, accepts: namesRun })
    }
    const post = async (ref: string, extension: string) => {
      const outcome = await ask(ref, extension, tellsRun)
      const mayBeField = isAnswer(outcome, 400) || isAnswer(outcome, 422, UNKNOWN_FIELD)
      if (!tellsRun || !mayBeField) return outcome
      const without = await ask(ref, extension, false)
      // Only success shows that the field was the cause, so that one caller cannot decide it for all others.
      if (without.accepted) tellsRun = false
      return without
    }
    /** By the one extension, and where there is no such file by the other one. */
    const startOn = async (ref: string) => {
      const isYaml = known.yaml.has(workflow)
      const outcome = await post(ref, isYaml ? 'yaml' : 'yml')
      if (!isAnswer(outcome, 404)) return outcome
      const other = await post(ref, isYaml ? 'yml' : 'yaml')
      if (isAnswer(other, 404)) return outcome
      if (isYaml) known.yaml.delete(workflow)
      else known.yaml.add(workflow)
      facts.set(place, known)
      return other
    }

    const { name, until = 0 } = known.branch ?? {}
    const remembered = target.ref ?? (clock.now().getTime() < until ? name : undefined)
    let outcome = await startOn(remembered ?? (await defaultBranch()))
    // The default branch was renamed since it was looked up.
    const isRenamed = remembered !== target.ref && isAnswer(outcome, 422, NO_REF)
    if (isRenamed) outcome = await startOn(await defaultBranch())
    if (!outcome.accepted) throw dispatchRefusal(outcome, target).after(github.attempts)
    const run = runIn(outcome.answer, place, apiUrl)
    return run === undefined ? github.attempts : { ...github.attempts, run }
  }
}

/** Page of the run that a call started, if the answer names it. Forgejo names only the number of the run. */
function runIn(answer: GitHubResponse, repository: string, apiUrl: URL): string | undefined {
  const { html_url, run_number } = fieldsOf(answer)
  const isForgejo = typeof run_number === 'number' && html_url === undefined
  const server = apiUrl.href.replace(/\/api\/v1\/*$/, '')
  const ofForgejo = `${server}/${repository}/actions/runs/${run_number}`
  const address = isForgejo ? ofForgejo : String(html_url)
  return RUN.test(address) ? address : undefined
}

function isAnswer(outcome: SessionOutcome, status: number, text = /(?:)/): boolean {
  return outcome.answer?.status === status && text.test(outcome.answer.text)
}

function dispatchRefusal(
  { error, answer }: SessionOutcome & { accepted: false },
  { workflow, ref }: WorkflowTarget,
): RelayError {
  if (!answer) return error
  const { status, text } = answer
  if (status === 404) {
    return new RelayError('workflow_not_accessible', {
      message: `the token cannot start a workflow ${workflow}.yml`,
    })
  }
  if (status !== 422) return error
  if (NO_REF.test(text)) {
    return new RelayError('ref_not_found', {
      message: `there is no branch or tag ${JSON.stringify(ref ?? '')}`,
    })
  }
  if (NOT_LISTENING.test(text)) {
    return new RelayError('workflow_not_listening', {
      message: `the workflow ${workflow} has no workflow_dispatch trigger with the input hookline`,
    })
  }
  if (TOO_LARGE.test(text)) {
    return new RelayError('payload_too_large')
  }
  return error
}

/** The error that the sender receives for a refusal by GitHub. */
export function relayError(
  refusal: GitHubRefusal,
  answer: GitHubResponse | undefined,
  event: TokenPurpose = 'repository_dispatch',
): RelayError {
  const { kind, status = 0, wait, cause } = refusal
  switch (kind) {
    case 'unauthorized':
      return new RelayError('invalid_token')
    case 'limited':
      return rateLimited(wait === undefined ? DEFAULT_RETRY_AFTER : wait / 1000)
    case 'sso':
    case 'forbidden':
    case 'missing':
      return new RelayError('repository_not_accessible', {
        hint: `Check the name of the repository, and that the token has the permission ${NEEDED[event]}.`,
      })
    case 'conflict':
    case 'unavailable':
      return githubUnavailable(undefined, wait === undefined ? undefined : wait / 1000)
    case 'failed':
      return new RelayError('github_unavailable', {
        message: 'GitHub failed while it processed the event',
        hint: ERROR_CODES.github_timeout.hint,
      })
    case 'strange':
      return new RelayError('github_unavailable', {
        message: `unexpected response from the GitHub API (status ${status})`,
        hint: 'Check HOOKLINE_API_URL, and that no proxy responds in place of GitHub. If it was GitHub, it may have accepted the event.',
      })
    case 'redirected':
      return new RelayError('github_unavailable', {
        message: `unexpected redirect by GitHub (status ${status})`,
        hint: 'Check the name of the repository, HOOKLINE_API_URL, and that no proxy responds in place of GitHub.',
      })
    case 'unreachable':
      return new RelayError('github_unavailable', {
        message: 'the relay cannot reach GitHub',
        cause,
      })
    case 'unanswered':
      return new RelayError('github_timeout', { cause })
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

function eventRejected(status: number, text: string): RelayError {
  if (status === 422 && /too large/i.test(text)) {
    return new RelayError('payload_too_large')
  }
  // What follows a brace or a line break may quote the event, which is JSON.
  const { message } = fieldsOf({ text })
  const [reason] = /^[ -z]{1,200}/.exec(typeof message === 'string' ? message : '') ?? []
  return new RelayError('event_rejected', {
    message: `GitHub rejected the event with status ${status}${reason ? `: ${reason}` : ''}`,
  })
}
