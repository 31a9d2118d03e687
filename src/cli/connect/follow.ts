import type { ChangeLine } from '../../relay/delivery/log-lines.ts'
import type { LogEntry } from '../../relay/webhook/request-log.ts'
import { MISMATCH, TOKEN_MISMATCH } from '../../triggers/verify/scheme.ts'
import { UserError } from '../../wire/errors.ts'
import { listOf } from '../../wire/github-api.ts'
import { HttpFailure } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { awaitRun, endOfRun, followRun, runAt } from '../follow-runs.ts'
import type { AskGitHub } from '../github-client.ts'
import type { RelayClient } from '../relay-client.ts'

/** A report of `connect`, as `--json` prints it. Values that are not known are `null`. */
export interface ConnectEvent {
  readonly event: 'ready' | 'request' | 'run' | 'end' | 'tunnel' | 'bye'
  /** The webhook URL with its credential: of `ready`, and of `tunnel` if the URL changed. */
  readonly url: string | null
  readonly delivery: string | null
  /** Status of the response to the sender. */
  readonly status: number | null
  /** Address of the run. */
  readonly run: string | null
  /** The outcome of the event: `success`, `nothing_fired`, `failure`, `skipped`, … */
  readonly outcome: string | null
  /** Why the request was refused or started no run, why the run is unknown, or what the run did. */
  readonly reason: string | null
}

export function connectEvent(
  event: ConnectEvent['event'],
  known: Partial<ConnectEvent>,
): ConnectEvent {
  const nothing = { url: null, delivery: null, status: null, run: null, outcome: null }
  return { event, ...nothing, reason: null, ...known }
}

/** The first words of the reason of a request whose event starts no run. */
export const NO_RUN = 'no run'

interface FollowPorts {
  readonly repository: string
  /** File name of the workflow without its extension: runs of other workflows are not followed. */
  readonly workflow: string
  readonly ask: AskGitHub
  /** False for a forge whose API does not list runs as GitHub's does. */
  readonly isFollowed: boolean
  /** Stores the sender's secret again; `undefined` if the workflow reads none. */
  readonly secretCommand: string | undefined
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

/** Reports the requests that the relay logs, and follows each event to the end of its run. */
export class LogFollower {
  readonly #ports: FollowPorts
  readonly #report: (event: ConnectEvent) => void
  /** The ids of queued events and batches whose result is not logged yet. */
  readonly #queued = new Set<string>()

  constructor(ports: FollowPorts, report: (event: ConnectEvent) => void) {
    this.#ports = ports
    this.#report = report
  }

  /** Reads a line of the relay's log; resolves when there is no more to report about it. */
  async read(line: string): Promise<void> {
    const entry = loggedRequest(line)
    if (entry) return this.#followRequest(entry)
    const result = loggedResult(line)
    if (result) return this.#followResult(result)
  }

  /** Reports a request, and then the run that it starts until the run ends, or why there is no run. */
  async #followRequest(entry: LogEntry): Promise<void> {
    const { delivery, status, run = null } = entry
    const noRun = noRunReason(entry)
    const queued = queuedReason(entry)
    if (queued !== null) this.#queued.add(delivery)
    const reason = noRun ?? queued
    this.#report(connectEvent('request', { delivery, status, run, reason }))
    // A queued event is followed when the relay logs its result.
    if (reason === null) await followDelivery(delivery, run, this.#ports, this.#report)
  }

  async #followResult({ delivery, dead }: DeliveryResult): Promise<void> {
    const isReported = this.#queued.delete(delivery)
    if (!isReported) this.#report(connectEvent('request', { delivery, reason: FROM_DATABASE }))
    if (dead === undefined) await followDelivery(delivery, null, this.#ports, this.#report)
    else this.#report(connectEvent('run', { delivery, reason: deadReason(dead) }))
  }
}

/** Reports the run of an event that GitHub accepted, until the run ends. @param page of the run, if known */
async function followDelivery(
  delivery: string,
  page: string | null,
  ports: FollowPorts,
  report: (event: ConnectEvent) => void,
): Promise<void> {
  if (!ports.isFollowed) {
    report(connectEvent('run', { delivery, run: page, reason: NOT_FOLLOWED }))
    return
  }
  try {
    const { repository, workflow, ask } = ports
    const event = { delivery, workflow }
    const run = await (page === null ? awaitRun(event, ports) : runAt(page, ports))
    report(connectEvent('run', { delivery, run: run.url }))
    const ended = await followRun(run, ports, () => {})
    const { outcome, ...end } = await endOfRun(ended, { repository, ask: askLeniently(ask) })
    const reason = withCure(end.reason, ports)
    report(connectEvent('end', { delivery, run: run.url, outcome, reason }))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const reason = error.problems
      .map(({ message, hint }) => [message, hint].filter(Boolean).join(': '))
      .join('; ')
    report(connectEvent('run', { delivery, run: page, reason }))
  }
}

/** If the secret of the repository is wrong, the reason names the command that stores it again. */
function withCure(reason: string | null, { secretCommand }: FollowPorts): string | null {
  const isMismatch = [MISMATCH, TOKEN_MISMATCH].some((text) => reason?.includes(text))
  if (reason === null || !isMismatch || secretCommand === undefined) return reason
  return `${reason}. Store the secret of this URL, and send a new event: ${secretCommand}`
}

/** Why a request starts no run: its error code, or a sentence. `null` if GitHub or the relay has the event. */
function noRunReason(entry: LogEntry): string | null {
  const { status, code, filtered, githubStatus, queued, reason } = entry
  if (status >= 300 || code !== undefined) {
    return [code ?? `the relay responded with ${status}`, reason].filter(Boolean).join(': ')
  }
  if (filtered) {
    return `${NO_RUN}: the event does not match the filter${reason ? `: ${reason}` : ''}`
  }
  if (githubStatus === undefined && queued === undefined) {
    return `${NO_RUN}: the relay answered a handshake of the sender`
  }
  return null
}

/** Why GitHub does not have the event yet; `null` if it has. */
function queuedReason({ queued }: LogEntry): string | null {
  if (queued === undefined) return null
  if (queued === 'batch') return 'collected for a batch, which starts one run when it ends'
  const rest = 'also after a restart of connect'
  return queued === 'queued'
    ? `queued behind earlier events: the relay sends the event after them, ${rest}`
    : `queued (${queued}): the relay sends the event again, ${rest}`
}

const FROM_DATABASE = 'from the database of the relay, which stored the event before'

/** @param reason such as `event_rejected` */
function deadReason(reason: string): string {
  const text = `the relay gave up (${reason})`
  return reason === 'maybe_accepted'
    ? `${text}. GitHub may have accepted the event. Look for its run on the page Actions of the repository.`
    : `${NO_RUN}: ${text}. Send the event again from the sender.`
}

/** Milliseconds. */
const REASON_TRIES = { budget: 20_000, retryTime: 5000, pause: { first: 500, longest: 2000 } }

/** Asks GitHub for up to 20 seconds. If the network fails, this is a refusal, so that only the reason is missing. */
function askLeniently(ask: AskGitHub): AskGitHub {
  return async (path) => {
    try {
      return await ask(path, { patience: REASON_TRIES })
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      const answer = { status: 0, text: '', header: () => undefined }
      return { answer, refusal: { kind: 'unreachable', cause: error } }
    }
  }
}

const NOT_FOLLOWED = 'open its page to see how it ends: connect follows runs of GitHub only'

/**
 * A logged request that concerns the webhook: one that names a repository, or was refused. 404 and 405
 * answer requests to other addresses.
 */
function loggedRequest(line: string): LogEntry | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || typeof value.status !== 'number') return undefined
  const isAddressed = 'owner' in value
  const isRefused = value.status >= 400 && ![404, 405].includes(value.status)
  // The relay of this process wrote the line, so that its fields have these types.
  return isAddressed || isRefused ? (value as unknown as LogEntry) : undefined
}

/** How a waiting event ended: GitHub has it, or the relay gave up. */
interface DeliveryResult {
  /** Id of the delivery, or of its batch. */
  readonly delivery: string
  /** Why the event is a dead letter; `undefined` for a delivered event. */
  readonly dead: string | undefined
}

function loggedResult(line: string): DeliveryResult | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || !('change' in value)) return undefined
  // The relay of this process wrote the line.
  const { change, delivery, reason = 'unknown reason' } = value as unknown as ChangeLine
  if (delivery === undefined) return undefined
  if (change === 'dead') return { delivery, dead: reason }
  return change === 'delivered' || change === 'found' ? { delivery, dead: undefined } : undefined
}

interface FirstRunOptions {
  readonly client: RelayClient
  /** Public name of the endpoint, with its owner. */
  readonly name: string
  readonly ports: FollowPorts
  readonly signal: AbortSignal
  readonly report: (event: ConnectEvent) => void
}

/** Milliseconds between two looks. */
const PAUSE = 2000

/**
 * Follows the first event that GitHub accepts until its run ends, or the relay gives up.
 *
 * @returns whether the run succeeded; `undefined` after an abort
 */
export async function followFirstRun(options: FirstRunOptions): Promise<boolean | undefined> {
  const { client, name, ports, signal, report } = options
  const since = ports.now()
  const reported = new Set<string>()
  while (!signal.aborted) {
    for (const { id, state, reason, run } of await deliveriesSince(client, name, since)) {
      const delivery = String(id)
      if (reported.has(`${delivery} ${state}`)) continue
      reported.add(`${delivery} ${state}`)
      const isAccepted = state === 'delivered'
      report(
        connectEvent('request', { delivery, reason: isAccepted ? null : `${state} (${reason})` }),
      )
      if (state === 'dead') return false
      if (isAccepted) return followToEnd(delivery, typeof run === 'string' ? run : null, options)
    }
    await ports.sleep(PAUSE)
  }
  return undefined
}

async function deliveriesSince(client: RelayClient, name: string, since: Date) {
  const [owner = '', endpoint = ''] = name.split('/')
  const query = { endpoint, since: since.toISOString() }
  const path = `/deliveries/${owner}`
  const { deliveries } = await client.ask({ method: 'GET', path, query })
  return listOf(deliveries).toReversed()
}

async function followToEnd(
  delivery: string,
  run: string | null,
  { ports, report }: FirstRunOptions,
): Promise<boolean> {
  // Runs of other forges are not followed.
  let isSuccess = !ports.isFollowed
  await followDelivery(delivery, run, ports, (event) => {
    if (event.event === 'end') isSuccess = event.outcome === 'success'
    report(event)
  })
  return isSuccess
}
