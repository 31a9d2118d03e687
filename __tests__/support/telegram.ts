import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, breakOff, type Fault, send, textOf } from './telegram-answers.ts'
import { TelegramQueue } from './telegram-queue.ts'

/** Has the form of a real token: 35 characters after the colon. */
export const BOT_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4'

const BOT = { id: 110201543, is_bot: true, first_name: 'Bot', username: 'octo_bot' }

type Parameters = Readonly<Record<string, unknown>>

/** One received call. */
export interface BotCall {
  readonly method: string
  readonly parameters: Parameters
  /** Ids of the updates in the response. */
  readonly returned: readonly number[]
}

const WEBHOOK_ACTIVE =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
const OTHER_POLLER =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'

/**
 * A stand-in for the server of the Bot API, by its source: a call with an offset first forgets all
 * earlier updates; the list of allowed kinds remains until the next list, and affects only later
 * updates; a second poll ends a waiting one.
 *
 * Source: tdlib/telegram-bot-api, Client.cpp; Bot API 10.3.
 */
export class TelegramStandIn {
  readonly calls: BotCall[] = []
  /** Responses that replace the server's own, for the next calls. */
  readonly faults: Fault[] = []
  readonly queue: TelegramQueue
  webhook: { readonly url: string; readonly secret_token?: string } | undefined
  /** True while a call waits for an update. */
  polling = false
  /** Called after the call took effect, before its response. */
  onCall: (call: BotCall) => void | Promise<void> = () => {}
  readonly #tokens: readonly string[]
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #polls = 0

  constructor(tokens: readonly string[] = [BOT_TOKEN], firstId = 866_350_101) {
    this.#tokens = tokens
    this.queue = new TelegramQueue(firstId)
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo // a listening TCP server has one
    return `http://127.0.0.1:${port}`
  }

  /** Ids of the stored updates, oldest first. */
  get kept(): number[] {
    return this.queue.updates.map(({ update_id }) => update_id)
  }

  /** Adds an update, if its kind is allowed now. */
  push(kind: string, content: unknown): number | undefined {
    return this.queue.isAllowed(kind) ? this.queue.add(kind, content) : undefined
  }

  /** Adds an update from before the list of allowed kinds was changed. */
  enqueue(kind: string, content: unknown): number {
    return this.queue.add(kind, content)
  }

  /** Sends the oldest update to the webhook; it remains stored without a 2xx response. */
  async deliver(): Promise<number | undefined> {
    const [oldest] = this.queue.updates
    if (!oldest || !this.webhook) return undefined
    const { url, secret_token: secret } = this.webhook
    const proof = secret ? { 'X-Telegram-Bot-Api-Secret-Token': secret } : undefined
    const headers = { 'Content-Type': 'application/json', ...proof }
    const body = JSON.stringify(oldest)
    const { ok, status } = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
    if (ok) this.queue.forgetFirst()
    return status
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request)
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const [, token = '', method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(url.pathname) ?? []
    const parameters = { ...Object.fromEntries(url.searchParams), ...parameterObject(text) }
    const fault = this.faults.shift()
    const answer = fault ? undefined : await this.#answer(token, method, parameters)
    const returned = Array.isArray(answer?.result) ? answer.result.map((one) => one.update_id) : []
    const call = { method, parameters, returned }
    this.calls.push(call)
    await this.onCall(call)
    if (answer) send(response, answer)
    else if (fault) breakOff(response, fault)
  }

  async #answer(token: string, method: string, parameters: Parameters): Promise<Answer> {
    if (!/^\d+:./.test(token)) return refusal(404, 'Not Found')
    if (!this.#tokens.includes(token)) return refusal(401, 'Unauthorized')
    if (method === 'getMe') return { ok: true, result: BOT }
    if (method === 'getUpdates') return this.#getUpdates(parameters)
    if (method === 'setWebhook') return this.#setWebhook(parameters)
    if (method === 'deleteWebhook') return this.#setWebhook({ ...parameters, url: '' })
    if (method === 'getWebhookInfo') return { ok: true, result: this.#webhookInfo() }
    if (method === 'sendMessage' || method === 'editMessageText') return sent(parameters)
    return refusal(404, 'Not Found: method not found')
  }

  async #getUpdates(parameters: Parameters): Promise<Answer> {
    if (this.webhook) return refusal(409, WEBHOOK_ACTIVE)
    this.queue.wake()
    const poll = ++this.#polls
    this.#allow(parameters.allowed_updates)
    this.queue.forgetBefore(integer(parameters.offset, 0))
    const limit = clamp(integer(parameters.limit, 100), 1, 100)
    const seconds = clamp(integer(parameters.timeout, 0), 0, 50)
    if (this.queue.updates.length === 0 && seconds > 0) {
      this.polling = true
      await this.queue.wait(seconds * 1000)
      this.polling = false
    }
    if (poll !== this.#polls) return refusal(409, OTHER_POLLER)
    if (this.webhook) return refusal(409, 'Conflict: terminated by setWebhook request')
    return { ok: true, result: this.queue.updates.slice(0, limit) }
  }

  #allow(kinds: unknown): void {
    const list = typeof kinds === 'string' ? JSON.parse(kinds) : kinds
    if (Array.isArray(list)) this.queue.allowed = list
  }

  #setWebhook({ url, secret_token, allowed_updates }: Parameters): Answer {
    const secret = typeof secret_token === 'string' ? { secret_token } : undefined
    if (secret && !/^[\w-]*$/.test(secret.secret_token)) {
      return refusal(400, 'Bad Request: secret token contains unallowed characters')
    }
    this.#allow(allowed_updates)
    this.webhook = typeof url === 'string' && url !== '' ? { url, ...secret } : undefined
    this.queue.wake()
    const description = this.webhook ? 'Webhook was set' : 'Webhook was deleted'
    return { ok: true, result: true, description }
  }

  #webhookInfo() {
    const { allowed, updates } = this.queue
    const pending = { has_custom_certificate: false, pending_update_count: updates.length }
    const kinds = allowed.length > 0 ? { allowed_updates: allowed } : undefined
    return { url: this.webhook?.url ?? '', ...pending, ...kinds }
  }
}

function sent({ chat_id, message_id, text }: Parameters): Answer {
  if (chat_id === undefined) return refusal(400, 'Bad Request: chat_id is empty')
  if (typeof text !== 'string' || text === '')
    return refusal(400, 'Bad Request: message text is empty')
  return { ok: true, result: { message_id: Number(message_id ?? 4711), text } }
}

function refusal(error_code: number, description: string): Answer {
  return { ok: false, error_code, description }
}

function parameterObject(text: string): Parameters {
  return text === '' ? {} : (JSON.parse(text) as Parameters) // callers send JSON objects
}

function integer(value: unknown, otherwise: number): number {
  return Number.isInteger(Number(value ?? otherwise)) ? Number(value ?? otherwise) : otherwise
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
