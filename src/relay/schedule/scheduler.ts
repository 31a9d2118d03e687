import { Cron } from 'croner'
import { type Problem, UsageError } from '../../wire/errors.ts'
import { isRepository, isWorkflowName } from '../../wire/path.ts'
import type { Credential } from '../credentials/credentials.ts'
import type { DispatchPort } from '../github/dispatch.ts'
import { isAmbiguous, RelayError } from '../relay-errors.ts'
import { parseRepository, type Repository } from '../request/route.ts'

/**
 * One line of `HOOKLINE_SCHEDULE`. GitHub's `schedule` starts runs late or not at all, so a relay with a
 * GitHub credential of its own starts workflows by `workflow_dispatch` without inputs, as a manual run.
 */
export interface Timer {
  /** The line in the setting. */
  readonly text: string
  readonly repository: Repository
  /** Name of the workflow's file, without its extension. */
  readonly workflow: string
  /** Branch or tag; the default branch when absent. */
  readonly ref?: string
  /** The expression, in its time zone. */
  readonly cron: Cron
}

/** `<five fields> [TZ=<zone>] <owner>/<repo> <workflow>[@<ref>]` */
const LINE =
  /^(?<cron>\S+(?:\s+\S+){4})(?:\s+TZ=(?<zone>\S+))?\s+(?<repository>[^\s/]+\/[^\s/]+)\s+(?<workflow>[^\s@]+)(?:@(?<ref>\S+))?$/

const FORM = 'Write a line as: */5 * * * * [TZ=Europe/Berlin] owner/name workflow[@ref]'

/**
 * Reads `HOOKLINE_SCHEDULE`, one timer per line. Empty lines and comments (`#`) are skipped.
 *
 * @throws UsageError that names every invalid line
 */
export function readTimers(text: string | undefined): readonly Timer[] {
  const lines = (text ?? '').split('\n').map((line, at) => ({ line: line.trim(), number: at + 1 }))
  const written = lines.filter(({ line }) => line !== '' && !line.startsWith('#'))
  if (written.length === 0) return []
  const problems: Problem[] = []
  const timers: Timer[] = []
  for (const { line, number } of written) {
    const read = readTimer(line)
    if (typeof read !== 'string') timers.push(read)
    else {
      const message = `HOOKLINE_SCHEDULE, line ${number}: ${read}: ${JSON.stringify(line)}`
      problems.push({ message, hint: FORM })
    }
  }
  if (problems.length > 0) throw new UsageError(problems)
  return timers
}

/** @returns the fault of an invalid line as a string */
function readTimer(text: string): Timer | string {
  const {
    cron = '',
    zone = 'UTC',
    repository = '',
    workflow = '',
    ref,
  } = LINE.exec(text)?.groups ?? {}
  if (cron === '') return 'expected five fields, a repository and a workflow'
  if (!isRepository(repository)) return `${JSON.stringify(repository)} is not a repository`
  const name = workflow.replace(/\.ya?ml$/, '')
  if (!isWorkflowName(name)) return `${JSON.stringify(workflow)} is not the name of a workflow`
  if (!isZone(zone)) return `${JSON.stringify(zone)} is not a time zone`
  try {
    const read = new Cron(cron, { timezone: zone, mode: '5-part', paused: true })
    if (read.nextRun() === null) return 'the expression never matches'
    return {
      text,
      repository: parseRepository(repository),
      workflow: name,
      cron: read,
      ...(ref !== undefined && { ref }),
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'invalid cron expression'
    return why.replace(/^Cron\w*: /, '').replace(/\.$/, '')
  }
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** The outcome of a scheduled run. */
export type ScheduledOutcome =
  | 'started'
  /** GitHub refuses the token, the App or the workflow. */
  | 'refused'
  /** GitHub did not accept it before the next one was due. */
  | 'given_up'
  /** No response: the run may have started, so it is not retried. */
  | 'unclear'
  /** The process was suspended, or its clock jumped over it. */
  | 'missed'
  /** It started before: the trigger of a worker arrived twice, or the clock was set back. */
  | 'repeated'

export interface SchedulerPorts {
  readonly dispatch: DispatchPort
  readonly credential: Credential
  /** Milliseconds since 1970. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  newDelivery(): string
  counted(outcome: ScheduledOutcome): void
  /** Reports bugs. */
  report(error: unknown): void
  log(line: SchedulerLine): void
}

/** A line of the log. */
export interface SchedulerLine {
  readonly schedule: ScheduledOutcome | 'clock_changed'
  readonly level?: 'error'
  /** `owner/name` */
  readonly repository: string
  readonly workflow: string
  /** When the run was due: ISO 8601, UTC. */
  readonly due: string
  /** Error code, if GitHub did not accept it. */
  readonly reason?: string
  /** Page of the run. */
  readonly run?: string
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Milliseconds between two attempts of one run, doubled up to a minute. */
const FIRST_PAUSE = 1000

/** Milliseconds between two looks at the clock, so that a jump is noticed. */
const LONGEST_SLEEP = 30_000

/** Milliseconds that a clock may be set back without a second start of the same run. */
const SMALL_CORRECTION = 5 * MINUTE

/**
 * Runs one timer until it is stopped. The relay never catches up on missed runs, and a small correction
 * of the clock starts nothing twice. A clock that jumps is logged, and the next time computed anew;
 * runs that started before are not started again.
 */
export async function runTimer(
  timer: Timer,
  ports: SchedulerPorts,
  isStopped: () => boolean,
): Promise<void> {
  let last = ports.now()
  const started = new Set<number>()
  while (!isStopped()) {
    const due = nextAfter(timer, last)
    if (due === undefined) return
    const reached = await sleepUntil(due, ports, isStopped)
    if (isStopped()) return
    const now = ports.now()
    if (!reached) {
      logJump(timer, due, ports)
      last = now
      continue
    }
    last = due
    if (started.has(due)) {
      logOutcome(timer, due, 'repeated', ports)
      continue
    }
    if (now - due < MINUTE) {
      for (const other of started) if (other < due - DAY) started.delete(other)
      started.add(due)
      await startRun(timer, due, ports, isStopped).catch(ports.report)
      continue
    }
    logOutcome(timer, due, 'missed', ports)
    last = Math.max(due, now - MINUTE)
  }
}

/** @returns false if the clock was set back before the time came */
async function sleepUntil(
  due: number,
  ports: SchedulerPorts,
  isStopped: () => boolean,
): Promise<boolean> {
  for (;;) {
    const before = ports.now()
    if (before >= due || isStopped()) return true
    await ports.sleep(Math.min(due - before, LONGEST_SLEEP))
    if (ports.now() < before - SMALL_CORRECTION) return false
  }
}

function logJump({ repository, workflow }: Timer, due: number, { log }: SchedulerPorts): void {
  const { owner, name } = repository
  log({
    schedule: 'clock_changed',
    repository: `${owner}/${name}`,
    workflow,
    due: new Date(due).toISOString(),
  })
}

/** Starts the workflow once. If GitHub cannot accept it, retries until the next run is due. */
export async function startRun(
  timer: Timer,
  due: number,
  ports: SchedulerPorts,
  isStopped: () => boolean = () => false,
  longest = Number.POSITIVE_INFINITY,
): Promise<ScheduledOutcome> {
  const { repository, workflow, ref } = timer
  const target = { event: 'workflow_dispatch', workflow, ref, isManual: true } as const
  const next = nextAfter(timer, due) ?? Number.POSITIVE_INFINITY
  const deadline = Math.min(next, due + longest)
  for (let pause = FIRST_PAUSE; ; pause = Math.min(MINUTE, pause * 2)) {
    try {
      const { run } = await ports.dispatch({
        repository,
        target,
        clientPayload: '',
        credential: ports.credential,
        delivery: ports.newDelivery(),
      })
      return logOutcome(timer, due, 'started', ports, run === undefined ? {} : { run })
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      const { code: reason, retryAfter = 0 } = error
      const passes = mayPass(error)
      if (passes !== true) return logOutcome(timer, due, passes, ports, { reason })
      const wait = Math.max(pause, retryAfter * 1000)
      if (isStopped() || ports.now() + wait >= deadline) {
        return logOutcome(timer, due, 'given_up', ports, { reason })
      }
      await ports.sleep(Math.min(wait, LONGEST_SLEEP))
    }
  }
}

/** Checks the permissions of an App before the first run; those of a token are unknown until then. */
export async function checkTimer(timer: Timer, ports: SchedulerPorts): Promise<void> {
  const { repository } = timer
  try {
    await ports.credential.token({ repository, event: 'workflow_dispatch' })
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    if (mayPass(error) !== 'refused') return
    logOutcome(timer, ports.now(), 'refused', ports, { reason: error.code })
  }
}

/** Starts what is due at the `scheduledTime` of a worker. */
export async function startDue(
  timers: readonly Timer[],
  scheduledTime: number,
  ports: SchedulerPorts,
  isFirst: (tick: string) => Promise<boolean>,
): Promise<void> {
  const due = Math.floor(scheduledTime / MINUTE) * MINUTE
  const started = timers
    .filter((timer) => isDue(timer, due))
    .map(async (timer) => {
      // Cloudflare may start a worker twice.
      const isNew = await isFirst(`${due} ${timer.text}`)
      if (!isNew) return logOutcome(timer, due, 'repeated', ports)
      return startRun(timer, due, ports, () => false, LONGEST_RETRY)
    })
  await Promise.all(started.map((one) => one.catch(ports.report)))
}

/** Milliseconds; Cloudflare ends a scheduled worker after 15 minutes. */
const LONGEST_RETRY = 14 * MINUTE

/** True if a retry may succeed and does no harm; otherwise the outcome. */
function mayPass(error: RelayError): true | ScheduledOutcome {
  if (isAmbiguous(error)) return 'unclear'
  return error.status === 429 || error.status >= 500 ? true : 'refused'
}

function logOutcome(
  { repository: { owner, name }, workflow }: Timer,
  due: number,
  outcome: ScheduledOutcome,
  ports: SchedulerPorts,
  more: Pick<SchedulerLine, 'reason' | 'run'> = {},
): ScheduledOutcome {
  ports.counted(outcome)
  const isError = outcome === 'refused' || outcome === 'given_up'
  ports.log({
    schedule: outcome,
    ...(isError && ({ level: 'error' } as const)),
    repository: `${owner}/${name}`,
    workflow,
    due: new Date(due).toISOString(),
    ...more,
  })
  return outcome
}

/**
 * The first time of a timer after another; milliseconds since 1970, or `undefined` if it never comes.
 *
 * Where summer time ends, an hour of wall time comes twice. An expression with an interval of hours or
 * minutes (`*`) runs in both; one at a fixed hour runs in the first, which is what croner computes.
 */
export function nextAfter({ cron }: Timer, time: number): number | undefined {
  let next = cron.nextRun(new Date(time))?.getTime()
  // In the second of the two hours, croner names a time of the first.
  for (let from = time + HOUR; next !== undefined && next <= time; from += HOUR) {
    next = cron.nextRun(new Date(from))?.getTime()
  }
  if (next === undefined || !isRepeating(cron)) return next
  // Croner skips the second of the two hours: look at each minute of it.
  const first = Math.floor(time / MINUTE) * MINUTE + MINUTE
  const end = Math.min(next, first + LONGEST_SHIFT)
  for (let minute = first; minute < end; minute += MINUTE) {
    if (cron.match(new Date(minute))) return minute
  }
  return next
}

/** Milliseconds for which wall time can repeat, with some more for an interval of hours. */
const LONGEST_SHIFT = 3 * HOUR

function isRepeating(cron: Cron): boolean {
  const [, hour = ''] = cron.getPattern()?.trim().split(/\s+/) ?? []
  return hour.startsWith('*') && cron.options.timezone !== 'UTC'
}

/** True if a timer is due in the minute of a time. */
export function isDue(timer: Timer, time: number): boolean {
  const minute = Math.floor(time / MINUTE) * MINUTE
  const isNext = (from: number) => nextAfter(timer, from - 1) === minute
  // Where summer time begins, a run at a skipped hour comes an hour later; croner finds it from before.
  return isNext(minute) || (timer.cron.options.timezone !== 'UTC' && isNext(minute - HOUR))
}
