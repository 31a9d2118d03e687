import { PAYLOADS } from '../../triggers/lists/payloads.ts'
import type { Delivery, Make } from '../../triggers/sender.ts'
import { senderNamed } from '../../triggers/senders.ts'

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

/** What no sender of its own sends. */
const contact: Make = () => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ name: 'Ada', message: 'Hello & welcome' }).toString(),
})

/** Requests as common senders send them, by name. */
export const FIXTURES: ReadonlyMap<string, Fixture> = new Map(
  Object.entries({ ...PAYLOADS, form: { contact } }).flatMap(([sender, payloads]) =>
    Object.entries(payloads).map(([event, make]) => {
      const name = `${sender}.${event}`
      return [name, fixture(name, sender, make)]
    }),
  ),
)

/** The first fixture of a sender. */
export function fixtureOf(sender: string): Fixture | undefined {
  return [...FIXTURES.values()].find(({ name }) => name.startsWith(`${sender}.`))
}

function fixture(name: string, of: string, make: Make): Fixture {
  const sender = senderNamed(of)
  return {
    name,
    ...(sender && { scheme: sender.scheme ?? sender.name }),
    request(delivery) {
      const { headers, body } = make(delivery)
      return { headers: { 'content-type': 'application/json', ...headers }, body }
    },
  }
}
