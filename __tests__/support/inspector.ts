import type { Detail, Summary, Welcome } from '../../src/inspector/api.ts'
import { parseAnswer, type RawAnswer, sendBytes } from './raw-http.ts'

/** Keys of the inspectors that tests started, by port. */
const KEYS = new Map<string, string>()

/** Saves the key of an address that `dev` printed: `http://localhost:3000/inspector/?key=…`. */
export function rememberKey(address: string): void {
  const { port, searchParams } = new URL(address)
  KEYS.set(port, searchParams.get('key') ?? '')
}

/** The cookie of a browser that opened the printed address. */
export function cookieFor(url: string): string {
  const { port } = new URL(url)
  return `hookline-dev-${port}=${KEYS.get(port) ?? ''}`
}

/**
 * Sends a request to the inspector over a raw socket, which can send any Host, Origin and Cookie.
 */
export async function ask(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body = '' }: AskOptions = {},
): Promise<RawAnswer> {
  const given = {
    Host: new URL(url).host,
    Connection: 'close',
    Cookie: cookieFor(url),
    ...headers,
  }
  const framing = body ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}
  const lines = Object.entries({ ...given, ...framing }).map(([name, value]) => `${name}: ${value}`)
  const text = [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
  return parseAnswer(await sendBytes(url, Buffer.from(text)))
}

interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export async function run(url: string): Promise<Welcome & { run: string }> {
  return JSON.parse((await ask(url, '/inspector/run')).body)
}

/** @param number counts from 1 in the order of arrival */
export async function detail(url: string, number: number): Promise<Detail> {
  const { run: name } = await run(url)
  return JSON.parse((await ask(url, `/inspector/requests/${name}-${number}`)).body)
}

/** A client of the event stream, like a browser's EventSource. */
export class EventReader {
  readonly events: { readonly name: string; readonly data: string }[] = []
  readonly #abort = new AbortController()
  readonly ended: Promise<void>
  #arrived = () => {}

  constructor(url: string) {
    const headers = { cookie: cookieFor(url) }
    this.ended = this.#read(`${url}/inspector/events`, headers).catch(() => {})
  }

  /** Waits for this many requests. */
  async summaries(count: number): Promise<Summary[]> {
    for (;;) {
      const arrivals = this.events.filter(({ name }) => name === 'requests')
      const requests = arrivals.flatMap(({ data }) => JSON.parse(data).summaries)
      if (requests.length >= count) return requests
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
  }

  close(): Promise<void> {
    this.#abort.abort()
    return this.ended
  }

  async #read(url: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(url, { headers, signal: this.#abort.signal })
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
      this.#arrived()
    }
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
    if (field('event')) {
      this.events.push({ name: field('event'), data: field('data') })
    }
  }
}
