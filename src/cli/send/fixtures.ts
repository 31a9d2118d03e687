import { senderNamed } from '../../triggers/verify/senders.ts'
import { type Delivery, type Make, PAYLOADS } from './payloads.ts'
import { PAYLOADS_OF_COMMON_SENDERS } from './payloads-of-common-senders.ts'
import { PAYLOADS_OF_TRADE } from './payloads-of-trade.ts'

/** A request as a well-known service sends it. */
interface Fixture {
  /** `<sender>.<event>` */
  readonly name: string
  /** How the sender signs, as the option `scheme` says; absent where it does not. */
  readonly scheme?: string
  request(delivery: Delivery): FixtureRequest
}

interface FixtureRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Text as it stands; an object is sent as JSON. */
  readonly body: string | object
}

/** Requests as common senders send them, by name. */
export const FIXTURES: ReadonlyMap<string, Fixture> = new Map(
  Object.entries({ ...PAYLOADS_OF_COMMON_SENDERS, ...PAYLOADS, ...PAYLOADS_OF_TRADE }).map(
    ([name, make]) => [name, fixture(name, make)],
  ),
)

/** The first fixture of a sender. */
export function fixtureOf(sender: string): Fixture | undefined {
  return [...FIXTURES.values()].find(({ name }) => name.startsWith(`${sender}.`))
}

function fixture(name: string, make: Make): Fixture {
  const sender = senderNamed(name.slice(0, name.indexOf('.')))
  return {
    name,
    ...(sender && { scheme: sender.scheme ?? sender.name }),
    request(delivery) {
      const { headers, body } = make(delivery)
      return { headers: { 'content-type': 'application/json', ...headers }, body }
    },
  }
}
