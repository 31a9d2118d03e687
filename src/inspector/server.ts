import type { IncomingMessage, ServerResponse } from 'node:http'
import { collect } from '../wire/bytes.ts'
import { type InspectorParts, inspect, isInspectors, type Visit } from './inspector.ts'
import type { Kept } from './recorder.ts'

export interface InspectorServer {
  /** Answers the addresses of the inspector; false for all others. */
  route(request: IncomingMessage, response: ServerResponse): boolean
  /** Tells every page that a workflow file was changed. */
  workflowsChanged(): void
  /** Ends the streams of events: a server would wait for them when it stops. */
  close(): void
}

/** Of an order to send a request again: a body of the largest kind, escaped as JSON. */
const ORDER_BYTES = 2 * 1024 * 1024

/** The inspector behind node:http. */
export function inspectorServer(
  parts: InspectorParts,
  report: (error: unknown) => void,
): InspectorServer {
  const stream = new EventStream()
  const { recorder } = parts
  const told = ({ summary }: Kept): StreamedEvent => {
    const data = JSON.stringify({ summary, oldest: recorder.oldest })
    return { id: summary.id, name: 'request', data }
  }
  const unlisten = recorder.listen((kept) => stream.send(told(kept)))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await inspect(visitOf(request), parts)
    if ('reply' in answered) return write(response, answered.reply, request.method)
    const missed = recorder.after(answered.eventsAfter).map(told)
    // A page of an earlier run learns that what it shows is gone.
    const { run, oldest } = recorder
    const hello = { id: `${run}-0`, name: 'hello', data: JSON.stringify({ run, oldest }) }
    stream.open(response, answered.headers, [hello, ...missed])
  }
  const fail = (response: ServerResponse, error: unknown) => {
    report(error)
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
  return {
    route(request, response) {
      if (!isInspectors(splitTarget(request).path)) return false
      answer(request, response).catch((error: unknown) => fail(response, error))
      return true
    },
    workflowsChanged: () => stream.send({ name: 'workflows', data: '{}' }),
    close() {
      unlisten()
      stream.close()
    },
  }
}

function visitOf(request: IncomingMessage): Visit {
  return {
    address: request.socket.remoteAddress,
    method: request.method ?? 'GET',
    ...splitTarget(request),
    headers: request.headers,
    body: async () => new TextDecoder().decode(await collect(request, ORDER_BYTES)),
  }
}

function splitTarget({ url = '/' }: IncomingMessage): Pick<Visit, 'path' | 'query'> {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

function write(
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: object; body: string | Uint8Array },
  method: string | undefined,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(method === 'HEAD' ? '' : body)
}

/** One event of a `text/event-stream`. */
interface StreamedEvent {
  /** What a browser says when it comes back; left out, it stays what it was. */
  readonly id?: string
  readonly name: string
  /** One line. */
  readonly data: string
}

/** Readers at a time; a browser opens at most six connections to one host. */
const MOST_READERS = 32
/** Bytes that wait for a reader who does not read; it may come back and say what it missed. */
const MOST_WAITING = 4 * 1024 * 1024
/** Milliseconds until a browser that lost the connection tries again. */
const RETRY = 1000
const HEARTBEAT = 15_000

/** Responses that stay open, to each of which every event is written. */
class EventStream {
  readonly #readers = new Set<ServerResponse>()
  readonly #heartbeat = setInterval(() => this.#write(': still here\n\n'), HEARTBEAT).unref()

  /** Takes a response whose head is not written yet, and writes what the reader has missed. */
  open(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    missed: readonly StreamedEvent[],
  ): void {
    if (this.#readers.size >= MOST_READERS) {
      response.writeHead(503, headers).end()
      return
    }
    response.writeHead(200, headers)
    response.write(`retry: ${RETRY}\n\n${missed.map(eventText).join('')}`)
    this.#readers.add(response)
    response.on('close', () => this.#readers.delete(response))
  }

  send(event: StreamedEvent): void {
    this.#write(eventText(event))
  }

  close(): void {
    clearInterval(this.#heartbeat)
    for (const reader of this.#readers) reader.end()
  }

  #write(text: string): void {
    for (const reader of this.#readers) {
      if (reader.writableLength > MOST_WAITING) reader.destroy()
      else reader.write(text)
    }
  }
}

function eventText({ id, name, data }: StreamedEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`
}
