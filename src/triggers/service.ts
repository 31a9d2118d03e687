import * as v from 'valibot'
import { type Json, type JsonObject, record } from '../wire/json.ts'
import type { WebhookRequest } from '../wire/webhook-request.ts'
import type { Payloads } from './sender.ts'
import {
  defineTrigger,
  type ExampleRequest,
  type Item,
  type Reception,
  type Trigger,
  type TriggerPorts,
} from './trigger.ts'
import { requiredSignatures, type Verification, verifyOption, verifyRequest } from './verify.ts'

/**
 * Returns the item of a request, or the reason that there is none: `is not a submission of a form`.
 */
export type ItemReader = (request: WebhookRequest) => Item | string

/** A trigger of one service that sends requests with its own signature scheme. */
interface Service {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly description: string
  /** The default scheme of `verify`. */
  readonly scheme: string
  readonly key: string
  readonly outputs: Readonly<Record<string, string>>
  readonly stringOutputs: readonly string[]
  readonly columns: readonly string[]
  readonly read: ItemReader
  /** The example requests of its sender; the first one is the example of the trigger. */
  readonly payloads: Payloads
}

export function serviceTrigger({ scheme, read, payloads, ...described }: Service): Trigger {
  return defineTrigger({
    ...described,
    options: v.strictObject({ verify: verifyOption(scheme) }),
    example: ({ verify }) => (verify ? undefined : firstExample(payloads)),
    receive: (request, { verify }, ports) => receiveFromService(request, verify, ports, read),
    signatures: ({ verify }) => requiredSignatures(verify),
  })
}

const EXAMPLE_DELIVERY = {
  id: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  now: new Date('2026-11-21T00:54:06Z'),
}

/** The first example request of a sender whose bodies are JSON. */
export function firstExample(payloads: Payloads): ExampleRequest | undefined {
  const [request] = Object.values(payloads).map((make) => make(EXAMPLE_DELIVERY))
  const contentType = request?.headers?.['content-type'] ?? 'application/json'
  return request && { method: 'POST', path: '', contentType, body: JSON.stringify(request.body) }
}

/** Verifies a service's request before it is parsed. */
export async function receiveFromService(
  request: WebhookRequest,
  verify: readonly Verification[] | undefined,
  ports: TriggerPorts,
  read: ItemReader,
): Promise<Reception> {
  // Services test a URL by GET or HEAD; such a request is no event, and is not signed.
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

/** Answers by the title of their question; a repeated title becomes `Name (2)`. */
export function answersByTitle(answers: Iterable<readonly [title: string, Json]>): JsonObject {
  const found = new Map<string, Json>()
  for (const [title, value] of answers) {
    let free = title
    for (let number = 2; found.has(free); number++) free = `${title} (${number})`
    found.set(free, value)
  }
  return record(found)
}
