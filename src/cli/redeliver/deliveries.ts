import { listOf } from '../../wire/github-api.ts'
import { type Json, parseJson } from '../../wire/json.ts'

/** One attempt of GitHub to deliver a webhook, in its list of deliveries. */
export interface DeliveryAttempt {
  /** Decimal digits; GitHub's ids may be longer than a number can hold. */
  readonly id: string
  /** The same for all attempts of a delivery; the receiver gets it as `X-GitHub-Delivery`. */
  readonly guid: string
  /** Name of the event: `push`. */
  readonly event: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Status of the receiver's response; 0 without a response. */
  readonly status: number
}

/** A delivery of which no attempt succeeded. */
export interface FailedDelivery {
  readonly guid: string
  readonly event: string
  /** Milliseconds since 1970. */
  readonly first: number
  readonly last: DeliveryAttempt
  readonly attempts: number
}

/** @throws SyntaxError if the text is not JSON */
export function readAttempts(text: string): DeliveryAttempt[] {
  return listOf(parseJson(text)).map(({ id, guid, event, delivered_at, status_code }) => ({
    id: digits(id as Json),
    guid: String(guid),
    event: String(event),
    at: Date.parse(String(delivered_at)) || 0,
    status: Number(status_code) || 0,
  }))
}

function digits(id: Json): string {
  return /^\d{1,20}$/.test(String(id)) ? String(id) : ''
}

/** The address of the next page, relative to the API; `undefined` on the last page. */
export function nextPage(path: string, link: string | undefined): string | undefined {
  const [, cursor] = /[?&]cursor=([^&>]+)[^>]*>;\s*rel="next"/.exec(link ?? '') ?? []
  return cursor === undefined ? undefined : `${path}?per_page=100&cursor=${cursor}`
}

/** All attempts that were read, and which deliveries still have no success. */
export class DeliveryHistory {
  readonly #attempts = new Map<string, DeliveryAttempt>()

  /** An attempt that is added twice counts once. */
  add(attempts: readonly DeliveryAttempt[]): void {
    for (const attempt of attempts) this.#attempts.set(attempt.id, attempt)
  }

  /** Forgets attempts before that time, in milliseconds since 1970. */
  forget(before: number): void {
    for (const { id, at } of this.#attempts.values()) if (at < before) this.#attempts.delete(id)
  }

  /**
   * The deliveries without a successful attempt, oldest first.
   *
   * @param since of the first attempt, in milliseconds since 1970
   */
  failed(since: number): FailedDelivery[] {
    const byGuid = new Map<string, DeliveryAttempt[]>()
    for (const attempt of this.#attempts.values()) {
      byGuid.set(attempt.guid, [...(byGuid.get(attempt.guid) ?? []), attempt])
    }
    return [...byGuid.values()]
      .filter((attempts) => !attempts.some(wasAccepted))
      .map(deliveryOf)
      .filter(({ first }) => first >= since)
      .toSorted((one, other) => one.first - other.first)
  }
}

function wasAccepted({ status }: DeliveryAttempt): boolean {
  return status >= 200 && status < 300
}

function deliveryOf(attempts: readonly DeliveryAttempt[]): FailedDelivery {
  const sorted = attempts.toSorted((one, other) => one.at - other.at)
  const [first, last] = [sorted[0], sorted.at(-1)] as [DeliveryAttempt, DeliveryAttempt]
  const { guid, event } = last
  return { guid, event, first: first.at, last, attempts: attempts.length }
}
