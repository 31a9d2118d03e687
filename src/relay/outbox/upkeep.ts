import { allEvents, type LaneUsage, type Outbox, type OutboxEvent } from './outbox.ts'

const DAY = 24 * 3_600_000
/** Dead letters stay for so long. */
const DEAD_AGE = 30 * DAY
/** For so long a batch that GitHub has can be sent again. */
const SENT_AGE = DAY

/** Forgets what is kept for no longer; events of a batch go with it. @returns what it was */
export async function forgetOld(outbox: Outbox, now: number): Promise<OutboxEvent[]> {
  const old: OutboxEvent[] = []
  for await (const event of allEvents(outbox, { states: ['dead', 'sent'] })) {
    const age = event.state === 'dead' ? DEAD_AGE : SENT_AGE
    if (event.batch === undefined && event.since < now - age) old.push(event)
  }
  for (const { delivery } of old) await outbox.apply([{ forget: delivery }])
  return old
}

/** Makes dead letters of events whose grant was revoked while they waited. @returns them */
export async function endRevoked(
  outbox: Outbox,
  revoked: ReadonlySet<string>,
  now: number,
): Promise<OutboxEvent[]> {
  const ended: OutboxEvent[] = []
  for (const id of revoked) {
    const query = { states: ['waiting', 'member'], credential: `grant:${id}` } as const
    for await (const event of allEvents(outbox, query)) {
      // A batch bears the name of its first event's; others may be in it.
      if (event.count === 0) ended.push(event)
    }
  }
  for (const event of ended) {
    const dead = { state: 'dead', since: now, reason: 'revoked', batch: undefined } as const
    await outbox.apply([{ set: { ...event, ...dead } }])
  }
  return ended
}

/** What is kept, and how many of it died, or were handed over in batches; `last` is the last place. */
export async function countKept(outbox: Outbox): Promise<{
  readonly usage: readonly LaneUsage[]
  readonly dead: number
  readonly sent: number
  readonly last: number
}> {
  const usage = await outbox.usage()
  let [dead, sent, last] = [0, 0, 0]
  for (const { state, events, last: place } of usage) {
    last = Math.max(last, place)
    if (state === 'dead') dead += events
    if (state === 'sent') sent += events
  }
  // Of a batch that died, the members are members still.
  if (usage.some(({ state }) => state === 'member')) {
    for await (const { count } of allEvents(outbox, { states: ['dead'] })) dead += count
  }
  return { usage, dead, sent, last }
}
