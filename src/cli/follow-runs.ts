import { type RunDetails, readRunDetails } from '../relay/github/runs.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf, type GitHubRefusal, type RefusalKind } from '../wire/github-api.ts'
import { printable } from '../wire/printable.ts'
import {
  type RunResult,
  readRun,
  recentRuns,
  runResult,
  runsOfEvent,
  runsPath,
  type StartedBy,
  type WorkflowRun,
} from '../wire/run-lookup.ts'
import { runNameLine } from '../workflow/run-name.ts'
import { originRepository } from './files.ts'
import type { AskGitHub, AskOptions } from './github-client.ts'
import { unreachableGitHub } from './request-faults.ts'
import { styled } from './terminal.ts'

export interface Addressed {
  /** `owner/name`; for `/webhook/…` and an endpoint that of the git remote, or empty without a remote. */
  readonly repository: string
  readonly workflow: string
}

export function addressedBy({ pathname }: URL): Addressed {
  const [owner = '', name = '', workflow = ''] = pathname.split('/').filter(Boolean)
  if (owner === '-') {
    // The URL of an endpoint names only the owner.
    const here = originRepository()
    const isOwn = here.toLowerCase().startsWith(`${name.toLowerCase()}/`)
    return { repository: isOwn ? here : '', workflow: '' }
  }
  const isSelfHosted = owner === 'webhook'
  return isSelfHosted
    ? { repository: originRepository(), workflow: name }
    : { repository: `${owner}/${name}`, workflow }
}

/** The API that lists runs. */
export interface RunPorts {
  readonly repository: string
  readonly ask: AskGitHub
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

/** Milliseconds between two looks. */
const PAUSE = 2000

/** Milliseconds until a run appears. GitHub mostly needs some seconds. */
const USUAL_RUN_TIME = 60_000

/** The same while GitHub's queues are long. */
const RUN_TIMEOUT = 5 * 60_000

/** Milliseconds. A run can appear in the listing later than a newer run. */
const LISTING_LAG = 5 * 60_000

/**
 * Waits up to five minutes for the run of an event, found by the id in its name.
 *
 * @param later milliseconds until the run can start
 * @throws UserError if no run appears, or GitHub refuses or is unreachable
 */
export async function awaitRun(
  event: StartedBy,
  github: RunPorts,
  later = 0,
): Promise<WorkflowRun> {
  const started = github.now().getTime() + later
  const ofEvent = (runs: readonly WorkflowRun[]) => runsOfEvent(runs, event)[0]
  let [since, isReported]: [since?: Date, isReported?: boolean] = []
  for (;;) {
    const retry = retryUntil(github, started + RUN_TIMEOUT)
    const readPage = async (page: number) =>
      (await askRuns(github, runsPath(github.repository, page), retry)).workflow_runs
    const isEnough = (read: readonly WorkflowRun[]) => ofEvent(read) !== undefined
    const runs = await recentRuns(readPage, { since, isEnough })
    const found = ofEvent(runs)
    if (found) return found
    const waited = github.now().getTime() + PAUSE - started
    if (waited > RUN_TIMEOUT) {
      const { delivery, workflow = 'hook' } = event
      throw new UserError({
        message: `no run of the workflow has the delivery id ${JSON.stringify(delivery)} in its name`,
        hint: `Add to the workflow: ${runNameLine(workflow)}`,
        notes: [
          `with the dispatch mode "workflow": ${runNameLine(workflow, 'workflow_dispatch')}`,
          'To find out why no run started, run: hookline doctor',
        ],
      })
    }
    if (waited > USUAL_RUN_TIME && !isReported) {
      process.stderr.write('no run after a minute; waiting up to five minutes\n')
      isReported = true
    }
    // Later looks read only the pages of new runs.
    const [newest] = runs
    since ??= newest && new Date(Date.parse(newest.started) - LISTING_LAG)
    await github.sleep(PAUSE)
  }
}

/** The run of a page that the relay returned. @throws UserError for any other address */
export async function runAt(url: string, github: RunPorts): Promise<WorkflowRun> {
  const [, id] = /\/actions\/runs\/(\d{1,20})$/.exec(url) ?? []
  if (id === undefined)
    throw new UserError({
      message: 'the response of the relay contains no valid address of a run',
      hint: 'Check the address of the relay: hookline doctor --relay <url>',
    })
  return readRun(await askRuns(github, runPath(github, id)))
}

/** Reports every change of a run until it is completed; returns its last state. */
export async function followRun(
  first: WorkflowRun,
  github: RunPorts,
  report: (run: WorkflowRun) => void,
): Promise<WorkflowRun> {
  let known = first
  report(known)
  while (known.state !== 'completed') {
    await github.sleep(PAUSE)
    const now = readRun(await askRuns(github, runPath(github, known.id), retryUntil(github)))
    if (runState(now) !== runState(known)) report(now)
    known = now
  }
  return known
}

/** A run that was skipped is no failure: a job condition excluded the event. */
export function hasSucceeded(run: Pick<WorkflowRun, 'state' | 'conclusion'>): boolean {
  return ['success', 'skipped'].includes(runResult(run))
}

/**
 * The end of a run, found out as the relay does: `success`, `nothing_fired`, `skipped`, …, or GitHub's
 * conclusion of a failed run, and the reason as far as GitHub tells.
 */
export async function endOfRun(
  run: WorkflowRun,
  { repository, ask }: Pick<RunPorts, 'repository' | 'ask'>,
) {
  const details = await readRunDetails(run, async (path) => {
    const { answer, refusal } = await ask(`/repos/${repository}${path}`)
    return refusal ? undefined : answer
  })
  const result = runResult(run)
  if (details?.nothingFired !== undefined) {
    return { outcome: 'nothing_fired', reason: details.nothingFired, isFailure: true }
  }
  const outcome = result === 'failure' ? (run.conclusion ?? result) : result
  return { outcome, reason: reasonOf(result, details), isFailure: !hasSucceeded(run) }
}

function reasonOf(result: RunResult, details: RunDetails | undefined): string | null {
  if (result === 'skipped') return ALL_SKIPPED
  if (result === 'waiting_for_approval') return 'open the page of the run, and approve the run'
  if (!details) return null
  const { jobs, skipped, failed } = details
  if (result !== 'success') return failed ?? (jobs === 0 ? NOT_ALLOWED : null)
  if (skipped.length > 0) return `skipped: ${skipped.join(', ')} (see the summary of the run)`
  return jobs === 0 ? null : 'every step ran'
}

const ALL_SKIPPED =
  'every job was skipped. Compare the job condition (`if:`) with the workflow and the trigger in the URL.'

/**
 * The probable cause of a run that failed before its first job.
 *
 * @see https://docs.github.com/actions/concepts/security/workflow-execution-protections
 */
const NOT_ALLOWED =
  'no job started: a policy of the repository or organization may forbid the event or its actor. The page of the run names the policy.'

export function runLine(run: Omit<WorkflowRun, 'event'>): string {
  const { delivery, workflow, started, url } = run
  const color = run.conclusion === null ? 'yellow' : hasSucceeded(run) ? 'green' : 'red'
  const state = styled(process.stdout, color, printable(runState(run)).padEnd(12))
  const parts = [printable(started), delivery ?? '-'.padEnd(36), printable(workflow)].join('  ')
  return `${parts}  ${state}  ${printable(url)}`
}

function runState({ state, conclusion }: Pick<WorkflowRun, 'state' | 'conclusion'>): string {
  return conclusion ?? state
}

function runPath({ repository }: RunPorts, id: number | string): string {
  return `/repos/${repository}/actions/runs/${id}`
}

/** Milliseconds of failed calls after which the command gives up. */
const MAX_GAP = 10 * 60_000

const PAUSES = { first: PAUSE, longest: 30_000 }

/** Retries lost connections, errors of GitHub and rate limits until the deadline. */
function retryUntil(github: RunPorts, deadline = github.now().getTime() + MAX_GAP): Retry {
  let isReported = false
  const retryTime = Math.max(1, deadline - github.now().getTime())
  const tell = (refusal: GitHubRefusal) => {
    const when = refusal.wait === undefined ? '' : ` ${callsAgain(refusal.wait, github.now())}`
    if (!isReported) {
      const text = `${notShown(github.repository, refusal)}; trying again${when}`
      process.stderr.write(`${printable(text)}\n`)
    }
    isReported = true
  }
  // A call that begins just before the deadline may end after it.
  return { budget: retryTime + LAST_CALL, retryTime, pause: PAUSES, tell }
}

type Retry = NonNullable<AskOptions['patience']>

/** Milliseconds. */
const LAST_CALL = 15_000

function notShown(repository: string, { status, cause }: GitHubRefusal): string {
  if (status !== undefined)
    return `GitHub refuses to list the runs of ${repository} (status ${status})`
  return `GitHub is unreachable: ${cause instanceof Error ? cause.message : 'no response'}`
}

/** @throws UserError */
async function askRuns({ repository, ask: call, now }: RunPorts, path: string, retry?: Retry) {
  const reply = await call(path, retry && { patience: retry }).catch((cause: unknown) => {
    throw unreachableGitHub(cause)
  })
  const { answer, refusal } = reply
  const found = fieldsOf(answer)
  if (!refusal && ('id' in found || 'workflow_runs' in found)) return found
  const { kind, wait }: GitHubRefusal = refusal ?? { kind: 'strange' }
  const message = notShown(repository, { kind, status: answer.status })
  const hint =
    kind === 'limited' && wait !== undefined
      ? `GitHub's rate limit is reached. Run the command again ${callsAgain(wait, now())}.`
      : (HINTS.get(kind) ?? OTHER_HINT)
  throw new UserError({ message, hint })
}

/** The end of a rate limit. @param wait milliseconds */
function callsAgain(wait: number, now: Date): string {
  const time = new Date(now.getTime() + wait).toISOString().slice(11, 16)
  const minutes = Math.ceil(wait / 60_000)
  return `at ${time} UTC, in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}

/** The variables are those of the GitHub CLI: see `forge-tokens.ts`. */
const TOKEN = 'GH_TOKEN (for GitHub Enterprise Server: GH_HOST and GH_ENTERPRISE_TOKEN)'

const READS_ACTIONS = `Set ${TOKEN} to a token with "Actions: Read".`

const OTHER_HINT = 'Check https://www.githubstatus.com and HOOKLINE_API_URL.'

const HINTS: ReadonlyMap<RefusalKind, string> = new Map([
  ['unauthorized', `The token is incomplete, expired or revoked: set ${TOKEN} to a valid token.`],
  [
    'sso',
    'Authorize the token for the organization: "Configure SSO" on the page of your tokens at GitHub',
  ],
  ['limited', "GitHub's rate limit is reached. Run the command again in an hour."],
  ['missing', `Check the spelling of the repository. If it is right: ${READS_ACTIONS}`],
  ['forbidden', READS_ACTIONS],
])
