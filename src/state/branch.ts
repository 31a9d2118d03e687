import * as v from 'valibot'
import { toBase64 } from '../wire/bytes.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { jitter, SECONDARY_LIMIT } from '../wire/http.ts'
import { endedRuns, GRAPHQL, graphqlReply } from './branch-api.ts'
import { changedFiles, FOLDER_PREFIX, folderOf, stateOf } from './branch-files.ts'
import type { GitHubApi, GitHubReply, StorePlace, StorePorts } from './place.ts'
import type { Snapshot, StateBackend, TriggerId } from './store.ts'

/** Somebody wins each round, so this is enough for dozens of runs at once. */
const MOST_ATTEMPTS = 40

const CONFLICT_PAUSE = { first: 50, longest: 2_000 }

/**
 * A folder for each trigger on a branch that has nothing in common with the others: its keys in files
 * by their hash, so that an event changes few lines of history; times and places apart. A write is one
 * commit, which GitHub makes only on the head that was read. What was read or written last is taken
 * for what stands there, until GitHub says otherwise.
 *
 * @see https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
 */
export function openBranch(branch: string, place: StorePlace): StateBackend {
  const { known, now, sleep, random } = place
  const clock = new GitHubClock(now)
  const api = withRetries(place.github, place, (reply) => clock.set(reply))
  const lastRead = new Map<string, Stored>()
  const nameOf = (id: TriggerId) => `${branch} ${folderOf(id)}`

  const load = async (id: TriggerId): Promise<Stored> => {
    const stored = await loadFolder(branch, id, place, api)
    lastRead.set(nameOf(id), stored)
    return stored
  }
  const remembered = async (id: TriggerId): Promise<Stored | undefined> => {
    const last = lastRead.get(nameOf(id))
    if (last) return last
    const text = await known.read(nameOf(id))
    return text === undefined ? undefined : storedOf(text)
  }
  const keep = async (id: TriggerId, stored: Stored) => {
    lastRead.set(nameOf(id), stored)
    const files = Object.fromEntries(stored.files)
    await known.write(nameOf(id), JSON.stringify({ head: stored.head, files }))
  }

  return {
    async load(id) {
      const { files } = await load(id)
      return { state: stateOf(files, naming(id, branch)), now: clock.now() }
    },

    async change(id, update): Promise<Snapshot> {
      let stored = await remembered(id)
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        stored ??= await load(id)
        const before = { state: stateOf(stored.files, naming(id, branch)), now: clock.now() }
        const after = update(before.state, before.now)
        if (after === before.state) return before
        const changes = changedFiles(stored.files, before.state, after)
        if (changes.size === 0) return before
        const head = await save(branch, id, changes, stored.head, place, api)
        if (head !== undefined) {
          await keep(id, { head, files: new Map([...stored.files, ...changes]) })
          return before
        }
        if (attempt > 0) await sleep(jitter(attempt, random(), CONFLICT_PAUSE))
        stored = undefined
      }
      throw new UserError({
        message: `the branch ${branch}: too many runs write at once, gave up after ${MOST_ATTEMPTS} attempts`,
        notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
      })
    },

    endedRuns: (runs) => endedRuns(runs, place.github),
  }
}

/** The time by GitHub's own clock, as its last answer told it; by this machine's before the first. */
class GitHubClock {
  readonly #now: () => number
  #ahead = 0

  constructor(now: () => number) {
    this.#now = now
  }

  now(): number {
    return this.#now() + this.#ahead
  }

  set({ date }: GitHubReply): void {
    if (date !== undefined) this.#ahead = date - this.#now()
  }
}

/** The files of a trigger, and the commit in which they stood; `undefined` where there is no branch. */
interface Stored {
  readonly head: string | undefined
  readonly files: ReadonlyMap<string, string>
}

const QUERY = `query($owner: String!, $name: String!, $ref: String!, $folder: String!) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $ref) {
      target {
        oid
        ... on Commit {
          tree { entries { name } }
          file(path: $folder) {
            object { ... on Tree { entries { name object { ... on Blob { text } } } } }
          }
        }
      }
    }
  }
}`

const folderSchema = v.object({
  object: v.object({
    entries: v.array(v.object({ name: v.string(), object: v.object({ text: v.string() }) })),
  }),
})

const querySchema = v.object({
  repository: v.object({
    ref: v.nullable(
      v.object({
        target: v.object({
          oid: v.string(),
          tree: v.object({ entries: v.array(v.object({ name: v.string() })) }),
          file: v.nullable(folderSchema),
        }),
      }),
    ),
  }),
})

async function loadFolder(
  branch: string,
  id: TriggerId,
  { repository }: StorePlace,
  api: GitHubApi,
): Promise<Stored> {
  const [owner, name] = repository.split('/')
  const variables = { owner, name, ref: `refs/heads/${branch}`, folder: folderOf(id) }
  const reply = await api(GRAPHQL, { query: QUERY, variables })
  if (reply.status !== 200) throw refusalError(reply, `the branch ${branch}`)
  const found = v.safeParse(querySchema, reply.data)
  const { place, reset } = naming(id, branch)
  if (!found.success) {
    throw new UserError({ message: `${place} is not a state of Hookline`, notes: [reset] })
  }
  const target = found.output.repository.ref?.target
  if (!target) return { head: undefined, files: new Map() }
  refuseOtherForm(
    branch,
    target.tree.entries.map((entry) => entry.name),
  )
  const entries = target.file?.object.entries ?? []
  return { head: target.oid, files: new Map(entries.map((one) => [one.name, one.object.text])) }
}

/** A branch of which nothing is ours was made by something else, or by another version. */
function refuseOtherForm(branch: string, names: readonly string[]): void {
  if (names.length === 0 || names.some((name) => name.startsWith(FOLDER_PREFIX))) return
  const isNewer = names.some((name) => /^v([3-9]|\d\d+)\./.test(name))
  const what = isNewer
    ? 'was written by a newer version of Hookline'
    : 'has another form than the state of this version'
  throw new UserError({
    message: `the branch ${branch} ${what}`,
    notes: [
      `to start anew, delete it: git push origin --delete ${branch}`,
      'or name another branch',
    ],
  })
}

const knownSchema = v.object({
  head: v.optional(v.string()),
  files: v.record(v.string(), v.string()),
})

/** What an earlier process of the job wrote; what is none counts as not known. */
function storedOf(text: string): Stored | undefined {
  try {
    const { head, files } = v.parse(knownSchema, JSON.parse(text))
    return { head, files: new Map(Object.entries(files)) }
  } catch {
    return undefined
  }
}

function naming(id: TriggerId, branch: string) {
  const place = `${folderOf(id)} on the branch ${branch}`
  const reset = `to start over, delete the folder, or the branch: git push origin --delete ${branch}`
  return { place, reset }
}

const MUTATION = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`

const mutationSchema = v.object({
  createCommitOnBranch: v.object({ commit: v.object({ oid: v.string() }) }),
})

/** @returns the new head; `undefined` when the branch moved on, or went, since the head was read */
async function save(
  branch: string,
  id: TriggerId,
  changes: ReadonlyMap<string, string>,
  head: string | undefined,
  { repository }: StorePlace,
  api: GitHubApi,
): Promise<string | undefined> {
  const files = [...changes].map(([name, text]) => ({ path: `${folderOf(id)}/${name}`, text }))
  if (head === undefined) return begin(branch, files, api)
  const reply = await api(GRAPHQL, {
    query: MUTATION,
    variables: {
      input: {
        branch: { repositoryNameWithOwner: repository, branchName: branch },
        message: { headline: MESSAGE },
        expectedHeadOid: head,
        fileChanges: {
          additions: files.map(({ path, text }) => {
            return { path, contents: toBase64(new TextEncoder().encode(text)) }
          }),
        },
      },
    },
  })
  const made = v.safeParse(mutationSchema, reply.data)
  if (reply.status === 200 && made.success) return made.output.createCommitOnBranch.commit.oid
  // A branch that is gone is not found, as a repository is that the token cannot see: that is told
  // when the branch is read, or begun, the next time.
  if (reply.status === 404 || isStale(reply)) return undefined
  throw refusalError(reply, `the branch ${branch}`)
}

/** The same for every write, since every byte of it stays in the history. */
const MESSAGE = 'state'

function isStale({ kind, message }: GitHubReply): boolean {
  return kind === 'STALE_DATA' || /^Expected branch to point to /.test(message)
}

const objectSchema = v.object({ sha: v.string() })

interface File {
  readonly path: string
  readonly text: string
}

/** Makes the branch, with the files as its first commit. */
async function begin(
  branch: string,
  files: readonly File[],
  api: GitHubApi,
): Promise<string | undefined> {
  const place = `the branch ${branch}`
  const entries = files.map(({ path, text }) => {
    return { path, mode: '100644', type: 'blob', content: text }
  })
  const tree = await made(place, api('POST /repos/{owner}/{repo}/git/trees', { tree: entries }))
  const root = { message: MESSAGE, tree, parents: [] }
  const commit = await made(place, api('POST /repos/{owner}/{repo}/git/commits', root))
  const ref = `refs/heads/${branch}`
  const reply = await api('POST /repos/{owner}/{repo}/git/refs', { ref, sha: commit })
  if (reply.status === 201) return commit
  if (reply.status === 422 && /already exists/i.test(reply.message)) return undefined
  throw refusalError(reply, place)
}

async function made(place: string, call: Promise<GitHubReply>): Promise<string> {
  const reply = await call
  const object = v.safeParse(objectSchema, reply.data)
  if (reply.status === 201 && object.success) return object.output.sha
  throw refusalError(reply, place)
}

/** What GitHub's refusal means for the store, and what would help. */
function refusalError(reply: GitHubReply, place: string): UserError {
  const { status, message } = reply
  const answer = status === 0 ? 'gave' : `answered ${reply.kind ?? status}:`
  return new UserError({
    message: `${place} cannot be used as state: GitHub ${answer} ${message.replace(/\s+/g, ' ').slice(0, 200)}`,
    notes: notes(reply),
  })
}

function notes(reply: GitHubReply): NonNullable<Problem['notes']> {
  const { status, message } = reply
  if (isSpent(reply)) {
    const { resetAt } = reply
    const again =
      resetAt === undefined
        ? 'within the hour'
        : `at ${new Date(resetAt).toISOString().slice(11, 16)} UTC`
    return [
      `the calls that GitHub allows this token in an hour are spent; there are new ones ${again}`,
      'GITHUB_TOKEN has 1,000 an hour for a whole repository: see docs/scale.md',
    ]
  }
  if (SECONDARY_LIMIT.test(message)) {
    return ['GitHub limits how often it is called: try again later']
  }
  if (status === 401) return ['the input `github-token` is not a token that GitHub knows']
  if (status === 409 || /rule violation|protected|required status check/i.test(message)) {
    return ['a rule protects the branch: exempt it, or choose another name']
  }
  if (status === 403 || status === 404) {
    return [
      'the job needs `permissions: contents: write`',
      "another token than the job's own goes into the input `github-token`",
    ]
  }
  return ['try again later']
}

/** The rate limit of the token: nothing helps but to wait, for up to an hour. */
function isSpent({ status, message, remaining }: GitHubReply): boolean {
  const refused = status === 403 || status === 429
  return refused && (remaining === 0 || /API rate limit exceeded/i.test(message))
}

const MOST_CALLS = 5

const PAUSE = { first: 250, longest: 4_000 }

/** Milliseconds for a call with all its repeats; a call by itself has a limit as well. */
const LONGEST_CALL = 30_000

/**
 * Asks again when GitHub is busy or gave no answer, as long as there is time. A write may then have
 * taken effect already: the next one is refused as a conflict, and what is read afterwards holds the
 * run's own claims.
 *
 * @param hear is told of every answer
 */
function withRetries(
  api: GitHubApi,
  { sleep, random, now }: StorePorts,
  hear: (reply: GitHubReply) => void,
): GitHubApi {
  return async (route, parameters) => {
    const began = now()
    for (let attempt = 1; ; attempt++) {
      const answered = await api(route, parameters)
      const reply = route === GRAPHQL ? graphqlReply(answered) : answered
      hear(reply)
      const { status, message } = reply
      const isLimit = status === 429 || SECONDARY_LIMIT.test(message)
      const isTransient = !isSpent(reply) && (status === 0 || status >= 500 || isLimit)
      if (!isTransient || attempt === MOST_CALLS) return reply
      const pause = reply.retryAfter ?? jitter(attempt, random(), PAUSE)
      if (now() - began + pause > LONGEST_CALL) return reply
      await sleep(pause)
    }
  }
}
