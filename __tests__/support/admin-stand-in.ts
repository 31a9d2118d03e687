import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ADMIN_BEARER } from './relay-keys.ts'

/** A delivery as the admin API lists it. */
export interface StandInDelivery {
  readonly id: string
  readonly state: string
  readonly [name: string]: unknown
}

/** The admin API of a relay whose deliveries a test writes. */
export interface AdminStandIn {
  readonly url: string
  /** Newest first. */
  deliveries: StandInDelivery[]
  /** `request` and `stages` by the id of a delivery; without an entry, a plain request. */
  readonly details: Map<string, object>
  /** Method and path of each request. */
  readonly calls: string[]
  /** Ids in the order of their replay. */
  readonly replayed: string[]
  /** The status of every response, in place of the right one. */
  fails: number | undefined
  close(): Promise<void>
}

/** A delivery with a number, of which the id is made. */
export function standInDelivery(number: number, more: object = {}): StandInDelivery {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    owner: 'octo',
    endpoint: 'orders',
    repository: 'octo/shop',
    path: `orders/webhook/${number}`,
    method: 'POST',
    state: 'delivered',
    reason: null,
    explanation: null,
    receivedAt: new Date(Date.UTC(2026, 0, 2) + number * 1000).toISOString(),
    changedAt: null,
    attempts: 1,
    nextAttemptAt: null,
    size: 11,
    acceptedAt: null,
    githubMs: 120,
    run: `https://github.com/octo/shop/actions/runs/${number}`,
    outcome: 'success',
    outcomeReason: null,
    conclusion: 'success',
    ...more,
  }
}

export async function startAdminStandIn(): Promise<AdminStandIn> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://relay')
    stand.calls.push(`${request.method} ${url.pathname}`)
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (request.headers.authorization !== `Bearer ${ADMIN_BEARER}`) {
      return answer(401, { error: { code: 'invalid_key', message: 'no', hint: 'no' } })
    }
    if (stand.fails !== undefined) {
      return answer(stand.fails, { error: { code: 'x', message: 'the disk fails', hint: 'wait' } })
    }
    const [, id, replay] =
      /^\/-admin\/deliveries\/octo\/([^/]+)(\/replay)?$/.exec(url.pathname) ?? []
    if (id === undefined) return answer(200, pageOf(stand.deliveries, url.searchParams))
    const delivery = stand.deliveries.find((one) => one.id === id)
    if (!delivery) return answer(404, { error: { code: 'not_found', message: 'no', hint: 'no' } })
    if (replay) {
      stand.replayed.push(id)
      return answer(200, { replayed: 1, declined: 0, missing: 0, left: 0, ids: [id] })
    }
    answer(200, { delivery, request: plainRequest(delivery), stages: [], ...stand.details.get(id) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const stand: AdminStandIn = {
    url: `http://127.0.0.1:${port}`,
    deliveries: [],
    details: new Map(),
    calls: [],
    replayed: [],
    fails: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return stand
}

function pageOf(all: readonly StandInDelivery[], query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 100)
  const start = all.findIndex(({ id }) => id === query.get('after')) + 1
  const deliveries = all.slice(start, start + limit)
  const isEnd = start + limit >= all.length
  return { deliveries, next: isEnd ? null : deliveries.at(-1)?.id }
}

function plainRequest(delivery: StandInDelivery) {
  return {
    method: 'POST',
    path: delivery.path,
    query: '',
    headers: { 'content-type': 'application/json' },
    body: '{"order":{"id":7}}',
  }
}
