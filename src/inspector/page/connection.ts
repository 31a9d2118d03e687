import type {
  Detail,
  ListChange,
  Order,
  ReplayOrder,
  ReplayResult,
  SentResponse,
  Welcome,
} from '../api.ts'

interface Listeners {
  connection(state: 'live' | 'lost' | 'closed'): void
  /** The first event of every stream; the whole list follows. */
  hello(run: string): void
  requests(change: ListChange): void
  /** The data that the page loaded at the start has changed. */
  changed(): void
}

/** Follows the events. The browser reconnects by itself. */
export function follow(listeners: Listeners): void {
  const source = new EventSource('/inspector/events')
  source.addEventListener('open', () => listeners.connection('live'))
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) return listeners.connection('lost')
    // A browser does not try again after a response without events, such as one about a missing key.
    isRefused().then((isClosed) => listeners.connection(isClosed ? 'closed' : 'lost'))
    setTimeout(() => follow(listeners), 2000)
  })
  source.addEventListener('hello', ({ data }) => listeners.hello(JSON.parse(data).run))
  source.addEventListener('requests', ({ data }) => listeners.requests(JSON.parse(data)))
  source.addEventListener('changed', () => listeners.changed())
}

/** Whether the server refuses this page, because the command was restarted and has another key. */
async function isRefused(): Promise<boolean> {
  return (await fetch('/inspector/run').catch(() => undefined))?.status === 403
}

export async function fetchWelcome(): Promise<Welcome> {
  return (await reachServer('/inspector/run')).json()
}

/**
 * `undefined` when it is no longer kept.
 *
 * @throws Error if the command or the relay does not answer
 */
export async function fetchDetail(id: string): Promise<Detail | undefined> {
  const response = await reachServer(`/inspector/requests/${id}`)
  if (response.status === 502) throw new Error(await response.text())
  return response.ok ? response.json() : undefined
}

/** The ids of what a filter lets through, its headers and body looked at too. */
export async function search(filter: string): Promise<string[]> {
  return (await reachServer(`/inspector/search?q=${encodeURIComponent(filter)}`)).json()
}

/**
 * Sends a request.
 *
 * @throws Error with the reason if the request was not sent
 */
export function sendOrder(order: Order): Promise<SentResponse> {
  return act('replay', order)
}

/** Replays deliveries of a relay. @throws Error with the reason if the order was not carried out */
export function sendReplay(order: ReplayOrder): Promise<ReplayResult> {
  return act('replay', order)
}

/** Sends the request of a delivery to `hookline dev`. @throws Error with the reason if it was not sent */
export function sendToDev(id: string): Promise<SentResponse> {
  return act('open', { ids: [id] } satisfies ReplayOrder)
}

async function act<Result>(action: string, order: object): Promise<Result> {
  const response = await reachServer(`/inspector/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  if (!response.ok) throw new Error((await response.text()).trim())
  return response.json()
}

/** Why a call of this file failed. */
export function failureMessage(error: unknown): string {
  return error instanceof Error ? error.message : 'the page has an error'
}

const UNREACHABLE = 'The command that serves this page does not answer. Is it still running?'

/** A browser's error for a stopped server (`Failed to fetch`) does not help the user. */
async function reachServer(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (cause) {
    throw new Error(UNREACHABLE, { cause })
  }
}
