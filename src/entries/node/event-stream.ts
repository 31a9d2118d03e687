import type { ServerResponse } from 'node:http'

/** One event of a `text/event-stream`. */
export interface StreamedEvent {
  readonly id: string
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
export class EventStream {
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
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`
}
