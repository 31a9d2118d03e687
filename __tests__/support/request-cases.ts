import { join } from 'node:path'
import * as v from 'valibot'
import { parse, parseDocument } from 'yaml'
import { onSection, secretsOf, triggerOf } from '../../src/cli/init/sender-workflow.ts'
import type { Sender } from '../../src/triggers/sender.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { caseFiles } from './case-files.ts'

const text = v.record(v.string(), v.string())

/** A request of `__tests__/action/cases/`, as it is on the wire, and what becomes of it. */
const schema = v.strictObject({
  /** The `on:` section, or the sender for which `init` writes it. */
  on: v.optional(v.string()),
  sender: v.optional(v.string()),
  secrets: v.optional(text, {}),
  method: v.optional(v.string(), 'POST'),
  query: v.optional(v.string(), ''),
  headers: text,
  body: v.optional(v.string(), ''),
  /** In place of `body`, for bytes that are not UTF-8. */
  base64: v.optional(v.string()),
  /** Values by path below the outputs of the trigger; absent if nothing fires. */
  outputs: v.optional(v.record(v.string(), v.unknown())),
  /** Parts of the log of the step. */
  log: v.optional(v.array(v.string()), []),
  exitCode: v.optional(v.number(), 0),
})

export type RequestCase = v.InferOutput<typeof schema> & { readonly path: string }

export const REQUEST_CASES: readonly RequestCase[] = caseFiles(
  join(import.meta.dirname, '../action/cases'),
).map((file) => ({ path: file.path, ...v.parse(schema, parse(file.text)) }))

const LOGIN = 'robot:a-password-of-32-letters-and-digits'
const TOKEN = 'a-token-of-32-letters-and-digits-ok'

/** By the scheme of a sender that signs nothing, its secret, and the header that contains the secret. */
export const CREDENTIALS: Readonly<
  Record<string, readonly [secret: string, header: string, value: string]>
> = {
  basic: [LOGIN, 'Authorization', `Basic ${Buffer.from(LOGIN).toString('base64')}`],
  bearer: [TOKEN, 'Authorization', `Bearer ${TOKEN}`],
  token: [TOKEN, 'X-Kuma-Token', TOKEN],
}

export function known(name: string): Sender {
  const sender = senderNamed(name)
  if (!sender) throw new Error(`${name} is unknown`)
  return sender
}

/** The inputs of the step. @param config further keys of the trigger's `config` */
export function inputsOf({ on, sender: name, secrets }: RequestCase, config: object = {}) {
  if (name === undefined) return { on: on ?? '', secrets: JSON.stringify(secrets) }
  const sender = known(name)
  const [secret = ''] = CREDENTIALS[sender.scheme ?? ''] ?? []
  const section = parseDocument(onSection(sender))
  for (const [option, value] of Object.entries(config)) {
    section.setIn([triggerOf(sender), 'config', option], value)
  }
  const all = Object.fromEntries(secretsOf(sender).map((each) => [each, secret]))
  return { on: section.toString(), secrets: JSON.stringify(all) }
}

/** The headers with the credential of the sender, or with another one. */
export function headersOf({ sender, headers }: RequestCase, isRight = true): [string, string][] {
  const sent = Object.entries(headers)
  if (sender === undefined) return sent
  const [, name = '', value = ''] = CREDENTIALS[known(sender).scheme ?? ''] ?? []
  return [...sent, [name, isRight ? value : `${value.slice(0, -1)}_`]]
}
