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
  /** Sets a branch to an earlier commit, so many back, as a forced push does; or deletes it. */
  rewind(branch: string, by: number | 'delete'): void
  /** How runs ended, by id; `null` for one that is at work. */
  readonly runs: Map<string, string | null>
  /** The files of every commit of a branch, the oldest first. */
  commits(branch: string): ReadonlyMap<string, string>[]
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

interface GraphqlVariables {
  readonly ref?: string
  readonly folder?: string
  readonly input?: {
    readonly branch: { readonly branchName: string; readonly repositoryNameWithOwner: string }
    readonly expectedHeadOid: string
    readonly fileChanges: { readonly additions: readonly { path: string; contents: string }[] }
  }
}

/** What GraphQL says of a refusal. */
export function graphqlError(type: string, message: string): Reply {
  return { status: 200, body: { data: null, errors: [{ type, message }] } }
}

/**
 * Starts it on a free port. It compares the head that a commit is to be made on, tells a refusal of
 * GraphQL within a 200, and tells runs and branches as GitHub does.
 */
export async function startContentsApi(): Promise<ContentsApi> {
  const objects = new Map<string, Commit | ReadonlyMap<string, string>>()
  const branches = new Map<string, string>()
  const runs = new Map<string, string | null>()
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

  /** Answers as GraphQL: what is wrong stands in a 200. */
  function postGraphql({ query, variables }: Call['body']): Reply {
    const given = variables as GraphqlVariables
    return String(query).startsWith('mutation') ? mutate(given) : lookUp(given)
  }

  function lookUp({ ref, folder }: GraphqlVariables): Reply {
    const oid = branches.get(String(ref).replace('refs/heads/', ''))
    const files = [...(commitOf(oid)?.files ?? [])]
    const names = [...new Set(files.map(([path]) => path.split('/', 1)[0]))]
    const entries = files
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, text]) => ({ name: path.slice(String(folder).length + 1), object: { text } }))
    const file = entries.length > 0 ? { object: { entries } } : null
    const tree = { entries: names.map((name) => ({ name })) }
    const found = oid === undefined ? null : { target: { oid, tree, file } }
    return { status: 200, body: { data: { repository: { ref: found } } } }
  }

  function mutate({ input }: GraphqlVariables): Reply {
    if (!input) throw new Error('a mutation without input')
    const { branch, expectedHeadOid, fileChanges } = input
    const head = branches.get(branch.branchName)
    if (head === undefined) return graphqlError('NOT_FOUND', `No such branch`)
    if (head !== expectedHeadOid) {
      const expected = `Expected branch to point to "${expectedHeadOid}" but it did not.`
      return graphqlError('STALE_DATA', `${expected} Pull and try again.`)
    }
    const added = fileChanges.additions.map(({ path, contents }) => {
      return [path, Buffer.from(contents, 'base64').toString()] as const
    })
    const oid = commit(
      branch.branchName,
      new Map([...(headOf(branch.branchName)?.files ?? []), ...added]),
    )
    return { status: 200, body: { data: { createCommitOnBranch: { commit: { oid } } } } }
  }

  function getRuns(path: string): Reply {
    const one = /\/actions\/runs\/(\d+)$/.exec(path)?.[1]
    const told = [...runs].map(([id, conclusion]) => ({ id: Number(id), conclusion }))
    if (one === undefined) return { status: 200, body: { workflow_runs: told } }
    const found = told.find(({ id }) => String(id) === one)
    return found ? { status: 200, body: found } : MISSING
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

  function asGitHub({ method, path, body }: Call): Reply {
    if (path === '/graphql') return postGraphql(body)
    if (/\/actions\/runs(\/\d+)?$/.test(path) && method === 'GET') return getRuns(path)
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
    rewind(branch, by) {
      if (by === 'delete') return void branches.delete(branch)
      for (let left = by; left > 0; left--) {
        branches.set(branch, headOf(branch)?.parents[0] ?? '')
      }
    },
    runs,
    commits(branch) {
      const found: ReadonlyMap<string, string>[] = []
      for (let one = headOf(branch); one; one = commitOf(one.parents[0])) found.unshift(one.files)
      return found
    },
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
    // GraphQL is no part of the description.
    violations:
      url.pathname === '/graphql' ? [] : checkCall(method, request.url ?? '', text).violations,
  }
}

function hash(...parts: string[]): string {
  return createHash('sha1').update(parts.join('')).digest('hex')
}
