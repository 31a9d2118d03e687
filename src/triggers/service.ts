import { isObject, type Json, type JsonObject, parseJson, record } from '../wire/json.ts'
import type { WebhookRequest } from '../wire/request.ts'
import type { Item, Reception, TriggerPorts } from './trigger.ts'
import type { Verification } from './verify/options.ts'
import { verifyRequest } from './verify.ts'

/** The item of a request, or in words why it is none: `is no submission of a form`. */
export type ItemReader = (request: WebhookRequest) => Item | string

/** Receives what a service posts: verified before it is read. */
export async function receiveFromService(
  request: WebhookRequest,
  verify: readonly Verification[] | undefined,
  ports: TriggerPorts,
  read: ItemReader,
): Promise<Reception> {
  // Services ask with GET or HEAD whether someone listens: that is no event, and is not signed.
  if (request.method !== 'post') {
    return { checks: [{ option: 'method', held: false, found: 'is not post' }], items: [] }
  }
  const { held, checks, warnings } = await verifyRequest(request, verify, ports)
  if (!held) return { checks, items: [], warnings }
  const item = read(request)
  const isItem = typeof item !== 'string'
  const body = { option: 'body', held: isItem, found: isItem ? 'as the service sends it' : item }
  return { checks: [...checks, body], items: isItem ? [item] : [] }
}

/** Answers by the title of their question; when a title comes again, as `Name (2)`. */
export function answersByTitle(answers: Iterable<readonly [title: string, Json]>): JsonObject {
  const found = new Map<string, Json>()
  for (const [title, value] of answers) {
    let free = title
    for (let number = 2; found.has(free); number++) free = `${title} (${number})`
    found.set(free, value)
  }
  return record(found)
}

/** JSON that stands in a text; `undefined` where it does not. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** What of a list is an object; nothing, when it is no list. */
export function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.flatMap((entry) => (isObject(entry) ? [entry] : [])) : []
}
