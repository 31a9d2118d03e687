import type { RelayStore } from '../../src/relay/delivery/accept.ts'
import type { Relay } from '../../src/relay/relay.ts'

/** A relay with a store that stores no events: they go to GitHub directly. */
export function withStore(
  relay: Relay,
  { endpoints, admin }: Pick<RelayStore, 'endpoints' | 'admin'>,
): Relay {
  const store: RelayStore = {
    endpoints,
    admin,
    deliver: ([event]) => relay.send(event),
    record: () => {},
    clientGone: () => {},
    wasAccepted: async () => false,
    isNotification: async () => false,
    largeBodies: undefined,
  }
  return { ...relay, store }
}
