import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { EXAMPLES } from '../../src/cli/send/example-events.ts'
import { SIGNATURE_NAMES, signed } from '../../src/cli/send/signatures.ts'
import { HEADER } from '../../src/wire/payload.ts'
import { Secret } from '../../src/wire/secret.ts'
import { dispatchEvent } from '../support/action.ts'
import { textMessage } from '../support/messages.ts'
import { BOT_TOKEN, type TelegramStandIn } from '../support/telegram.ts'
import type { Event } from './runner.ts'

const EXAMPLE_ENV = parseEnv(readFileSync(new URL('../../examples/.env', import.meta.url), 'utf8'))

/** The first key pair of RFC 8032: the receiver's public key, and the sender's private key. */
export const ED25519 = [
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
] as const

/** A value for each secret that a page names, as if the reader had stored it. */
export function secretsOf(text: string): Record<string, string> {
  const [DISCORD_PUBLIC_KEY] = ED25519
  const stored = {
    ...EXAMPLE_ENV,
    DISCORD_PUBLIC_KEY,
    // In base64, as Teams shows it.
    TEAMS_SECURITY_TOKEN: btoa('the security token of an outgoing webhook'),
    BOT_TOKEN,
    BOT_SECRET: 'correct-horse_battery-staple',
  }
  const names = [...text.matchAll(/\bsecrets\.(\w+)/g)].map(([, name = '']) => name)
  const other = (name: string) =>
    name.endsWith('_URL')
      ? 'https://relay.example.com/o/r/w/webhook?__token=t0ken'
      : `${name.endsWith('_LOGIN') ? 'user:' : ''}value-of-${name}`
  return Object.fromEntries(
    names.map((name) => [name, new Map(Object.entries(stored)).get(name) ?? other(name)]),
  )
}

/** Differences from the default request. */
export interface Sent {
  /** The part of the URL after the trigger. */
  readonly rest?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Header with the HMAC-SHA256 of the body in hexadecimal, and its prefix. */
  readonly signs?: readonly [header: string, prefix: string]
  /** Fields of the message to the bot, in addition to those of a private chat. */
  readonly message?: object
  /** The schedule that starts it; default: every five minutes. */
  readonly schedule?: string
  /** An update of the bot that is not a message. */
  readonly update?: readonly [kind: string, content: object]
}

interface Declared {
  readonly method?: string | readonly string[]
  readonly path?: string
  readonly webhook?: boolean
  readonly updates?: unknown
  readonly verify?: Verify | readonly Verify[]
}

interface Verify {
  readonly scheme?: string
  readonly secret?: string | readonly string[]
  readonly header?: string
  readonly field?: string
  readonly query?: string
  readonly url?: string
}

const BODY = { id: 1, action: 'opened', title: 'Hello', name: 'Ada', issue: { title: 'It breaks' } }

/** A form response in the format of docs/senders/google-form.md's script. */
const RESPONSE = {
  event_id: 'r1',
  event_type: 'form_response',
  form_response: {
    form_id: 'f',
    email: 'ada@example.com',
    definition: { fields: [] },
    answers: [],
  },
}

const SERVICES: Readonly<Record<string, { scheme: string; fixture?: string; body?: object }>> = {
  slack: { scheme: 'slack', fixture: 'slack.command' },
  discord: { scheme: 'discord', fixture: 'discord.command' },
  trello: { scheme: 'trello', fixture: 'trello.update_card' },
  typeform: { scheme: 'typeform', fixture: 'typeform.form_response' },
  google_form: { scheme: 'standard-webhooks', body: RESPONSE },
}

/** The event that fires such a trigger, signed if the trigger requires it. */
export async function eventFor(
  address: { readonly workflow: string; readonly trigger: string },
  options: Declared | null,
  secrets: Readonly<Record<string, string>>,
  { sent, telegram }: { sent: Sent; telegram: TelegramStandIn },
): Promise<Event> {
  const { workflow, trigger } = address
  if (trigger === 'messaging_bot' && !options?.webhook) {
    // A polled bot on the same page is another bot than one with a webhook.
    telegram.webhook = undefined
    telegram.queue.allowed = []
    telegram.enqueue(...(sent.update ?? (['message', messageOf(sent)] as const)))
    return { event: 'schedule', payload: { schedule: sent.schedule ?? '*/5 * * * *' } }
  }
  const request =
    trigger === 'messaging_bot'
      ? botCall(sent, secrets)
      : await signedRequest(trigger, options ?? {}, secrets, sent)
  const rest = sent.rest ?? restOf(options?.path ?? '')
  const headers = { ...request.headers, [HEADER.receivedAt]: new Date().toISOString() }
  return dispatchEvent({ path: `${workflow}/${trigger}${rest}`, ...request, headers })
}

function messageOf({ message }: Sent): object {
  return { ...textMessage('Hello'), ...message }
}

interface Request {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const JSON_TYPE = { 'content-type': 'application/json' }

function botCall(sent: Sent, secrets: Readonly<Record<string, string>>): Request {
  const [kind, content] = sent.update ?? ['message', messageOf(sent)]
  const headers = { ...JSON_TYPE, 'x-telegram-bot-api-secret-token': secrets.BOT_SECRET ?? '' }
  return { method: 'POST', headers, body: JSON.stringify({ update_id: 7, [kind]: content }) }
}

async function signedRequest(
  trigger: string,
  { method, verify }: Declared,
  secrets: Readonly<Record<string, string>>,
  sent: Sent,
): Promise<Request> {
  const [first] = [verify ?? []].flat() as Verify[] // one value or a list
  const service = SERVICES[trigger]
  const scheme = first?.scheme ?? (first && service?.scheme)
  const plain = plainRequest(service ?? {}, scheme, sent)
  const request = {
    ...plain,
    method: (sent.method ?? [method ?? 'post'].flat()[0] ?? '').toUpperCase(),
  }
  if (!scheme) return request
  const secret = filledSecret(first?.secret, secrets)
  if (first?.field) return withField(request, first.field, secret)
  if (sent.signs) {
    const [header, prefix] = sent.signs
    const signature = createHmac('sha256', secret).update(request.body).digest('hex')
    return withHeader(request, header, prefix + signature)
  }
  // A token in the query is a part of the path, which the scenario gives.
  if (scheme === 'token' && first?.query) return request
  if (scheme === 'token') return withHeader(request, first?.header ?? '', secret)
  if (scheme === 'basic') return withHeader(request, 'authorization', `Basic ${btoa(secret)}`)
  if (!SIGNATURE_NAMES.includes(scheme)) return request
  const moment = {
    timestamp: Math.floor(Date.now() / 1000),
    id: 'msg_1',
  }
  const url = new URL(filledSecret(first?.url, secrets) || 'https://relay.example.com/')
  const bytes = { ...request, body: new TextEncoder().encode(request.body) }
  const key = secret === ED25519[0] ? ED25519[1] : secret
  const made = signed({ request: bytes, url }, scheme, new Secret(key), moment).request
  return { ...request, headers: made.headers, body: new TextDecoder().decode(made.body) }
}

function plainRequest(
  service: { readonly fixture?: string; readonly body?: object },
  scheme: string | undefined,
  sent: Sent,
): Request {
  const byScheme = [...EXAMPLES.values()].find((one) => scheme && one.scheme === scheme)
  const name = service.fixture ?? byScheme?.name
  const made = EXAMPLES.get(name ?? '')?.request({ id: crypto.randomUUID(), now: new Date() })
  const body = sent.body ?? service.body ?? made?.body ?? BODY
  const headers = { ...JSON_TYPE, ...made?.headers, ...sent.headers }
  return { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

/** In JSON if the request says so, else in a form, as the outgoing webhooks of old are. */
function withField(request: Request, name: string, value: string): Request {
  if (request.headers['content-type'] === 'application/json') {
    return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), [name]: value }) }
  }
  const form = new URLSearchParams(request.body)
  form.set(name, value)
  return { ...request, body: form.toString() }
}

function withHeader(request: Request, name: string, value: string): Request {
  return { ...request, headers: { ...request.headers, [name]: value } }
}

function filledSecret(
  text: string | readonly string[] = '',
  secrets: Readonly<Record<string, string>>,
): string {
  const [first = ''] = [text].flat()
  return first.replace(/\$\{\{ *secrets\.(\w+) *\}\}/g, (_, name: string) => secrets[name] ?? '')
}

/** A path that matches a pattern. */
function restOf(pattern: string): string {
  return pattern.replace(/\{[^}]*\}/g, '').replace(/[:*](\w+)/g, '$1')
}
