import { UserError } from '../../wire/errors.ts'
import { type Http, HttpFailure, type HttpReply, type HttpRequest } from '../../wire/http.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { WebhookRequest } from '../../wire/request.ts'

/** How `text` is written: as it is, in a little Markdown, in Telegram's HTML, or in the chat's own. */
export const FORMATS = ['plain', 'markdown', 'html', 'raw'] as const

export type Format = (typeof FORMATS)[number]

export const VISIBILITIES = ['channel', 'sender'] as const

/** A button under a message: what it says, and the value that its press brings or where it leads. */
export interface Button {
  readonly label: string
  readonly value: string
  readonly isLink: boolean
}

export interface Attachment {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What the inputs say of an answer, whatever the chat. */
export interface Answer {
  readonly text: string
  readonly format: Format
  /** Id of an earlier answer, which is changed instead; empty for none. */
  readonly edit: string
  /** In rows; none at all is an empty list. */
  readonly buttons: readonly (readonly Button[])[]
  readonly file: Attachment | undefined
  /** `undefined`: as the chat has it. */
  readonly visibility: (typeof VISIBILITIES)[number] | undefined
  readonly silent: boolean
  /** Whether those whom the text names are notified. */
  readonly mentions: boolean
}

/** One message of an answer; buttons and file go with its last one. */
export interface Part {
  readonly text: string
  readonly edit: string
  readonly buttons: Answer['buttons']
  readonly file: Attachment | undefined
}

/** Where an item came from, ready to be answered. */
export interface Chat {
  /** As it is called in messages. */
  readonly name: string
  /** The longest text of one message, as `length` counts it. */
  readonly longest: number
  /** The most messages that one answer may be. */
  readonly mostParts: number
  /** Whether it takes files here. */
  readonly takesFiles: boolean
  /** How long a part of the text is in this chat's own form. */
  length(text: string): number
  /**
   * Says one part.
   *
   * @returns its id, empty where there is none
   * @throws NotDelivered when it is not taken
   */
  say(part: Part): Promise<string>
}

/** What the answers take of the outside world. */
export interface ReplyPorts {
  readonly http: Http
  readonly sleep: (duration: number) => Promise<void>
  /** How a secret is hidden from the log. */
  mask(secret: string): void
  /** Says what did not work, where the step goes on. */
  warn(message: string): void
  /** A file of the job, by its path. @throws when there is none */
  readFile(path: string): Uint8Array
  /** The requests that this run's own event brought: one, or those of a batch. */
  readonly requests: () => Promise<readonly WebhookRequest[]>
}

/** An answer to one item: the item, the inputs by name, and the answer that they describe. */
export interface Occasion {
  readonly item: JsonObject
  readonly input: (name: string) => string
  readonly answer: Answer
  readonly ports: ReplyPorts
}

/** A chat that did not take the answer, though nothing is wrong with the step itself. */
export class NotDelivered extends UserError {}

/** An item that has no way back. */
export function unanswerable(what: string): UserError {
  return new UserError({
    message: `${what} cannot be answered`,
    notes: [
      'messaging_bot: a message, or a button that was pressed, is answered in its chat',
      'slack: a command or an interaction by its response_url, an event by the token of a bot',
      'discord: a command, a button or a modal, within 15 minutes',
    ],
  })
}

const PATIENCE = 20_000

/** For all pauses of one call together. */
const LONGEST_WAIT = 60_000

/**
 * Calls a chat once; only where it asks to wait, again. A call that may have arrived is not repeated.
 *
 * @param name of the chat, for messages
 * @throws NotDelivered without a whole answer, or when it asks to wait for more than a minute
 */
export async function callChat(
  name: string,
  request: Omit<HttpRequest, 'timeout'>,
  { http, sleep }: Pick<ReplyPorts, 'http' | 'sleep'>,
): Promise<HttpReply> {
  for (let waited = 0; ; ) {
    const reply = await http({ ...request, timeout: PATIENCE }).catch((cause: unknown) => {
      if (!(cause instanceof HttpFailure)) throw cause
      throw new NotDelivered({ message: `${name}: ${cause.message}` }, { cause })
    })
    if (reply.status !== 429) return reply
    const pause = retryAfter(reply)
    waited += pause
    if (waited > LONGEST_WAIT) {
      const seconds = Math.ceil(pause / 1000)
      throw new NotDelivered({
        message: `${name} asks to wait ${seconds} s (429 Too Many Requests)`,
        notes: ['up to a minute is waited'],
      })
    }
    await sleep(pause)
  }
}

/** Milliseconds, at least one second where the answer names no time. */
function retryAfter({ headers }: HttpReply): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds * 1000) : 1_000
}

/** The base address that an input names, without a slash at its end. */
export function baseAddress(input: Occasion['input'], name: string, otherwise: string): string {
  return (input(name).trim() || otherwise).replace(/\/+$/, '')
}

/** A form with files as a body: what fetch would send. */
export async function multipartBody(
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, Attachment>>,
): Promise<Pick<HttpRequest, 'headers' | 'body'>> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, file] of Object.entries(files)) {
    form.append(name, new Blob([new Uint8Array(file.bytes)]), file.name)
  }
  const { headers, body } = await serialized(new Response(form))
  return { headers, body }
}

async function serialized(response: Response) {
  const body = new Uint8Array(await response.arrayBuffer())
  return { headers: { 'content-type': response.headers.get('content-type') ?? '' }, body }
}
