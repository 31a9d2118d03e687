import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type InspectorParts,
  inspect,
  isInspectors,
  type Visit,
} from '../../dev/inspector/inspector.ts'
import type { Kept } from '../../dev/inspector/recorder.ts'
import { pathOf } from '../../relay/route.ts'
import { collect } from '../../wire/bytes.ts'
import { EventStream, type StreamedEvent } from '../node/event-stream.ts'

export interface InspectorServer {
  /** Answers the addresses of the inspector; false for all others. */
  route(request: IncomingMessage, response: ServerResponse): boolean
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
  const told = (kept: Kept) => streamed(kept, parts)
  const unlisten = parts.recorder.listen((kept) => stream.send(told(kept)))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await inspect(visitOf(request), parts)
    if ('reply' in answered) return write(response, answered.reply, request.method)
    const missed = parts.recorder.after(answered.eventsAfter).map(told)
    stream.open(response, answered.headers, [hello(parts), ...missed])
  }
  const fail = (response: ServerResponse, error: unknown) => {
    report(error)
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
  return {
    route(request, response) {
      if (!isInspectors(pathOf(request.url ?? ''))) return false
      answer(request, response).catch((error: unknown) => fail(response, error))
      return true
    },
    close() {
      unlisten()
      stream.close()
    },
  }
}

/** Begins every stream: a page of an earlier run learns that what it shows is gone. */
function hello({ recorder, run }: InspectorParts): StreamedEvent {
  const data = JSON.stringify({ run, oldest: recorder.oldest })
  return { id: `${run}-0`, name: 'hello', data }
}

function streamed({ summary }: Kept, { recorder, run }: InspectorParts): StreamedEvent {
  const data = JSON.stringify({ summary, oldest: recorder.oldest })
  return { id: `${run}-${summary.id}`, name: 'request', data }
}

function visitOf(request: IncomingMessage): Visit {
  return {
    address: request.socket.remoteAddress,
    method: request.method ?? 'GET',
    path: pathOf(request.url ?? '/'),
    headers: request.headers,
    body: async () => new TextDecoder().decode(await collect(request, ORDER_BYTES)),
  }
}

function write(
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: object; body: string | Uint8Array },
  method: string | undefined,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(method === 'HEAD' ? '' : body)
}
