import type { Detail, Order, SentResponse, ShownRequest, Summary, Welcome } from '../api.ts'

interface Listeners {
  connection(state: 'live' | 'lost' | 'closed'): void
  /** The first event of every stream. Requests before `oldest` are no longer stored. */
  hello(run: string, oldest: number): void
  request(summary: Summary, oldest: number): void
  /** The real jobs of an event said something. */
  log(delivery: string): void
  /** A workflow file was changed. */
  workflows(): void
}

/** Follows the events. The browser reconnects by itself and says what it saw last. */
export function follow(listeners: Listeners): void {
  const source = new EventSource('/inspector/events')
  source.addEventListener('open', () => listeners.connection('live'))
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) return listeners.connection('lost')
    // A browser does not try again after a response without events, such as one about a missing key.
    isRefused().then((isClosed) => listeners.connection(isClosed ? 'closed' : 'lost'))
    setTimeout(() => follow(listeners), 2000)
  })
  source.addEventListener('hello', ({ data }) => {
    const { run, oldest } = JSON.parse(data)
    listeners.hello(run, oldest)
  })
  source.addEventListener('request', ({ data }) => {
    const { summary, oldest } = JSON.parse(data)
    listeners.request(summary, oldest)
  })
  source.addEventListener('log', ({ data }) => listeners.log(JSON.parse(data)))
  source.addEventListener('workflows', () => listeners.workflows())
}

/** Whether the server refuses this page, because `dev` was restarted and has another key. */
async function isRefused(): Promise<boolean> {
  return (await fetch('/inspector/run').catch(() => undefined))?.status === 403
}

export async function fetchWelcome(): Promise<Welcome> {
  return (await reachServer('/inspector/run')).json()
}

/** `undefined` when it is no longer kept. */
export async function fetchDetail(id: string): Promise<Detail | undefined> {
  const response = await reachServer(`/inspector/requests/${id}`)
  return response.ok ? response.json() : undefined
}

/** `log/<delivery>`: what the real jobs of an event said; `share/<id>`: it without what is private. */
export async function fetchText(what: string): Promise<string> {
  return (await (await reachServer(`/inspector/${what}`)).text()).trim()
}

/** The ids of what a filter lets through, its headers and body looked at too. */
export async function search(filter: string): Promise<string[]> {
  return (await reachServer(`/inspector/search?q=${encodeURIComponent(filter)}`)).json()
}

export async function fetchFixture(name: string): Promise<Omit<ShownRequest, 'path'> | undefined> {
  const response = await reachServer(`/inspector/fixtures/${encodeURIComponent(name)}`)
  return response.ok ? response.json() : undefined
}

/**
 * Sends a request.
 *
 * @throws Error with the reason if the request was not sent
 */
export async function sendOrder(order: Order): Promise<SentResponse> {
  const response = await reachServer('/inspector/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  if (!response.ok) throw new Error((await response.text()).trim())
  return response.json()
}

/** A browser's error for a stopped server (`Failed to fetch`) does not help the user. */
async function reachServer(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (cause) {
    throw new Error('hookline dev does not answer. Is it still running?', { cause })
  }
}
