import type { Dispatch, DispatchPort } from '../dispatch.ts'
import type { Attempts, RelayError } from '../errors.ts'
import { backoff, isNotNow, type Outcome, outcomeOf } from './attempt.ts'
import type { OutboxEvent, SealedEvent } from './outbox.ts'
import type { SealEvent } from './sealed-event.ts'

/** Where events wait, here or elsewhere. */
export interface Lanes {
  waits(lane: string): boolean | Promise<boolean>
  /** @throws RelayError 503 when it cannot be taken */
  put(event: SealedEvent): Promise<void>
  settle(event: OutboxEvent, outcome: Outcome): Promise<void>
  accepted(lane: string): void
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
  const { ask, lanes, acceptTime, now } = ports
  return async (dispatch) => {
    const name = ports.laneOf(dispatch)
    const lane = typeof name === 'string' ? name : await name
    const waits = lanes.waits(lane)
    if (typeof waits === 'boolean' ? waits : await waits) {
      await keep(dispatch, lane, { tries: 0, next: now(), reason: 'queued' }, ports)
      return { ...NOT_ASKED, queued: true }
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
      lanes.accepted(lane)
      return called.attempts
    }
    if (!isNotNow(called.error) || isRedirect(called.error)) throw called.error
    const outcome = outcomeOf(called.error, dispatch.credential)
    const wait = ('wait' in outcome && outcome.wait) || backoff(1, ports.random())
    const reason = called.error.code
    await keep(dispatch, lane, { tries: 1, next: now() + wait, reason }, ports)
    return { ...(called.error.attempts ?? NOT_ASKED), queued: true }
  }
}

/** No answer in time: the event is kept, while the call goes on and may make that needless. */
async function keepWhileOpen(
  dispatch: Dispatch,
  lane: string,
  call: Promise<Attempts>,
  ports: AcceptPorts,
): Promise<Attempts> {
  const { lanes, acceptTime, callTime, now } = ports
  const latest = now() + Math.max(0, callTime - acceptTime)
  const later = { tries: 0, next: latest, reason: 'no_answer_yet' }
  const kept = await keep(dispatch, lane, later, ports).catch((error: unknown) => ({ error }))
  if ('error' in kept) {
    // There is still this call to tell how it ends.
    const attempts = await call.catch(() => {
      throw kept.error
    })
    lanes.accepted(lane)
    return attempts
  }
  const settled = call.then(
    () => lanes.settle(kept, ACCEPTED),
    (error: unknown) => lanes.settle(kept, outcomeOf(error, dispatch.credential)),
  )
  ports.background(settled.catch(ports.report))
  return { tries: 1, queued: true }
}

const ACCEPTED: Outcome = { kind: 'accepted' }

async function keep(
  dispatch: Dispatch,
  lane: string,
  later: Pick<OutboxEvent, 'tries' | 'next' | 'reason'>,
  { seal, lanes, now }: AcceptPorts,
): Promise<OutboxEvent> {
  const { sealed, key } = await seal(dispatch)
  const { delivery } = dispatch
  const event = { delivery, lane, at: now(), ...later, key, bytes: sealed.length, died: undefined }
  await lanes.put({ ...event, sealed })
  return event
}

/** What a setting, or another URL, would mend is for the sender to hear. */
function isRedirect({ attempts }: RelayError): boolean {
  return Math.floor((attempts?.platformStatus ?? 0) / 100) === 3
}
