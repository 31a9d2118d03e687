import { Command } from 'commander'
import { systemClock } from '../relay/config.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { fieldsOf, type GitHubRefusal, listOf, type RefusalKind } from '../wire/github.ts'
import { HttpFailure } from '../wire/http.ts'
import { DISPATCH_EVENTS, type DispatchEvent } from '../wire/payload.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { checkedRepository } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { originRepository } from './files.ts'
import { type AskGitHub, type AskOptions, githubOf } from './github.ts'
import { unreachableHint } from './http.ts'
import { nameAdvice, runNameLine } from './run-name.ts'
import { EXIT, styled } from './terminal.ts'

interface RunsOptions {
  readonly repository?: string
  readonly delivery?: string
  readonly watch?: boolean
  readonly json?: boolean
}

const HELP = `
The delivery id in the name of a run identifies the run. Add it to the workflow:
${runNameBlock('repository_dispatch')}
With the dispatch mode "workflow", add instead:
${runNameBlock('workflow_dispatch')}

${environmentHelp(
  [
    'GH_TOKEN',
    'GitHub token with "Actions: Read" (default: GITHUB_TOKEN, then HOOKLINE_GITHUB_TOKEN)',
  ],
  'HOOKLINE_API_URL',
)}

--watch runs until Ctrl-C. With --delivery it ends with the run, and exits with 1
if the run failed.

Examples:
  $ hookline runs
  $ hookline runs --delivery 3f1c… --watch`

/** The `run-name` in two lines, because one line is wider than a terminal. */
function runNameBlock(event: DispatchEvent): string {
  const [, expression = ''] = /(\$\{\{.*)$/.exec(runNameLine('hook', event)) ?? []
  return `  run-name: >-\n    ${expression}`
}

export function runsCommand(): Command {
  return new Command('runs')
    .description('list the runs that webhooks started, newest first')
    .option('--repository <owner/name>', 'repository (default: the git remote origin)')
    .option('--delivery <id>', 'show the run of this delivery or batch only')
    .option('--watch', 'print changes until Ctrl-C')
    .option('--json', 'print one JSON line per run')
    .addHelpText('after', HELP)
    .action(run)
}

async function run({ delivery, watch, json, ...options }: RunsOptions): Promise<void> {
  const repository = options.repository ?? originRepository()
  if (repository === '') {
    throw new UserError({
      message: 'the repository is unknown, because there is no git remote origin',
      hint: 'Add --repository owner/name.',
    })
  }
  checkedRepository(repository)
  const github = { repository, ask: githubOf(process.env), ...systemClock }
  const tell = (found: Run) =>
    process.stdout.write(`${json ? printableJson(JSON.stringify(found)) : runLine(found)}\n`)
  if (watch && delivery !== undefined) {
    const found = await awaitRun(delivery, github)
    const ended = await followRun(found, github, tell)
    if (!hasSucceeded(ended)) process.exitCode = EXIT.failure
    return
  }
  const states = new Map<number, string>()
  for (;;) {
    // A wrong setting is told at once; what worked once may come back.
    const runs = webhookRuns(
      await listRuns(github, states.size > 0 ? patiently(github) : undefined),
    )
    const wanted = delivery === undefined ? runs : runs.filter((each) => isOf(each, delivery))
    for (const each of states.size === 0 ? wanted : wanted.toReversed()) {
      if (states.get(each.id) !== stateOf(each)) tell(each)
      states.set(each.id, stateOf(each))
    }
    if (!watch) {
      if (delivery !== undefined && wanted.length === 0) throw unknownDelivery(delivery)
      if (wanted.length === 0) process.stderr.write('no webhook has started a run yet\n')
      const nameless = wanted.find((each) => each.delivery === null)
      if (nameless) process.stderr.write(`${nameAdvice(nameless.workflow)}\n`)
      return
    }
    await github.sleep(PAUSE)
  }
}

/** What a webhook URL addresses. */
interface Addressed {
  /** `owner/name`; of the git remote, where a relay serves one repository; empty without one. */
  readonly repository: string
  readonly workflow: string
}

export function addressedBy({ pathname }: URL): Addressed {
  const [owner = '', name = '', workflow = ''] = pathname.split('/').filter(Boolean)
  const isSelfHosted = owner === 'webhook'
  return isSelfHosted
    ? { repository: originRepository(), workflow: name }
    : { repository: `${owner}/${name}`, workflow }
}

/** Where runs are looked for. */
export interface RunPorts {
  readonly repository: string
  readonly ask: AskGitHub
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

/** A run that a webhook started. */
export interface Run {
  readonly id: number
  /** `null` where the workflow does not put it into the run's name. */
  readonly delivery: string | null
  /** File name without its extension. */
  readonly workflow: string
  /** `queued`, `in_progress`, `completed`, … */
  readonly state: string
  /** `success`, `failure`, …; `null` until it is completed. */
  readonly conclusion: string | null
  readonly started: string
  readonly url: string
}

const PAUSE = 2000

/** How long a run may take to show; GitHub's queues mostly need some seconds. */
const PATIENCE = 60_000

/** And where they are long. */
const LONGEST_PATIENCE = 5 * 60_000

/** A delivery id, wherever it stands in the name of a run. */
const DELIVERY = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i

/** A run of an event that a webhook may have made. */
interface FoundRun extends Run {
  readonly event: DispatchEvent
}

/**
 * Runs of the events that webhooks make, newest first.
 *
 * @throws RunsError when GitHub does not tell
 */
async function listRuns(github: RunPorts, patience?: RetryPolicy): Promise<readonly FoundRun[]> {
  const found = await Promise.all(
    DISPATCH_EVENTS.map(async (event) => {
      const answer = await asked(github, `?event=${event}&per_page=50`, patience)
      return listOf(answer.workflow_runs).map((run) => ({ ...readRun(run), event }))
    }),
  )
  return found.flat().sort((one, other) => other.started.localeCompare(one.started))
}

/** One that was started by hand carries no delivery id. */
function webhookRuns(runs: readonly FoundRun[]): readonly Run[] {
  return runs.flatMap(({ event, ...run }) =>
    event === 'workflow_dispatch' && run.delivery === null ? [] : [run],
  )
}

/** Ids are the same in upper and lower case. */
function isOf(run: Run, delivery: string): boolean {
  return run.delivery?.toLowerCase() === delivery.toLowerCase()
}

/** Which run is wanted: that of a delivery. */
interface WantedRun {
  readonly delivery: string
  /** Where runs do not name their delivery: of this workflow, begun since then. */
  readonly begun?: {
    readonly workflow: string
    readonly event: DispatchEvent
    readonly since: Date
  }
}

/** Clocks differ, and GitHub tells whole seconds. */
const CLOCKS_DIFFER = 5000

function isWanted({ begun }: WantedRun): (run: FoundRun) => boolean {
  if (!begun) return () => false
  const earliest = begun.since.getTime() - CLOCKS_DIFFER
  return ({ workflow, event, delivery, started }) =>
    workflow === begun.workflow &&
    event === begun.event &&
    delivery === null &&
    Date.parse(started) >= earliest
}

/**
 * Waits until the run of a delivery is there: by the id in its name, else as it was begun.
 *
 * @param patience milliseconds for it to show
 * @returns `undefined` when none shows in that time
 * @throws RunsError where GitHub does not tell
 */
export async function findRun(
  wanted: WantedRun,
  github: RunPorts,
  patience = PATIENCE,
): Promise<Run | undefined> {
  const deadline = github.now().getTime() + patience
  for (;;) {
    const runs = await listRuns(github, patiently(github, deadline))
    const found = runs.find((each) => isOf(each, wanted.delivery)) ?? runs.find(isWanted(wanted))
    if (found) {
      const { event: _, ...run } = found
      return run
    }
    if (github.now().getTime() + PAUSE > deadline) return undefined
    await github.sleep(PAUSE)
  }
}

/**
 * The same, for as long as GitHub's queues may need.
 *
 * @param later milliseconds until the run can have begun
 * @throws UserError when none shows within five minutes
 */
export async function awaitRun(delivery: string, github: RunPorts, later = 0): Promise<Run> {
  const soon = await findRun({ delivery }, github, later + PATIENCE)
  if (soon) return soon
  process.stderr.write('no run shows within a minute: looking for up to five\n')
  const found = await findRun({ delivery }, github, LONGEST_PATIENCE - PATIENCE)
  if (found) return found
  throw unknownDelivery(delivery)
}

/** The run of a page that the relay named. @throws UserError for any other address */
export async function runAt(url: string, github: RunPorts): Promise<Run> {
  const [, id] = /\/actions\/runs\/(\d{1,20})$/.exec(url) ?? []
  if (id === undefined)
    throw new UserError({ message: 'the address is not that of a run of GitHub Actions' })
  return readRun(await asked(github, `/${id}`))
}

/** Tells every change of a run until it is completed, or it is too late, and gives how it is then. */
export async function followRun(
  first: Run,
  github: RunPorts,
  tell: (run: Run) => void,
  deadline = Number.POSITIVE_INFINITY,
): Promise<Run> {
  let known = first
  tell(known)
  while (known.state !== 'completed' && github.now().getTime() < deadline) {
    await github.sleep(PAUSE)
    const now = readRun(await asked(github, `/${known.id}`, patiently(github)))
    if (stateOf(now) !== stateOf(known)) tell(now)
    known = now
  }
  return known
}

/** `skipped` and `neutral` are not failures: a guard said that the event was not for it. */
export function hasSucceeded({ conclusion }: Run): boolean {
  return ['success', 'neutral', 'skipped'].includes(conclusion ?? '')
}

/**
 * Why a run may have failed before any of its jobs began.
 *
 * @see https://docs.github.com/actions/concepts/security/workflow-execution-protections
 */
export const NOT_ALLOWED =
  'no job began: a policy of the repository or organization may not allow this event, or who started it; the page of the run says which'

/** Whether a run failed without a job; false where GitHub does not tell. */
export async function hasNoJob(run: Run, github: RunPorts): Promise<boolean> {
  if (hasSucceeded(run)) return false
  const { answer, refusal } = await github.ask(
    `/repos/${github.repository}/actions/runs/${run.id}/jobs?per_page=1`,
  )
  return !refusal && fieldsOf(answer).total_count === 0
}

export function runLine(run: Run): string {
  const { delivery, workflow, started, url } = run
  const colour = run.conclusion === null ? 'yellow' : hasSucceeded(run) ? 'green' : 'red'
  const state = styled(process.stdout, colour, printable(stateOf(run)).padEnd(12))
  const parts = [printable(started), delivery ?? '-'.padEnd(36), printable(workflow)].join('  ')
  return `${parts}  ${state}  ${printable(url)}`
}

function stateOf({ state, conclusion }: Run): string {
  return conclusion ?? state
}

function unknownDelivery(delivery: string): UserError {
  return new UserError({
    message: `no run carries the delivery ${JSON.stringify(delivery)} in its name`,
    hint: `add to the workflow: ${runNameLine('hook')}`,
    notes: [
      `or, where the relay starts it by workflow_dispatch: ${runNameLine('hook', 'workflow_dispatch')}`,
      'hookline runs lists all that there are; hookline doctor tells why none started',
    ],
  })
}

function readRun(run: Record<string, unknown>): Run {
  const { id, path, status, conclusion, created_at, html_url, display_title } = run
  const [delivery = null] = DELIVERY.exec(String(display_title)) ?? []
  return {
    id: Number(id),
    delivery,
    workflow: /([^/]+?)(?:\.ya?ml)?(?:@.*)?$/.exec(String(path))?.[1] ?? '',
    state: String(status),
    conclusion: typeof conclusion === 'string' ? conclusion : null,
    started: String(created_at),
    url: String(html_url),
  }
}

/** How long nothing need be heard of a run before it is given up, in milliseconds. */
const LONGEST_GAP = 10 * 60_000

const PAUSES = { first: PAUSE, longest: 30_000 }

/** What is looked at for minutes outlives what passes: no connection, a fault of GitHub, its limits. */
function patiently(github: RunPorts, deadline = github.now().getTime() + LONGEST_GAP): RetryPolicy {
  let isTold = false
  const retryTime = Math.max(1, deadline - github.now().getTime())
  const tell = (refusal: GitHubRefusal) => {
    const when = refusal.wait === undefined ? '' : ` ${callsAgain(refusal.wait, github.now())}`
    if (!isTold) {
      process.stderr.write(`${notShown(github.repository, refusal)}; trying again${when}\n`)
    }
    isTold = true
  }
  // What begins at the last moment has its time, too.
  return { budget: retryTime + LAST_CALL, retryTime, pause: PAUSES, tell }
}

type RetryPolicy = NonNullable<AskOptions['patience']>

/** Milliseconds. */
const LAST_CALL = 15_000

function notShown(repository: string, { status, cause }: GitHubRefusal): string {
  if (status !== undefined) return `GitHub does not show the runs of ${repository} (${status})`
  return `GitHub: ${cause instanceof Error ? cause.message : 'no answer'}`
}

/** GitHub does not tell of runs. */
export class RunsError extends UserError {
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, problem: Problem, options?: ErrorOptions) {
    super(problem, options)
    this.kind = kind
  }
}

/** @throws RunsError */
async function asked({ repository, ask, now }: RunPorts, rest: string, patience?: RetryPolicy) {
  const path = `/repos/${repository}/actions/runs${rest}`
  const reply = await ask(path, patience && { patience }).catch((cause: unknown) => {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(cause, 'check the network and HOOKLINE_API_URL')
    throw new RunsError('unreachable', { message: `GitHub: ${cause.message}`, hint }, { cause })
  })
  const { answer, refusal } = reply
  const found = fieldsOf(answer)
  if (!refusal && ('id' in found || 'workflow_runs' in found)) return found
  const { kind, wait }: GitHubRefusal = refusal ?? { kind: 'strange' }
  const message = notShown(repository, { kind, status: answer.status })
  const hint =
    kind === 'limited' && wait !== undefined
      ? `GitHub's rate limit is reached: there are calls again ${callsAgain(wait, now())}`
      : (HINTS.get(kind) ?? OTHER_HINT)
  throw new RunsError(kind, { message, hint })
}

/** When GitHub answers again, for who may wait for it. @param wait milliseconds */
function callsAgain(wait: number, now: Date): string {
  const time = new Date(now.getTime() + wait).toISOString().slice(11, 16)
  const minutes = Math.ceil(wait / 60_000)
  return `at ${time} UTC, in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}

const READS_ACTIONS =
  'the token needs "Actions: Read"; set GH_TOKEN where HOOKLINE_GITHUB_TOKEN is for the relay alone'

const OTHER_HINT = 'see https://www.githubstatus.com, and HOOKLINE_API_URL'

const HINTS: ReadonlyMap<RefusalKind, string> = new Map([
  ['unauthorized', 'GitHub does not know the token: it is incomplete, expired or revoked'],
  [
    'sso',
    'the organisation has not authorised the token: "Configure SSO" at https://github.com/settings/tokens',
  ],
  ['limited', "GitHub's rate limit is reached: try again in a while"],
  ['missing', `check the spelling of the repository; if it is right, ${READS_ACTIONS}`],
  ['forbidden', READS_ACTIONS],
])
