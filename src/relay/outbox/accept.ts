import { type Attempts, RelayError } from '../errors.ts'
import { type Dispatch, type DispatchPort, refusesCredential } from '../github/dispatch.ts'
import { backoff, isNotNow, type Outcome, outcomeOf } from './attempt.ts'
import { isOwnLane, labelOf, repositoryOf } from './lane.ts'
import type { NewEvent, OutboxEvent, OutboxLine } from './outbox.ts'
import type { SealEvent } from './sealed-event.ts'

/** Where events wait, here or elsewhere. */
export interface Lanes {
  /** True while events of a lane wait in line: another one must then wait behind them. */
  waits(lane: string): boolean | Promise<boolean>
  /** @throws RelayError 503 when it cannot be taken */
  put(event: NewEvent): Promise<void>
  settle(event: Pick<OutboxEvent, 'lane' | 'delivery'>, outcome: Outcome): Promise<void>
  /** Remembers it, where it is not known to be remembered. */
  accepted(lane: string): void | Promise<void>
  /** Whether GitHub accepted the lane's credential lately. */
  wasAccepted(lane: string): boolean | Promise<boolean>
}

export interface AcceptPorts {
  /** Asks GitHub. */
  readonly ask: DispatchPort
  readonly lanes: Lanes
  readonly seal: SealEvent
  laneOf(event: Dispatch): string | Promise<string>
  /** Milliseconds that a sender waits for GitHub. */
  readonly acceptTime: number
  /** Milliseconds that a call may take. */
  readonly callTime: number
  now(): number
  random(): number
  /** Calls back after so many milliseconds; what it returns keeps it from doing so. */
  after(milliseconds: number, back: () => void): () => void
  /** Is given what goes on after the answer. */
  background(work: Promise<void>): void
  log(line: OutboxLine): void
  report(error: unknown): void
}

type Called =
  | { readonly attempts: Attempts; readonly error?: undefined }
  | { readonly attempts?: undefined; readonly error: unknown }

/** What GitHub was asked and told when the event was put: nothing. */
const NOT_ASKED: Attempts = { tries: 0 }

/**
 * Asks GitHub first, and keeps what GitHub cannot take now. While events of a lane wait, those that
 * follow wait behind them.
 */
export function throughOutbox(ports: AcceptPorts): DispatchPort {
  const { ask, lanes, acceptTime } = ports
  return async (dispatch) => {
    const name = ports.laneOf(dispatch)
    const lane = typeof name === 'string' ? name : await name
    const waits = lanes.waits(lane)
    const isWaiting = typeof waits === 'boolean' ? waits : await waits
    if (isWaiting && (await mayBeKept(dispatch, lane, ports))) {
      await keep(dispatch, lane, { tries: 0, wait: 0, reason: 'queued' }, ports)
      return { ...NOT_ASKED, queued: 'queued' }
    }
    const call = ask(dispatch)
    const called = await new Promise<Called | undefined>((resolve) => {
      const cancel = ports.after(acceptTime, () => resolve(undefined))
      const ended = (called: Called) => {
        cancel()
        resolve(called)
      }
      call.then(
        (attempts) => ended({ attempts }),
        (error: unknown) => ended({ error }),
      )
    })
    if (!called) return keepWhileOpen(dispatch, lane, call, ports)
    if (called.attempts) {
      noteAccepted(lane, ports)
      return called.attempts
    }
    return keepRefused(dispatch, lane, called.error, ports)
  }
}

/**
 * Whoever made a credential up must leave nothing on a disk. A grant is judged already; of all others
 * GitHub must have accepted something, and so it must of an authority before its refusal is only one
 * of the moment.
 */
export function mayBeKept(
  { credential }: Dispatch,
  lane: string,
  { lanes }: Pick<AcceptPorts, 'lanes'>,
): boolean | Promise<boolean> {
  return credential.kind === 'grant' || lanes.wasAccepted(lane)
}

function noteAccepted(lane: string, { lanes, background }: AcceptPorts): void {
  const noted = lanes.accepted(lane)
  if (noted) background(noted)
}

/** @throws what it is given, where that is for the sender to hear */
async function keepRefused(
  dispatch: Dispatch,
  lane: string,
  error: unknown,
  ports: AcceptPorts,
): Promise<Attempts> {
  const { lanes, now, random, log } = ports
  if (!(error instanceof RelayError)) throw error
  const isOfAuthority = refusesCredential(error) && isOwnLane(lane)
  if (isOfAuthority) {
    // The sender can mend nothing of it; but a first trial must be told.
    if (!(await lanes.wasAccepted(lane))) throw error
  } else if (!isNotNow(error) || !(await mayBeKept(dispatch, lane, ports))) throw error
  const { code: reason, attempts = NOT_ASKED } = error
  const outcome = outcomeOf(error)
  const wait = outcome.kind === 'limited' ? outcome.wait : backoff(1, random())
  await keep(dispatch, lane, { tries: 1, wait, reason }, ports)
  if (isOfAuthority) {
    const { delivery } = dispatch
    const time = new Date(now()).toISOString()
    const names = { delivery, repository: repositoryOf(lane) }
    log({ time, level: 'error', outbox: 'kept', ...names, reason })
  }
  return { ...attempts, queued: reason }
}

const NO_ANSWER = 'github_timeout'

/** No answer in time: the event is kept, while the call goes on and may make that needless. */
async function keepWhileOpen(
  dispatch: Dispatch,
  lane: string,
  call: Promise<Attempts>,
  ports: AcceptPorts,
): Promise<Attempts> {
  const { lanes, acceptTime, callTime } = ports
  const told = async (error?: unknown) => {
    // There is still this call to tell how it ends.
    const attempts = await call.catch((late: unknown) => {
      throw error ?? late
    })
    noteAccepted(lane, ports)
    return attempts
  }
  if (!(await mayBeKept(dispatch, lane, ports))) return told()
  const { delivery } = dispatch
  const later = { tries: 0, wait: Math.max(0, callTime - acceptTime), reason: NO_ANSWER }
  const failure = await keep(dispatch, lane, later, ports).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (failure) return told(failure.error)
  const settled = call.then(
    () => lanes.settle({ lane, delivery }, { kind: 'accepted' }),
    (error: unknown) => lanes.settle({ lane, delivery }, outcomeOf(error)),
  )
  ports.background(settled.catch(ports.report))
  return { tries: 1, queued: NO_ANSWER }
}

async function keep(
  dispatch: Dispatch,
  lane: string,
  later: Pick<OutboxEvent, 'tries' | 'wait' | 'reason'>,
  { seal, lanes }: AcceptPorts,
): Promise<void> {
  const { delivery, credential } = dispatch
  const { sealed, key } = await seal(dispatch)
  await lanes.put({ delivery, lane, credential: labelOf(credential, lane), ...later, key, sealed })
}
