import type {
  LaneUsage,
  Outbox,
  OutboxChange,
  OutboxEvent,
  OutboxQuery,
  SealedEvent,
} from './outbox.ts'

/** An outbox that lives as long as the process. */
export function memoryOutbox(): Outbox {
  const events = new Map<string, SealedEvent>()
  const accepted = new Map<string, number>()
  const inOrder = () => [...events.values()].toSorted((a, b) => a.seq - b.seq)
  const change = (step: OutboxChange) => {
    if ('put' in step) events.set(step.put.delivery, step.put)
    else if ('set' in step) {
      const known = events.get(step.set.delivery)
      const { sealed = known?.sealed ?? '' } = step
      if (known) events.set(step.set.delivery, { ...step.set, sealed })
    } else if ('forget' in step) {
      const isBatch = (events.get(step.forget)?.count ?? 0) > 0
      events.delete(step.forget)
      for (const { delivery, batch } of isBatch ? events.values() : []) {
        if (batch === step.forget) events.delete(delivery)
      }
    } else if ('members' in step) {
      for (const event of events.values()) {
        if (event.batch !== step.members) continue
        events.set(event.delivery, { ...event, state: step.state, since: step.at })
      }
    } else accepted.set(step.accepted, Math.max(step.at, accepted.get(step.accepted) ?? 0))
  }
  return {
    apply: async (changes) => {
      for (const step of changes) change(step)
    },
    find: async (delivery) => events.get(delivery),
    list: async (query) =>
      inOrder()
        .filter((event) => isAskedFor(event, query))
        .slice(0, query.limit)
        .map(withoutSealed),
    members: async (batch) => inOrder().filter((event) => event.batch === batch),
    usage: async () => usageOf([...events.values()]),
    accepted: async (name) => accepted.get(name),
  }
}

function isAskedFor(event: OutboxEvent, query: OutboxQuery): boolean {
  const { states, after, lane, reason, credential, batch } = query
  return (
    states.includes(event.state) &&
    (after === undefined || event.seq > after) &&
    (lane === undefined || event.lane === lane || event.lane.startsWith(`${lane}#`)) &&
    (reason === undefined || event.reason === reason) &&
    (credential === undefined || event.credential === credential) &&
    (batch === undefined || event.batch === batch)
  )
}

function usageOf(events: readonly OutboxEvent[]): LaneUsage[] {
  const all = new Map<string, LaneUsage>()
  for (const { lane, state, seq, bytes, count } of events) {
    const key = `${state} ${lane}`
    const known = all.get(key) ?? { lane, state, events: 0, bytes: 0, last: 0 }
    all.set(key, {
      ...known,
      events: known.events + (count === 0 ? 1 : 0),
      bytes: known.bytes + bytes,
      last: Math.max(known.last, seq),
    })
  }
  return [...all.values()]
}

function withoutSealed({ sealed: _, ...event }: SealedEvent): OutboxEvent {
  return event
}
