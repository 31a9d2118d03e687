import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkCall } from './openapi.ts'

export interface Call {
  readonly method: string
  /** Decoded, without the base address and the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
  /** How it differs from GitHub's own OpenAPI description. */
  readonly violations: readonly string[]
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A stand-in for the part of GitHub that keeps files: branches, commits, trees and contents. */
export interface ContentsApi {
  readonly url: string
  readonly calls: readonly Call[]
  /** Files of a branch by path; `undefined` when there is no such branch. */
  files(branch: string): ReadonlyMap<string, string> | undefined
  put(branch: string, path: string, text: string): void
  /** Number of commits on a branch, and how many of them have no parent. */
  history(branch: string): { readonly commits: number; readonly roots: number }
  /** Called before each call is answered; what it returns is the answer instead of GitHub's. */
  intervene(by: (call: Call, number: number) => Reply | 'drop' | undefined): void
  /** Called after a call took effect, before its answer: with `drop`, no answer follows. */
  afterwards(by: (call: Call, number: number) => 'drop' | undefined): void
  /** From now on no call is answered. */
  hang(): void
  /** By how many milliseconds the clock of its header `Date` is ahead of this machine's. */
  readonly clock: { ahead: number }
  close(): Promise<void>
}

interface Commit {
  readonly files: ReadonlyMap<string, string>
  readonly parents: readonly string[]
}

const MISSING: Reply = { status: 404, body: { message: 'Not Found' } }

/**
 * Starts it on a free port. Its answers are those that were measured on GitHub: a path that exists
 * wants its sha (422), another sha is a conflict (409), a sha for an absent path is ignored, a branch
 * that is missing is not found, and a file beyond 1 MB comes without its content.
 */
export async function startContentsApi(): Promise<ContentsApi> {
  const objects = new Map<string, Commit | ReadonlyMap<string, string>>()
  const branches = new Map<string, string>()
  const calls: Call[] = []
  const clock = { ahead: 0 }
  let isHanging = false
  let before: Parameters<ContentsApi['intervene']>[0] = () => undefined
  let after: Parameters<ContentsApi['afterwards']>[0] = () => undefined

  const commitOf = (sha: string | undefined) => objects.get(sha ?? '') as Commit | undefined
  const headOf = (branch: string) => commitOf(branches.get(branch))

  function commit(branch: string, files: ReadonlyMap<string, string>): string {
    const parent = branches.get(branch)
    const sha = hash(JSON.stringify([...files]), String(objects.size))
    objects.set(sha, { files, parents: parent === undefined ? [] : [parent] })
    branches.set(branch, sha)
    return sha
  }

  function getContents(path: string, branch: string): Reply {
    const text = headOf(branch)?.files.get(path)
    if (text === undefined) return MISSING
    const whole = Buffer.from(text).length <= 1024 * 1024
    const content = whole ? Buffer.from(text).toString('base64').replace(/.{60}/g, '$&\n') : ''
    return { status: 200, body: { sha: blob(text), content, encoding: whole ? 'base64' : 'none' } }
  }

  function putContents(path: string, body: Call['body']): Reply {
    const branch = String(body.branch)
    const head = headOf(branch)
    if (!head) return { status: 404, body: { message: `Branch ${branch} not found` } }
    const present = head.files.get(path)
    if (present !== undefined && body.sha === undefined) {
      return { status: 422, body: { message: `Invalid request.\n\n"sha" wasn't supplied.` } }
    }
    if (present !== undefined && body.sha !== blob(present)) {
      return { status: 409, body: { message: `${path} does not match ${body.sha}` } }
    }
    const text = Buffer.from(String(body.content), 'base64').toString()
    commit(branch, new Map([...head.files, [path, text]]))
    return { status: present === undefined ? 201 : 200, body: { content: { sha: blob(text) } } }
  }

  function postTree(body: Call['body']): Reply {
    const entries = body.tree as { path: string; content: string }[]
    const files = new Map(entries.map(({ path, content }) => [path, content]))
    const sha = hash('tree', JSON.stringify([...files]))
    objects.set(sha, files)
    return { status: 201, body: { sha } }
  }

  function postCommit(body: Call['body']): Reply {
    const files = objects.get(String(body.tree)) as ReadonlyMap<string, string>
    const sha = hash('commit', String(objects.size))
    objects.set(sha, { files, parents: body.parents as string[] })
    return { status: 201, body: { sha } }
  }

  function postRef(body: Call['body']): Reply {
    const branch = String(body.ref).replace('refs/heads/', '')
    if (branches.has(branch)) return { status: 422, body: { message: 'Reference already exists' } }
    branches.set(branch, String(body.sha))
    return { status: 201, body: { ref: body.ref } }
  }

  function asGitHub({ method, path, query, body }: Call): Reply {
    const contents = /\/contents\/(.+)$/.exec(path)?.[1]
    if (contents && method === 'GET') return getContents(contents, query.get('ref') ?? '')
    if (contents && method === 'PUT') return putContents(contents, body)
    if (path.endsWith('/git/trees')) return postTree(body)
    if (path.endsWith('/git/commits')) return postCommit(body)
    if (path.endsWith('/git/refs')) return postRef(body)
    return MISSING
  }

  const server = createServer(async (request, response) => {
    const call = await read(request)
    const number = calls.push(call)
    if (isHanging) return
    const instead = before(call, number)
    if (instead === 'drop') return void request.socket.destroy()
    const reply = instead ?? asGitHub(call)
    if (after(call, number) === 'drop') return void request.socket.destroy()
    response.writeHead(reply.status, {
      'content-type': 'application/json; charset=utf-8',
      date: new Date(Date.now() + clock.ahead).toUTCString(),
      ...reply.headers,
    })
    response.end(JSON.stringify(reply.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    clock,
    hang: () => {
      isHanging = true
    },
    files: (branch) => headOf(branch)?.files,
    put: (branch, path, text) => void commit(branch, new Map([[path, text]])),
    history(branch) {
      let commits = 0
      let roots = 0
      for (let sha = branches.get(branch); sha !== undefined; sha = commitOf(sha)?.parents[0]) {
        commits++
        if (commitOf(sha)?.parents.length === 0) roots++
      }
      return { commits, roots }
    },
    intervene: (by) => {
      before = by
    },
    afterwards: (by) => {
      after = by
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function read(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '', 'http://127.0.0.1')
  const method = request.method ?? ''
  return {
    method,
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    body: text === '' ? {} : JSON.parse(text),
    violations: checkCall(method, request.url ?? '', text).violations,
  }
}

/** The name that git gives a file's content. */
function blob(text: string): string {
  return hash(`blob ${Buffer.from(text).length}\0`, text)
}

function hash(...parts: string[]): string {
  return createHash('sha1').update(parts.join('')).digest('hex')
}
