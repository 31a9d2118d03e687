import type { Outbox, OutboxEvent, SealedEvent } from '../../src/relay/outbox/outbox.ts'

/** An outbox that lives as long as the process. */
export function memoryOutbox(): Outbox {
  let events: readonly SealedEvent[] = []
  const waits = ({ died }: SealedEvent) => died === undefined

  /** Changes one event, where it stands or, with `last`, behind all others. */
  const change = (
    delivery: string,
    is: (event: SealedEvent) => boolean,
    to: Changed,
    last = false,
  ) => {
    const found = events.find((event) => event.delivery === delivery && is(event))
    if (!found) return undefined
    const changed = { ...found, ...to }
    const others = events.filter((event) => event !== found)
    events = last
      ? [...others, changed]
      : events.map((event) => (event === found ? changed : event))
    return shown(changed)
  }
  const remove = (is: (event: SealedEvent) => boolean) => {
    const removed = events.filter(is)
    events = events.filter((event) => !is(event))
    return removed.map(shown)
  }

  return {
    put: async (event) => {
      events = [...events, event]
    },
    due: async (lane, keys) =>
      events.find((event) => event.lane === lane && waits(event) && keys.includes(event.key)),
    done: async (delivery) => remove((event) => event.delivery === delivery && waits(event))[0],
    defer: async (delivery, later) => change(delivery, waits, later),
    bury: async (delivery, reason, now) => change(delivery, waits, { reason, died: now }),
    list: async () => events.map(shown),
    find: async (delivery) => events.find((event) => event.delivery === delivery),
    replay: async (delivery, now) => {
      const again = { at: now, next: now, tries: 0, reason: 'replayed', died: undefined }
      return change(delivery, (event) => !waits(event), again, true)
    },
    drop: async (which) => {
      if ('delivery' in which) return remove((event) => event.delivery === which.delivery)
      const dead = events.filter((event) => !waits(event))
      const newestFirst = dead.toSorted((a, b) => (b.died ?? 0) - (a.died ?? 0))
      const kept = new Set(newestFirst.slice(0, which.beyond))
      return remove((event) => {
        return !waits(event) && ((event.died ?? 0) < which.diedBefore || !kept.has(event))
      })
    },
  }
}

type Changed = Partial<Omit<OutboxEvent, 'delivery' | 'lane'>>

function shown({ sealed: _, ...event }: SealedEvent): OutboxEvent {
  return event
}
