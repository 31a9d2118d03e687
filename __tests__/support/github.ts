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
const STARTED: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    workflow_run_id: 42,
    run_url: 'https://api.github.com/repos/o/r/actions/runs/42',
    html_url: 'https://github.com/o/r/actions/runs/42',
  }),
}
const MOST_PAYLOAD_BYTES = 65_535

/** Responds with the repository and a workflow that listens, which `endpoint create` reads first. */
export const listeningWorkflow: Answering = ({ url }) => {
  if (url.includes('/contents/.github/')) return { status: 200, body: WORKFLOW }
  if (url.includes('/contents/')) return { status: 404 }
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: '{"default_branch":"main"}' }
}

const WORKFLOW = `on:
  repository_dispatch:
    types: [webhook]
jobs:
  run:
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        with: { on: webhook }
`

interface GitHubOptions {
  /** `ghes` refuses the current version of the API; `ghes-3.20` refuses the field `return_run_details`, too. */
  readonly server?: 'github.com' | 'ghes' | 'ghes-3.20'
  /**
   * Whether the rule of `always` lists the runs; otherwise `runs` are listed, and
   * neither is a call.
   */
  readonly listsRunsByRule?: boolean
}

/** A stand-in for GitHub's API on a real socket. */
export async function startGitHub({
  server: kind = 'github.com',
  listsRunsByRule = false,
}: GitHubOptions = {}): Promise<GitHub> {
  const calls: RecordedCall[] = []
  const queue: (Answer | Answering)[] = []
  const usual: Answering = (call) => asGitHub(call, kind)
  let rule: Answer | Answering = usual
  const lookups: string[] = []
  const runs: ListedRun[] = []
  const server = createServer(async (request, response) => {
    // A killed relay aborts its calls.
    const call = await recorded(request).catch(() => undefined)
    if (!call) return
    const refusal = refusedVersion(call, kind)
    if (refusal) {
      calls.push(call)
      response.writeHead(refusal.status, refusal.headers).end(refusal.body)
      return
    }
    const isByRule = listsRunsByRule && rule !== usual
    if (!isByRule && call.method === 'GET' && call.url.includes('/actions/runs?')) {
      lookups.push(call.url)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ total_count: runs.length, workflow_runs: runs }))
      return
    }
    // The relay checks the access of an endpoint's credential before it stores the endpoint.
    const isUsual = queue.length === 0 && rule === usual
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
      rule = usual
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type ServerKind = NonNullable<GitHubOptions['server']>

const VERSIONS = {
  'github.com': ['2026-03-10', '2022-11-28'],
  ghes: ['2022-11-28'],
  'ghes-3.20': ['2022-11-28'],
} as const satisfies Record<ServerKind, readonly string[]>

/** https://docs.github.com/rest/about-the-rest-api/api-versions#supported-api-versions */
function refusedVersion({ headers }: RecordedCall, server: ServerKind): Answer | undefined {
  const { 'x-github-api-version': version } = headers
  const known: readonly string[] = VERSIONS[server]
  if (version === undefined || known.includes(version)) return undefined
  return problem(400, `The version ${version} is not supported.`)
}

/** GitHub's response, as far as it depends on the request alone. */
function asGitHub(call: RecordedCall, server: ServerKind): Answer {
  const { url, headers, body, violations } = call
  if (!headers['user-agent'])
    return { status: 403, body: 'Request forbidden by administrative rules.' }
  if (!headers.authorization) return problem(401, 'Requires authentication')
  if (violations.length > 0) return problem(422, `Invalid request.\n\n${violations.join('\n')}`)
  const { client_payload: payload, return_run_details: asksForRun } = JSON.parse(body)
  if (url.includes('/actions/workflows/')) {
    const isCurrent = headers['x-github-api-version'] === VERSIONS['github.com'][0]
    const unknown = 'Invalid request.\n\n"return_run_details" is not a permitted key.'
    if (asksForRun !== undefined && isCurrent) return problem(422, unknown)
    if (asksForRun !== undefined && server === 'ghes-3.20') return problem(400, unknown)
    return isCurrent || asksForRun ? STARTED : ACCEPTED
  }
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
