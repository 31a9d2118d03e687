import { deliveryMark } from '../state/store.ts'
import type { Check, Polled, Reception } from '../triggers/trigger.ts'
import { PayloadError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type FetchedPayload, HEADER, readClientPayload } from '../wire/payload.ts'
import { counted } from '../wire/printable.ts'
import { readWebhookRequest, type WebhookRequest } from '../wire/webhook-request.ts'
import { digest, type Found, type ItemDelivery } from './deduplication-keys.ts'

/** The items of a trigger, from a webhook, a batch or a poll. */
export interface TriggerResult {
  readonly checks: readonly Check[]
  readonly messages: readonly Message[]
  /** Why bodies are not what their content types say. */
  readonly faults: readonly Message[]
  readonly found: readonly Found[]
  /** For a batch: the number of its events, and of those that met every condition. */
  readonly events?: { readonly came: number; readonly held: number }
  /** For a poll: the cursor that acknowledges every item before an index. */
  readonly cursorBefore?: (index: number) => Json | undefined
}

type Receive = (request: WebhookRequest) => Reception | Promise<Reception>

/**
 * Reads one event with a trigger. Two requests are duplicates if method, path, query and body are
 * equal; headers do not count, because they differ between retries.
 *
 * @param asks whether the store is read; it knows the deliveries of earlier runs
 * @throws PayloadError if the event cannot be read
 */
export async function receiveEvent(
  payload: FetchedPayload,
  receive: Receive,
  asks: boolean,
): Promise<TriggerResult> {
  const request = await readWebhookRequest(payload)
  const { checks, items, messages = [] } = await receive(request)
  const { method, path, query, body, faults, digits, delivery: id, receivedAt } = request
  const identity = { method, path, query, body }
  const only = items.length === 1
  const mark = asks ? await deliveryMark(id, receivedAt, digest) : undefined
  const isReplay = request.headers[HEADER.replayOf] !== undefined
  const delivery: ItemDelivery | undefined =
    id === undefined ? undefined : { id, mark, ...(isReplay && { isReplay }) }
  const found = items.map((item) => ({
    item,
    identity: only ? identity : [identity, item],
    ...(delivery && { delivery }),
    ...(digits.size > 0 && { digits }),
  }))
  return { checks, messages, faults, found }
}

/**
 * Reads the events of a batch, each by itself: an event without a valid signature, or one that
 * cannot be read, does not affect the others.
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
  const shared = (messages: readonly Message[]): Message[] =>
    tally(messages, ({ text }) => text).map(([one, count]) => ({
      ...one,
      text: shareOfEvents(one.text, count, came),
    }))
  return {
    checks: checks.map(([check, count]) => ({
      ...check,
      found: shareOfEvents(check.found, count, came),
    })),
    messages: shared(results.flatMap((result) => result.messages)),
    faults: shared(results.flatMap((result) => result.faults)),
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
      faults: [],
      found: [],
    }
  }
}

/** Each kind once, in order of its first occurrence, with its count. */
function tally<One>(all: readonly One[], kindOf: (one: One) => string): [One, number][] {
  const kinds = new Map<string, [One, number]>()
  for (const one of all) {
    const [first, count] = kinds.get(kindOf(one)) ?? [one, 0]
    kinds.set(kindOf(one), [first, count + 1])
  }
  return [...kinds.values()]
}

function shareOfEvents(text: string, count: number, came: number): string {
  return `${text} (${count} of ${counted(came, 'event')})`
}

export function fromPoll(polled: Polled): TriggerResult {
  const { checks, items, messages = [] } = polled
  const found = items.map((item) => ({ item, identity: item }))
  return {
    checks,
    messages,
    faults: [],
    found,
    cursorBefore: (index) => polled.cursorBefore(index),
  }
}
