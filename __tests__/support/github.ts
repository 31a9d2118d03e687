import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkCall } from './openapi.ts'

/** A received request. */
export interface RecordedCall {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** Differences from GitHub's own OpenAPI description. */
  readonly violations: readonly string[]
}

export type Answer = {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Returns the response; or responds itself and returns nothing. */
export type Answering = (call: RecordedCall, response: ServerResponse) => Answer | undefined

/** A run in the list that the relay reads. */
export interface ListedRun {
  readonly display_title: string
  readonly created_at: string
}

export interface GitHub {
  /** URLs of the lookups of runs, which do not count as calls. */
  readonly lookups: string[]
  /** The runs of every repository, newest first. */
  readonly runs: ListedRun[]
  readonly url: string
  readonly calls: readonly RecordedCall[]
  /** Responds to the next calls, one each; later calls get GitHub's usual response. */
  next(...answers: (Answer | Answering)[]): void
  /** Responds to every call that has no response of its own from now on. */
  always(answer: Answer | Answering): void
  /** Forgets calls and responses. */
  reset(): void
  close(): Promise<void>
}

const ACCEPTED: Answer = { status: 204 }
const MOST_PAYLOAD_BYTES = 65_535

interface GitHubOptions {
  /**
   * Whether the rule of `always` lists the runs; otherwise `runs` are listed, and
   * neither is a call.
   */
  readonly listsRunsByRule?: boolean
}

/** A stand-in for GitHub's API on a real socket. */
export async function startGitHub({
  listsRunsByRule = false,
}: GitHubOptions = {}): Promise<GitHub> {
  const calls: RecordedCall[] = []
  const queue: (Answer | Answering)[] = []
  let rule: Answer | Answering = asGitHub
  const lookups: string[] = []
  const runs: ListedRun[] = []
  const server = createServer(async (request, response) => {
    // A killed relay aborts its calls.
    const call = await recorded(request).catch(() => undefined)
    if (!call) return
    const isByRule = listsRunsByRule && rule !== asGitHub
    if (!isByRule && call.method === 'GET' && call.url.includes('/actions/runs?')) {
      lookups.push(call.url)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ total_count: runs.length, workflow_runs: runs }))
      return
    }
    // The relay checks the access of an endpoint's credential before it stores the endpoint.
    const isUsual = queue.length === 0 && rule === asGitHub
    if (isUsual && call.method === 'GET' && /^\/repos\/[^/]+\/[^/?]+$/.test(call.url)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      return
    }
    calls.push(call)
    const next = queue.shift() ?? rule
    const answer = typeof next === 'function' ? next(call, response) : next
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    lookups,
    runs,
    next: (...answers) => void queue.push(...answers),
    always: (answer) => {
      rule = answer
    },
    reset: () => {
      calls.length = 0
      lookups.length = 0
      runs.length = 0
      queue.length = 0
      rule = asGitHub
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** GitHub's response, as far as it depends on the request alone. */
function asGitHub({ headers, body, violations }: RecordedCall): Answer {
  if (!headers['user-agent'])
    return { status: 403, body: 'Request forbidden by administrative rules.' }
  if (!headers.authorization) return problem(401, 'Requires authentication')
  if (violations.length > 0) return problem(422, `Invalid request.\n\n${violations.join('\n')}`)
  const { client_payload: payload } = JSON.parse(body)
  if (Buffer.byteLength(JSON.stringify(payload)) > MOST_PAYLOAD_BYTES) {
    return problem(422, 'client_payload is too large.')
  }
  return ACCEPTED
}

function problem(status: number, message: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  }
}

async function recorded(request: IncomingMessage): Promise<RecordedCall> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const { method = '', url = '' } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  return { method, url, headers, body, violations: checkCall(method, url, body).violations }
}
