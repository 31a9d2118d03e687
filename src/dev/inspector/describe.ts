import type { DevEvent } from '../../inspector/local-engine.ts'
import type { LogEntry } from '../../relay/log.ts'
import type { ClientPayload } from '../../wire/payload.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import type { Withheld } from './recorder.ts'
import { shownRequest } from './shown-request.ts'
import type { Origin, Unlisted } from './wire.ts'

/** How an event came, and when. */
export interface Came {
  readonly time: Date
  readonly origin: Origin
}

/** An event and its request, as the inspector keeps them. */
export async function describeRequest(
  event: DevEvent,
  payload: ClientPayload,
  came: Came,
): Promise<{ readonly unlisted: Unlisted; readonly withheld: Withheld }> {
  const { request, withheld } = await shownRequest(payload)
  return { unlisted: { ...describeEvent(event, came), request }, withheld }
}

/** An event that no request brought. */
export function describeEvent(event: DevEvent, at: Came): Unlisted {
  const { delivery, method, path, workflow, trigger, milliseconds } = event
  const { decisions, items, found, fields, warnings, count, problems, reason = null } = event
  const named = { delivery, method, path, workflow, trigger, milliseconds }
  const came = { time: at.time.toISOString(), origin: at.origin }
  const outcome = count > 0 ? 'fired' : problems.length > 0 ? 'mistaken' : 'skipped'
  const result = { decisions, items, found, fields, warnings, count, outcome, reason } as const
  const rendered = problems.map((problem) => renderProblem(problem))
  return { ...named, ...came, ...result, problems: rendered, request: null }
}

/** Why the relay takes no request of a status. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, 'the URL, a __response_… parameter or the request itself is malformed'],
  [401, 'the key is missing or unknown'],
  [404, 'the address is /webhook/<workflow>/<trigger>'],
  [405, 'a webhook takes GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS'],
  [413, 'the body is too large for an event of GitHub'],
  [500, 'a fault of Hookline itself: the terminal says more'],
])

/** A request that the relay did not take; its address and content were not looked at. */
export function describeRefusal(entry: LogEntry): Unlisted {
  const { time, delivery, method, status, workflow = '', trigger = '', ms } = entry
  const why = REFUSALS.get(status)
  const reason = `answered ${status}${why ? `: ${why}` : ''}`
  const nothing = { decisions: [], problems: [], warnings: [], found: [], items: [], fields: [] }
  const named = { time, delivery, method, workflow, trigger, milliseconds: ms, path: '' }
  const result = { origin: 'request', outcome: 'refused', count: 0, reason, request: null } as const
  return { ...named, ...result, ...nothing }
}
