import { Cron } from 'croner'
import { type Problem, UsageError } from '../wire/errors.ts'
import { isRepository, isWorkflowName } from '../wire/path.ts'
import type { Credential } from './credentials/credentials.ts'
import { isAmbiguous, RelayError } from './errors.ts'
import type { DispatchPort } from './github/dispatch.ts'
import { parseRepository, type Repository } from './request/route.ts'

/**
 * The relay's clock: GitHub's `schedule` fires late or not at all, so a relay with an authority of its
 * own starts workflows in time, by `workflow_dispatch` without inputs, as a person would by hand.
 */
export interface Timer {
  /** The line as it was written. */
  readonly text: string
  readonly repository: Repository
  /** Name of the workflow's file, without its extension. */
  readonly workflow: string
  /** Branch or tag; the default branch when absent. */
  readonly ref?: string
  /** Judges times; a time zone's summer time too. */
  readonly cron: Cron
}

/** `<five fields> [TZ=<zone>] <owner>/<repo> <workflow>[@<ref>]` */
const LINE =
  /^(?<cron>\S+(?:\s+\S+){4})(?:\s+TZ=(?<zone>\S+))?\s+(?<repository>[^\s/]+\/[^\s/]+)\s+(?<workflow>[^\s@]+)(?:@(?<ref>\S+))?$/

const FORM = 'write a timer as: */5 * * * * [TZ=Europe/Berlin] owner/name workflow[@ref]'

/**
 * Reads `HOOKLINE_SCHEDULE`, a line a timer; empty lines, and those that begin with `#`, are none.
 *
 * @throws UsageError that names every line which cannot be read
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

/** @returns what is wrong with a line that cannot be read */
function readTimer(text: string): Timer | string {
  const {
    cron = '',
    zone = 'UTC',
    repository = '',
    workflow = '',
    ref,
  } = LINE.exec(text)?.groups ?? {}
  if (cron === '') return 'it is not five fields, a repository and a workflow'
  if (!isRepository(repository)) return `${JSON.stringify(repository)} is not a repository`
  const name = workflow.replace(/\.ya?ml$/, '')
  if (!isWorkflowName(name)) return `${JSON.stringify(workflow)} is not the name of a workflow`
  if (!isZone(zone)) return `${JSON.stringify(zone)} is not a time zone`
  try {
    const read = new Cron(cron, { timezone: zone, mode: '5-part', paused: true })
    if (read.nextRun() === null) return 'this time never comes'
    return {
      ...{ text, repository: parseRepository(repository), workflow: name, cron: read },
      ...(ref !== undefined && { ref }),
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'this is not a cron expression'
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

/** What became of a tick. */
export type TickOutcome =
  | 'started'
  /** GitHub said no: the token, the App or the workflow. */
  | 'refused'
  /** GitHub could not take it before the next one was due. */
  | 'given_up'
  /** No answer: it may have been started, so it is not asked for again. */
  | 'unclear'
  /** The process slept, or its clock jumped, past it. */
  | 'missed'
  /** Somebody else has it: of a tick that comes twice. */
  | 'repeated'

export interface ClockPorts {
  readonly dispatch: DispatchPort
  readonly credential: Credential
  /** Milliseconds since 1970. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  newDelivery(): string
  counted(outcome: TickOutcome): void
  /** Is told of faults that are ours. */
  report(error: unknown): void
  log(line: ClockLine): void
}

/** A line of the log. */
export interface ClockLine {
  readonly clock: TickOutcome
  readonly level?: 'error'
  /** `owner/name` */
  readonly repository: string
  readonly workflow: string
  /** When it was due: ISO 8601, UTC. */
  readonly due: string
  /** Code of the relay's error, where GitHub did not take it. */
  readonly reason?: string
  /** Page of the run. */
  readonly run?: string
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Between two tries of one tick, doubling up to a minute. */
const FIRST_PAUSE = 1000

/** How often the clock is looked at, so that one that jumps is noticed. */
const LONGEST_SLEEP = 30_000

/**
 * Keeps one timer until it is stopped. There is no catching up: what the process slept past is missed,
 * and a clock that is set back starts nothing a second time.
 */
export async function keepTimer(
  timer: Timer,
  ports: ClockPorts,
  isStopped: () => boolean,
): Promise<void> {
  let last = ports.now()
  while (!isStopped()) {
    const due = nextAfter(timer, last)
    if (due === undefined) return
    while (ports.now() < due) {
      if (isStopped()) return
      await ports.sleep(Math.min(due - ports.now(), LONGEST_SLEEP))
    }
    const now = ports.now()
    last = due
    if (now - due < MINUTE) {
      await tick(timer, due, ports, isStopped).catch(ports.report)
      continue
    }
    told(timer, due, 'missed', ports)
    last = Math.max(due, now - MINUTE)
  }
}

/** Starts the workflow once, and tries until the next tick is due where GitHub cannot take it. */
export async function tick(
  timer: Timer,
  due: number,
  ports: ClockPorts,
  isStopped: () => boolean = () => false,
  longest = Number.POSITIVE_INFINITY,
): Promise<TickOutcome> {
  const { repository, workflow, ref } = timer
  const target = { event: 'workflow_dispatch', workflow, ref, isManual: true } as const
  const next = nextAfter(timer, due) ?? Number.POSITIVE_INFINITY
  const deadline = Math.min(next, due + longest)
  for (let pause = FIRST_PAUSE; ; pause = Math.min(MINUTE, pause * 2)) {
    try {
      const { run } = await ports.dispatch({
        ...{ repository, target, clientPayload: '', credential: ports.credential },
        delivery: ports.newDelivery(),
      })
      return told(timer, due, 'started', ports, run === undefined ? {} : { run })
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      const { code: reason, retryAfter = 0 } = error
      const passes = mayPass(error)
      if (passes !== true) return told(timer, due, passes, ports, { reason })
      const wait = Math.max(pause, retryAfter * 1000)
      if (isStopped() || ports.now() + wait >= deadline) {
        return told(timer, due, 'given_up', ports, { reason })
      }
      await ports.sleep(Math.min(wait, LONGEST_SLEEP))
    }
  }
}

/**
 * Whether the relay's authority may start the workflow at all, as far as that can be told before the
 * first tick: an App is asked for its permissions, of a token nothing is known.
 */
export async function checkTimer(timer: Timer, ports: ClockPorts): Promise<void> {
  const { repository } = timer
  try {
    await ports.credential.token({ repository, event: 'workflow_dispatch' })
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    if (mayPass(error) !== 'refused') return
    told(timer, ports.now(), 'refused', ports, { reason: error.code })
  }
}

/** Ticks that one start of a worker is for, by its `scheduledTime`. */
export async function tickAt(
  timers: readonly Timer[],
  scheduledTime: number,
  ports: ClockPorts,
  isFirst: (tick: string) => Promise<boolean>,
): Promise<void> {
  const due = Math.floor(scheduledTime / MINUTE) * MINUTE
  const started = timers
    .filter((timer) => isDue(timer, due))
    .map(async (timer) => {
      // Cloudflare may start a worker twice for one time.
      const isNew = await isFirst(`${due} ${timer.text}`)
      if (!isNew) return told(timer, due, 'repeated', ports)
      return tick(timer, due, ports, () => false, LONGEST_START)
    })
  await Promise.all(started.map((one) => one.catch(ports.report)))
}

/** Milliseconds; Cloudflare ends a scheduled start of a worker after 15 minutes. */
const LONGEST_START = 14 * MINUTE

/** True for what another try may mend, and harms nothing; else what the tick came to. */
function mayPass(error: RelayError): true | TickOutcome {
  if (isAmbiguous(error)) return 'unclear'
  return error.status === 429 || error.status >= 500 ? true : 'refused'
}

function told(
  { repository: { owner, name }, workflow }: Timer,
  due: number,
  outcome: TickOutcome,
  ports: ClockPorts,
  more: Pick<ClockLine, 'reason' | 'run'> = {},
): TickOutcome {
  ports.counted(outcome)
  const isError = outcome === 'refused' || outcome === 'given_up'
  ports.log({
    ...{ clock: outcome, ...(isError && ({ level: 'error' } as const)) },
    ...{ repository: `${owner}/${name}`, workflow, due: new Date(due).toISOString(), ...more },
  })
  return outcome
}

/** Milliseconds since 1970; `undefined` where it never comes again. */
function nextAfter({ cron }: Timer, time: number): number | undefined {
  return cron.nextRun(new Date(time))?.getTime()
}

/** Whether a timer is due in the minute of a time. */
export function isDue({ cron }: Timer, time: number): boolean {
  const minute = Math.floor(time / MINUTE) * MINUTE
  const isNext = (from: number) => cron.nextRun(new Date(from - 1))?.getTime() === minute
  // What a change to summer time leaves out comes an hour later, and is found only from before it.
  return isNext(minute) || (cron.options.timezone !== 'UTC' && isNext(minute - HOUR))
}
