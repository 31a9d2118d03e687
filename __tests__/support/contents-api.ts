import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkCall } from './openapi.ts'
import { memoryRepository, type Repository } from './repositories.ts'

export interface Call {
  readonly method: string
  /** Decoded, without base address and query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
  /** Differences from GitHub's own OpenAPI description. */
  readonly violations: readonly string[]
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A stand-in for GitHub's API of branches, commits, trees and contents. */
export interface ContentsApi {
  readonly url: string
  readonly calls: readonly Call[]
  /** Files of a branch by path; `undefined` if the branch does not exist. */
  files(branch: string): ReadonlyMap<string, string> | undefined
  put(branch: string, path: string, text: string): void
  /** Moves a branch back by so many commits, as a forced push does; or deletes it. */
  rewind(branch: string, by: number | 'delete'): void
  /** The conclusion of runs by id; `null` while a run is in progress. */
  readonly runs: Map<string, string | null>
  /** The files of every commit of a branch, oldest first. */
  commits(branch: string): ReadonlyMap<string, string>[]
  /** Number of commits on a branch, and of those without a parent. */
  history(branch: string): { readonly commits: number; readonly roots: number }
  /** Called before each response; its result replaces GitHub's response. */
  intervene(by: (call: Call, number: number) => Reply | 'drop' | undefined): void
  /** Called after a request took effect, before its response; with `drop` there is no response. */
  afterwards(by: (call: Call, number: number) => 'drop' | undefined): void
  /** From now on no request gets a response. */
  hang(): void
  /** Milliseconds that its header `Date` is ahead of this machine's clock. */
  readonly clock: { ahead: number }
  close(): Promise<void>
}

const MISSING: Reply = { status: 404, body: { message: 'Not Found' } }

interface GraphqlVariables {
  readonly ref?: string
  /** `f0`, `f1`, …: the requested folders. */
  readonly [folder: `f${number}`]: string
  readonly input?: {
    readonly branch: { readonly branchName: string; readonly repositoryNameWithOwner: string }
    readonly expectedHeadOid: string
    readonly fileChanges: { readonly additions: readonly { path: string; contents: string }[] }
  }
}

/** A GraphQL response for a rejected request. */
export function graphqlError(type: string, message: string): Reply {
  return { status: 200, body: { data: null, errors: [{ type, message }] } }
}

/** GitHub's response to a request, and its effect. */
export function githubAnswers(
  repository: Repository,
  runs: ReadonlyMap<string, string | null> = new Map(),
): (call: Pick<Call, 'method' | 'path' | 'body'>) => Reply {
  /** Responds like GraphQL, with errors in a 200. */
  function postGraphql({ query, variables }: Call['body']): Reply {
    const given = variables as GraphqlVariables
    return String(query).startsWith('mutation') ? mutate(given) : lookUp(given)
  }

  function lookUp({ ref, ...folders }: GraphqlVariables): Reply {
    const oid = repository.head(String(ref).replace('refs/heads/', ''))
    if (oid === undefined) return { status: 200, body: { data: { repository: { ref: null } } } }
    const files = [...repository.files(oid)]
    const names = [...new Set(files.map(([path]) => path.split('/', 1)[0]))]
    const asked = Object.entries(folders).filter(([name]) => /^f\d+$/.test(name))
    const found = asked.map(([name, folder]) => {
      const entries = files
        .filter(([path]) => path.startsWith(`${folder}/`))
        .map(([path, text]) => ({ name: path.slice(String(folder).length + 1), object: { text } }))
      return [name, entries.length > 0 ? { object: { entries } } : null]
    })
    const tree = { entries: names.map((name) => ({ name })) }
    const target = { oid, tree, ...Object.fromEntries(found) }
    return { status: 200, body: { data: { repository: { ref: { target } } } } }
  }

  function mutate({ input }: GraphqlVariables): Reply {
    if (!input) throw new Error('a mutation without input')
    const { branch, expectedHeadOid, fileChanges } = input
    const head = repository.head(branch.branchName)
    if (head === undefined) return graphqlError('NOT_FOUND', `No such branch`)
    if (head !== expectedHeadOid) {
      const expected = `Expected branch to point to "${expectedHeadOid}" but it did not.`
      return graphqlError('STALE_DATA', `${expected} Pull and try again.`)
    }
    const added = fileChanges.additions.map(({ path, contents }) => {
      return [path, Buffer.from(contents, 'base64').toString()] as const
    })
    const tree = repository.tree(new Map([...repository.files(head), ...added]))
    const oid = repository.commit(tree, [head])
    repository.set(branch.branchName, oid)
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
    const sha = repository.tree(new Map(entries.map(({ path, content }) => [path, content])))
    return { status: 201, body: { sha } }
  }

  function postCommit({ tree, parents }: Call['body']): Reply {
    return { status: 201, body: { sha: repository.commit(String(tree), parents as string[]) } }
  }

  function postRef(body: Call['body']): Reply {
    const branch = String(body.ref).replace('refs/heads/', '')
    if (repository.head(branch) !== undefined) {
      return { status: 422, body: { message: 'Reference already exists' } }
    }
    repository.set(branch, String(body.sha))
    return { status: 201, body: { ref: body.ref } }
  }

  return ({ method, path, body }) => {
    if (path === '/graphql') return postGraphql(body)
    if (/\/actions\/runs(\/\d+)?$/.test(path) && method === 'GET') return getRuns(path)
    if (path.endsWith('/git/trees')) return postTree(body)
    if (path.endsWith('/git/commits')) return postCommit(body)
    if (path.endsWith('/git/refs')) return postRef(body)
    return MISSING
  }
}

/**
 * Starts the stand-in on a free port. Like GitHub, it compares the head that a commit is based on,
 * reports GraphQL errors in a 200, may serve a GET from a cache, and lists runs and branches.
 *
 * @param repository where branches are stored: in memory, or in a git repository
 */
export async function startContentsApi(
  repository: Repository = memoryRepository(),
): Promise<ContentsApi> {
  const cached = new Map<string, Reply>()
  const runs = new Map<string, string | null>()
  const asGitHub = githubAnswers(repository, runs)
  const calls: Call[] = []
  const clock = { ahead: 0 }
  let isHanging = false
  let before: Parameters<ContentsApi['intervene']>[0] = () => undefined
  let after: Parameters<ContentsApi['afterwards']>[0] = () => undefined

  const filesOf = (branch: string) => {
    const head = repository.head(branch)
    return head === undefined ? undefined : repository.files(head)
  }

  /** Oldest first. */
  const commitsOf = (branch: string) => {
    const found: string[] = []
    let oid = repository.head(branch)
    for (; oid !== undefined; oid = repository.parents(oid)[0]) found.unshift(oid)
    return found
  }

  function fromCache(call: Call, mayBeOld: boolean): Reply {
    const old = mayBeOld ? cached.get(call.path) : undefined
    const reply = old ?? asGitHub(call)
    if (call.method === 'GET') cached.set(call.path, reply)
    return reply
  }

  const server = createServer(async (request, response) => {
    const call = await read(request)
    const number = calls.push(call)
    if (isHanging) return
    const instead = before(call, number)
    if (instead === 'drop') return void request.socket.destroy()
    const reply = instead ?? fromCache(call, request.headers['if-none-match'] === undefined)
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
    files: filesOf,
    put(branch, path, text) {
      const head = repository.head(branch)
      const tree = repository.tree(new Map([[path, text]]))
      repository.set(branch, repository.commit(tree, head === undefined ? [] : [head]))
    },
    rewind(branch, by) {
      if (by === 'delete') return repository.set(branch, undefined)
      for (let left = by; left > 0; left--) {
        repository.set(branch, repository.parents(repository.head(branch) ?? '')[0])
      }
    },
    runs,
    commits: (branch) => commitsOf(branch).map((oid) => repository.files(oid)),
    history(branch) {
      const commits = commitsOf(branch)
      const roots = commits.filter((oid) => repository.parents(oid).length === 0)
      return { commits: commits.length, roots: roots.length }
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
    // GraphQL is not part of the description.
    violations:
      url.pathname === '/graphql' ? [] : checkCall(method, request.url ?? '', text).violations,
  }
}
