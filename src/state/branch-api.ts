import * as v from 'valibot'
import { ServerVersion } from '../wire/api-version.ts'
import { toBase64 } from '../wire/bytes.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import {
  fieldsOf,
  GitHubCallError,
  GitHubClient,
  type GitHubOutcome,
  isRateLimit,
  type RetryPolicy,
} from '../wire/github-api.ts'
import { graphqlCall, graphqlData } from '../wire/graphql.ts'
import { jsonOf } from '../wire/json.ts'
import { runResult } from '../wire/run-lookup.ts'
import type { StorePlace } from './place.ts'

/**
 * The time for a call with all its retries, and for one try. A write may be retried: see `commit`.
 */
const PATIENCE: RetryPolicy = {
  budget: 30_000,
  callTime: 10_000,
  sideEffect: 'none',
  pause: { first: 250, longest: 4_000 },
}

export interface BranchApi {
  /** `undefined` if the branch does not exist. @throws UserError if GitHub rejects the request */
  read(folders: readonly string[]): Promise<BranchFiles | undefined>
  /**
   * Commits files on the head that was read; creates the branch if it does not exist. If a commit
   * took effect without a response, the retry is refused, and the next read contains the commit.
   *
   * @returns the new head; `undefined` if the branch moved or was deleted since the head was read
   * @throws UserError if GitHub rejects the request
   */
  commit(files: readonly FileText[], head: string | undefined): Promise<string | undefined>
  /**
   * Returns the runs among these that ended without success, by one request; none without
   * permission.
   */
  endedRuns(runs: readonly string[]): Promise<ReadonlySet<string>>
  /** GitHub's time by its last response; the time of this machine before the first. */
  now(): number
}

interface BranchFiles {
  /** Its last commit. */
  readonly head: string
  /** The names at its top level. */
  readonly names: readonly string[]
  /** The files of each requested folder: contents by name, in the order of the request. */
  readonly folders: readonly ReadonlyMap<string, string>[]
}

export interface FileText {
  readonly path: string
  readonly text: string
}

/** Sends a request: a path below the run's repository, or the GraphQL API. A GET is not retried. */
type Ask = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<GitHubOutcome>

export function branchApi(branch: string, place: StorePlace): BranchApi {
  const { github, repository, now } = place
  let ahead = 0
  // On GitHub Enterprise Server, `/api/graphql` is next to the `/api/v3` of the REST API.
  const graphqlUrl = new URL(github.apiUrl.href.replace(/\/v3\/?$/, ''))
  const version = new ServerVersion(github.apiUrl)
  const graphqlVersion = new ServerVersion(graphqlUrl)
  const clock = {
    now: () => new Date(now()),
    sleep: (duration: number) => place.sleep(duration),
    random: () => place.random(),
  }
  const call: typeof github.call = async (request) => {
    const answer = await github.call(request)
    const date = Date.parse(answer.header('date') ?? '')
    if (!Number.isNaN(date)) ahead = date - now()
    return answer
  }
  const ask: Ask = (method, path, body) => {
    const isGraphql = path === GRAPHQL
    const options = isGraphql
      ? { call: graphqlCall(call), apiUrl: graphqlUrl, clock, version: graphqlVersion }
      : { call, apiUrl: github.apiUrl, clock, version }
    // `call` adds the token of the run.
    const patience = method === 'GET' ? { ...PATIENCE, retryTime: 0 } : PATIENCE
    return new GitHubClient(options, patience, async () => undefined).ask({
      method,
      path: isGraphql ? path : `/repos/${repository}${path}`,
      reads: true,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
  return {
    read: (folders) => readFolders(branch, folders, repository, ask),
    commit: (files, head) =>
      head === undefined
        ? begin(branch, files, ask)
        : commitOn(branch, files, head, repository, ask),
    endedRuns: (runs) => endedRuns(runs, ask),
    now: () => now() + ahead,
  }
}

const GRAPHQL = '/graphql'

function filesQuery(folders: readonly string[]): string {
  const names = folders.map((_, place) => `f${place}`)
  const files = names.map(
    (name) =>
      `${name}: file(path: $${name}) { object { ... on Tree { entries { name object { ... on Blob { text } } } } } }`,
  )
  return `query($owner: String!, $name: String!, $ref: String!${names.map((name) => `, $${name}: String!`).join('')}) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $ref) {
      target { oid ... on Commit { tree { entries { name } } ${files.join(' ')} } }
    }
  }
}`
}

const folderSchema = v.object({
  object: v.object({
    entries: v.array(v.object({ name: v.string(), object: v.object({ text: v.string() }) })),
  }),
})

const targetSchema = v.looseObject({
  oid: v.string(),
  tree: v.object({ entries: v.array(v.object({ name: v.string() })) }),
})

const querySchema = v.object({
  repository: v.object({ ref: v.nullable(v.object({ target: v.unknown() })) }),
})

async function readFolders(
  branch: string,
  folders: readonly string[],
  repository: string,
  ask: Ask,
): Promise<BranchFiles | undefined> {
  const [owner, name] = repository.split('/')
  const named = Object.fromEntries(folders.map((folder, place) => [`f${place}`, folder]))
  const variables = { owner, name, ref: `refs/heads/${branch}`, ...named }
  const outcome = await ask('POST', GRAPHQL, { query: filesQuery(folders), variables })
  if (!outcome.accepted) throw refusalError(outcome, branch)
  const found = v.safeParse(querySchema, graphqlData(outcome.answer))
  // A login page of a proxy, for example, tells nothing about the branch.
  if (!found.success) throw refusalError(outcome, branch)
  const { ref } = found.output.repository
  if (!ref) return undefined
  const read = v.safeParse(targetSchema, ref.target)
  if (!read.success) throw notState(folders, branch)
  const target = read.output
  const texts = folders.map((_, place) => {
    const folder = v.safeParse(v.nullable(folderSchema), target[`f${place}`])
    if (!folder.success) throw notState(folders, branch)
    const entries = folder.output?.object.entries ?? []
    return new Map(entries.map((one) => [one.name, one.object.text]))
  })
  const names = target.tree.entries.map((entry) => entry.name)
  return { head: target.oid, names, folders: texts }
}

function notState(folders: readonly string[], branch: string): UserError {
  const { place, reset } = naming(folders.join(', '), branch)
  return new UserError({ message: `${place} is not a state of Hookline`, notes: [reset] })
}

/** How the user finds a folder, and how to start over. */
export function naming(folder: string, branch: string) {
  const place = `${folder} on the branch ${branch}`
  const reset = `to start over, delete the folder, or the branch: git push origin --delete ${branch}`
  return { place, reset }
}

const MUTATION = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`

const mutationSchema = v.object({
  createCommitOnBranch: v.object({ commit: v.object({ oid: v.string() }) }),
})

/** One short message for every commit, because each byte stays in the history. */
const MESSAGE = 'state'

async function commitOn(
  branch: string,
  files: readonly FileText[],
  head: string,
  repository: string,
  ask: Ask,
): Promise<string | undefined> {
  const input = {
    branch: { repositoryNameWithOwner: repository, branchName: branch },
    message: { headline: MESSAGE },
    expectedHeadOid: head,
    fileChanges: {
      additions: files.map(({ path, text }) => {
        return { path, contents: toBase64(new TextEncoder().encode(text)) }
      }),
    },
  }
  const outcome = await ask('POST', GRAPHQL, { query: MUTATION, variables: { input } })
  if (outcome.accepted) {
    const made = v.safeParse(mutationSchema, graphqlData(outcome.answer))
    if (made.success) return made.output.createCommitOnBranch.commit.oid
    throw refusalError(outcome, branch)
  }
  // A deleted branch gives the same 404 as a repository that the token cannot read. The next read
  // or the next creation of the branch reports which of the two it is.
  const { type, message } = errorOf(outcome)
  const isStale = type === 'STALE_DATA' || message.startsWith('Expected branch to point to ')
  if (outcome.refusal.kind === 'missing' || isStale) return undefined
  throw refusalError(outcome, branch)
}

/** Creates the branch with the files as its first commit. */
async function begin(
  branch: string,
  files: readonly FileText[],
  ask: Ask,
): Promise<string | undefined> {
  const entries = files.map(({ path, text }) => {
    return { path, mode: '100644', type: 'blob', content: text }
  })
  const made = async (path: string, body: unknown) => {
    const outcome = await ask('POST', path, body)
    const { sha } = outcome.accepted ? fieldsOf(outcome.answer) : {}
    if (typeof sha === 'string') return sha
    throw refusalError(outcome, branch)
  }
  const tree = await made('/git/trees', { tree: entries })
  const commit = await made('/git/commits', { message: MESSAGE, tree, parents: [] })
  const outcome = await ask('POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: commit })
  if (outcome.accepted) return commit
  if (/already exists/i.test(errorOf(outcome).message)) return undefined
  throw refusalError(outcome, branch)
}

const runSchema = v.object({ id: v.number(), conclusion: v.nullable(v.string()) })

const runsSchema = v.object({ workflow_runs: v.array(runSchema) })

/** @see https://docs.github.com/en/rest/actions/workflow-runs */
async function endedRuns(runs: readonly string[], ask: Ask): Promise<ReadonlySet<string>> {
  const ids = runs.filter((run) => /^\d{1,15}$/.test(run))
  const [first, ...others] = ids
  if (first === undefined) return new Set()
  const path = others.length === 0 ? `/${first}` : '?per_page=100'
  const outcome = await ask('GET', `/actions/runs${path}`)
  if (!outcome.accepted) return new Set()
  const body = jsonOf(outcome.answer.text)
  const one = v.safeParse(runSchema, body)
  const many = v.safeParse(runsSchema, body)
  const found = one.success ? [one.output] : many.success ? many.output.workflow_runs : []
  // Such a run will pass no more items to jobs.
  const failed = found.filter(({ conclusion }) =>
    /failure/.test(runResult({ state: '', conclusion })),
  )
  return new Set(failed.map(({ id }) => String(id)).filter((id) => ids.includes(id)))
}

/** GitHub's error message, and its type in the GraphQL API. */
function errorOf({ answer }: GitHubOutcome): { readonly type?: string; readonly message: string } {
  const { type, message } = answer ? fieldsOf(answer) : {}
  return {
    ...(typeof type === 'string' && type !== '' && { type }),
    message: typeof message === 'string' ? message : '',
  }
}

function refusalError(outcome: GitHubOutcome, branch: string): UserError {
  const { answer } = outcome
  const cause = outcome.accepted ? undefined : outcome.refusal.cause
  const { type, message } = errorOf(outcome)
  const shortMessage = message.replace(/\s+/g, ' ').slice(0, 200)
  const code = type ?? answer?.status
  const rest = shortMessage && `: ${shortMessage}`
  const fault = outcome.accepted
    ? `gave an unexpected response (status ${code})`
    : `answered ${code}${rest}`
  const what = answer
    ? fault
    : `gave ${cause instanceof GitHubCallError ? cause.message : 'no answer'}`
  return new UserError({
    message: `the branch ${branch} cannot be used as state: GitHub ${what}`,
    notes: notes(outcome, message),
  })
}

function notes(outcome: GitHubOutcome, message: string): NonNullable<Problem['notes']> {
  const { answer } = outcome
  if (answer && isRateLimit(answer)) {
    const isSpent = answer.header('x-ratelimit-remaining') === '0'
    if (!isSpent) return ['GitHub limits how often it is called: try again later']
    const reset = new Date(Number(answer.header('x-ratelimit-reset')) * 1_000)
    const again = Number.isNaN(reset.getTime())
      ? 'within the hour'
      : `at ${reset.toISOString().slice(11, 16)} UTC`
    return [
      `the calls that GitHub allows this token in an hour are spent; there are new ones ${again}`,
      'GITHUB_TOKEN has 1,000 an hour for a whole repository: see https://github.com/hookline/hookline/blob/v1/docs/reference/limits.md',
    ]
  }
  const kind = outcome.accepted ? undefined : outcome.refusal.kind
  if (kind === 'unauthorized') {
    return ['the input `github-token` is not a token that GitHub knows']
  }
  if (kind === 'sso') return ['the organization has not authorized the token for single sign-on']
  if (kind === 'conflict' || /rule violation|protected|required status check/i.test(message)) {
    return ['a rule protects the branch: exempt it, or choose another name']
  }
  if (kind === 'forbidden' || kind === 'missing') {
    return [
      'the job needs `permissions: contents: write`',
      "another token than the job's own goes into the input `github-token`",
    ]
  }
  return ['try again later']
}
