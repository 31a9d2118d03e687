import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { parse } from 'yaml'
import { http as realHttp } from '../../src/action/http-client.ts'
import { eventRequests } from '../../src/action/reply/event-requests.ts'
import { reply } from '../../src/action/reply.ts'
import type { Http } from '../../src/wire/http.ts'
import { isObject, type Json } from '../../src/wire/json.ts'

/** One received request. JSON and forms are parsed; files of a form are `name: content`. */
export interface ChatCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
}

export interface ChatAnswer {
  readonly status?: number
  readonly body?: Json | string
  readonly headers?: Readonly<Record<string, string>>
}

/** A stand-in for the API of a chat: it records every request, and responds as a test says. */
export class ChatStandIn {
  readonly calls: ChatCall[] = []
  /** Responses that replace the usual ones, for the next requests. */
  readonly faults: ChatAnswer[] = []
  readonly #answer: (call: ChatCall) => ChatAnswer
  readonly #server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = await readBody(await buffer(request), headers['content-type'] ?? '')
    const call = { method, path: url, headers, body }
    this.calls.push(call)
    const {
      status = 200,
      body: said = '',
      headers: more = {},
    } = this.faults.shift() ?? this.#answer(call)
    const isText = typeof said === 'string'
    response
      .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...more })
      .end(isText ? said : JSON.stringify(said))
  })

  constructor(answer: (call: ChatCall, standIn: ChatStandIn) => ChatAnswer) {
    this.#answer = (call) => answer(call, this)
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

  /** The paths of the requests, in order, without queries. */
  get paths(): string[] {
    return this.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)
  }

  /** The body of one request, an object. */
  body(at: number): Record<string, unknown> {
    const body = this.calls.at(at)?.body
    return isObject(body) ? body : {}
  }
}

async function readBody(bytes: Buffer, type: string): Promise<Json> {
  if (/^application\/json/.test(type)) return JSON.parse(bytes.toString() || 'null') as Json
  if (!/form-data|urlencoded/.test(type)) return bytes.toString()
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': type },
  }).formData()
  const entries = [...form].map(async ([name, value]) => {
    return [name, typeof value === 'string' ? value : `${value.name}: ${await value.text()}`]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/**
 * Slack by its documentation: hooks respond `ok`, the Web API `{"ok":true}` and the fields of its
 * method.
 */
export function slackStandIn(): ChatStandIn {
  return new ChatStandIn(({ path, body }, { url }) => {
    if (/^\/(?:commands|actions|app|services)\//.test(path)) return { body: 'ok' }
    if (path === '/upload') return { body: 'OK - 5' }
    const method = path.replace(/^\/api\/|\?.*$/g, '')
    const channel = isObject(body) ? body.channel : undefined
    const given: Record<string, object> = {
      'chat.postMessage': { channel, ts: '1763712001.000100', message: {} },
      'chat.update': { channel, ts: isObject(body) ? body.ts : '' },
      'chat.postEphemeral': { message_ts: '1763712001.000100' },
      'files.getUploadURLExternal': { upload_url: `${url}/upload`, file_id: 'F1' },
      'files.completeUploadExternal': { files: [{ id: 'F1' }] },
    }
    const found = given[method]
    return { body: found ? { ok: true, ...found } : { ok: false, error: 'unknown_method' } }
  })
}

/** Discord's webhook of an interaction: the first message replaces "thinking…". */
export function discordStandIn({ flags = 1 << 7 } = {}): ChatStandIn {
  return new ChatStandIn(({ method, path }) => {
    if (!/^\/(?:(?:api\/)?v10\/)?webhooks\/\d+\/[\w.-]+/.test(path))
      return { status: 404, body: {} }
    if (method === 'GET') return { body: { id: '900', flags } }
    if (method === 'DELETE') return { status: 204 }
    const [, id = '1001'] = /\/messages\/(\d+)/.exec(path) ?? []
    return { body: { id, content: '' } }
  })
}

const MANIFEST = parse(readFileSync(new URL('../../reply/action.yml', import.meta.url), 'utf8'))

/** The result of a reply step. */
export interface Replied {
  readonly id: string
  readonly masked: readonly string[]
  readonly warnings: readonly string[]
  readonly slept: readonly number[]
  readonly notices?: readonly string[]
}

/** Replies as the step does, with the defaults of all inputs that are not given. */
export async function replyWith(
  given: Readonly<Record<string, string>>,
  {
    event,
    files = {},
    http = realHttp,
  }: { event?: Json; files?: Readonly<Record<string, string>>; http?: Http } = {},
): Promise<Replied> {
  const [masked, warnings, slept]: [string[], string[], number[]] = [[], [], []]
  const notices: string[] = []
  const input = (name: string) => {
    if (!(name in MANIFEST.inputs)) throw new Error(`action.yml has no input ${name}`)
    return String(given[name] ?? MANIFEST.inputs[name].default ?? '')
  }
  const id = await reply(input, {
    http,
    sleep: async (duration) => void slept.push(duration),
    mask: (secret) => void masked.push(secret),
    warn: (message) => void warnings.push(message),
    notice: (message) => void notices.push(message),
    readFile: (path) => {
      if (files[path] === undefined) throw new Error('ENOENT')
      return new TextEncoder().encode(files[path])
    },
    requests: () =>
      eventRequests(() => ({
        name: 'repository_dispatch',
        payload: event ?? { action: 'webhook' },
      })),
  })
  return { id, masked, warnings, slept, ...(notices.length > 0 && { notices }) }
}

/** The `on` context of an item that fired. */
export function fired(trigger: string, outputs: unknown): string {
  return JSON.stringify({
    webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} },
    [trigger]: { outcome: 'success', conclusion: 'success', outputs },
  })
}

/** The event of a run that a service started by a request to its trigger. */
export function dispatched(trigger: string, body: string, contentType = 'application/json'): Json {
  const headers = { 'content-type': contentType }
  const payload = { path: `hook/${trigger}`, method: 'POST', headers, body }
  return { action: 'webhook', client_payload: payload }
}
