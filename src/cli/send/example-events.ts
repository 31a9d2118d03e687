import type { DeliveryValues, Make } from '../../triggers/sender.ts'
import { SENDER_FILES, senderNamed } from '../../triggers/senders.ts'

interface Example {
  /** `<sender>.<event>` */
  readonly name: string
  /** Signature scheme of the sender; absent if the sender does not sign. */
  readonly scheme?: string
  /** Its headers have lower-case names. A body that is a string is sent unchanged, an object as JSON. */
  request(delivery: DeliveryValues): Required<ReturnType<Make>>
}

/** An HTML form, which belongs to no sender. */
const contact: Make = () => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ name: 'Ada', message: 'Hello & welcome' }).toString(),
})

export const EXAMPLES: ReadonlyMap<string, Example> = new Map(
  Object.entries({ ...SENDER_FILES, form: { payloads: { contact } } }).flatMap(
    ([sender, { payloads }]) =>
      Object.entries(payloads).map(([event, make]) => {
        const name = `${sender}.${event}`
        return [name, exampleEvent(name, sender, make)]
      }),
  ),
)

export function exampleOf(sender: string): Example | undefined {
  const known = senderNamed(sender)?.name ?? sender
  return [...EXAMPLES.values()].find(({ name }) => name.startsWith(`${known}.`))
}

function exampleEvent(name: string, of: string, make: Make): Example {
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
