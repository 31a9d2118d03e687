import * as v from 'valibot'
import { isObject, type Json, type JsonObject, record } from '../wire/json.ts'
import type { WebhookRequest } from '../wire/request.ts'
import {
  defineTrigger,
  type Item,
  type Reception,
  type Trigger,
  type TriggerPorts,
} from './trigger.ts'
import { proofsOf, type Verification, verifyOption, verifyRequest } from './verify.ts'

/** The item of a request, or in words why it is none: `is not a submission of a form`. */
export type ItemReader = (request: WebhookRequest) => Item | string

/** A trigger of one service, which posts to its URL and signs by a scheme of its own. */
interface Service {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly description: string
  /** What `verify` asks for where it names no scheme. */
  readonly scheme: string
  readonly key: string
  readonly outputs: Readonly<Record<string, string>>
  readonly stringOutputs: readonly string[]
  readonly columns: readonly string[]
  readonly read: ItemReader
  /** A body that it may post. */
  readonly example: JsonObject
}

export function serviceTrigger({ scheme, read, example, ...described }: Service): Trigger {
  const body = JSON.stringify(example)
  return defineTrigger({
    ...described,
    options: v.strictObject({ verify: verifyOption(scheme) }),
    example: ({ verify }) =>
      verify ? undefined : { method: 'POST', path: '', contentType: 'application/json', body },
    receive: (request, { verify }, ports) => receiveFromService(request, verify, ports, read),
    proofs: ({ verify }) => proofsOf(verify),
  })
}

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
  const { held, checks, messages } = await verifyRequest(request, verify, ports)
  if (!held) return { checks, items: [], messages }
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

/** What of a list is an object; nothing, when it is no list. */
export function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.flatMap((entry) => (isObject(entry) ? [entry] : [])) : []
}
