import { deliveryMark } from '../state/store.ts'
import type { Check, Polled, Reception } from '../triggers/trigger.ts'
import { PayloadError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { type Message, warning } from '../wire/messages.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type ClientPayload, readClientPayload } from '../wire/payload.ts'
import { counted } from '../wire/printable.ts'
import { readWebhookRequest, type WebhookRequest } from '../wire/request.ts'
import { type Delivery, digest, type Found } from './keys.ts'

/** What a trigger found, whichever way it came. */
export interface TriggerResult {
  readonly checks: readonly Check[]
  readonly messages: readonly Message[]
  readonly found: readonly Found[]
  /** Of a batch: how many events it brought, and how many of them became items. */
  readonly events?: { readonly came: number; readonly held: number }
  /** For what was polled: what acknowledges everything before a place. */
  readonly cursorBefore?: (index: number) => Json | undefined
}

type Receive = (request: WebhookRequest) => Reception | Promise<Reception>

/**
 * What a trigger finds in one event. A request is the same as another one by what was asked for,
 * whatever its headers say.
 *
 * @param asks whether the store is asked, which knows the deliveries that were seen
 * @throws PayloadError when the event cannot be read
 */
export async function receiveEvent(
  payload: ClientPayload,
  receive: Receive,
  asks: boolean,
): Promise<TriggerResult> {
  const request = await readWebhookRequest(payload)
  const { checks, items, messages = [] } = await receive(request)
  const { method, path, query, body, fault, delivery: id, receivedAt } = request
  const identity = { method, path, query, body }
  const only = items.length === 1
  const mark = asks ? await deliveryMark(id, receivedAt, digest) : undefined
  const delivery: Delivery | undefined = id === undefined ? undefined : { id, mark }
  const found = items.map((item) => ({
    ...{ item, identity: only ? identity : [identity, item] },
    ...(delivery && { delivery }),
  }))
  const told = fault === undefined ? messages : [...messages, warning('unreadable-body', fault)]
  return { checks, messages: told, found }
}

/**
 * What a trigger finds in the events of a batch, each by itself: one that proves nothing, or cannot be
 * read, keeps out no other.
 *
 * @param addressed path of the batch: workflow and trigger of every event
 */
export async function receiveBatch(
  events: readonly Json[],
  addressed: string,
  receive: Receive,
  asks: boolean,
): Promise<TriggerResult> {
  const results: TriggerResult[] = []
  for (const event of events) {
    results.push(await receiveMember(event, addressed, receive, asks))
  }
  const came = events.length
  const missed = results.flatMap(({ checks }) => checks.find(({ held }) => !held) ?? [])
  const held = results.filter(({ checks }) => checks.every((check) => check.held)).length
  const checks = tally(missed, ({ option, found }) => `${option} ${found}`)
  const messages = tally(
    results.flatMap((result) => result.messages),
    ({ text }) => text,
  )
  return {
    checks: checks.map(([check, count]) => ({ ...check, found: share(check.found, count, came) })),
    messages: messages.map(([one, count]) => ({ ...one, text: share(one.text, count, came) })),
    found: results.flatMap(({ found }) => found),
    events: { came, held },
  }
}

async function receiveMember(
  event: Json,
  addressed: string,
  receive: Receive,
  asks: boolean,
): Promise<TriggerResult> {
  try {
    const payload = readClientPayload(event)
    const [own, batch] = [parseWebhookPath(payload.path), parseWebhookPath(addressed)]
    if (own.workflow !== batch.workflow || own.trigger !== batch.trigger) {
      throw new PayloadError('addresses another workflow or trigger than its batch')
    }
    return await receiveEvent(payload, receive, asks)
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error
    return {
      checks: [{ option: 'event', held: false, found: error.message }],
      messages: [],
      found: [],
    }
  }
}

/** Each kind once, in the order in which they came, and how often it did. */
function tally<One>(all: readonly One[], kindOf: (one: One) => string): [One, number][] {
  const kinds = new Map<string, [One, number]>()
  for (const one of all) {
    const [first, count] = kinds.get(kindOf(one)) ?? [one, 0]
    kinds.set(kindOf(one), [first, count + 1])
  }
  return [...kinds.values()]
}

function share(text: string, count: number, came: number): string {
  return `${text} (${count} of ${counted(came, 'event')})`
}

export function fromPoll(polled: Polled): TriggerResult {
  const { checks, items, messages = [] } = polled
  const found = items.map((item) => ({ item, identity: item }))
  return { checks, messages, found, cursorBefore: (index) => polled.cursorBefore(index) }
}
