import * as v from 'valibot'
import { fromBase64, toHex } from '../wire/bytes.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { jitter, SECONDARY_LIMIT } from '../wire/http.ts'
import type { GitHubApi, GitHubReply, StorePlace, StorePorts } from './place.ts'
import {
  FORMAT,
  NO_STATE,
  readStateFile,
  type Snapshot,
  type StateBackend,
  stateJson,
  type TriggerId,
  type TriggerState,
  triggerStateSchema,
  VERSION,
} from './store.ts'

/** A file as the contents API tells it; larger ones come without their content. */
const contentSchema = v.object({ sha: v.string(), content: v.string(), encoding: v.string() })

const objectSchema = v.object({ sha: v.string() })

/** Somebody wins each round, so this is enough for dozens of runs at once. */
const MOST_ATTEMPTS = 40

const CONFLICT_PAUSE = { first: 50, longest: 2_000 }

/**
 * One JSON file for each trigger on a branch that has nothing in common with the others. GitHub
 * replaces a file only when the blob that is to be replaced is named. What was read last is taken for
 * what stands there, until GitHub says otherwise.
 *
 * @see https://docs.github.com/en/rest/repos/contents#create-or-update-file-contents
 */
export function openBranch(branch: string, place: StorePlace): StateBackend {
  const { known, now, sleep, random } = place
  const clock = new GitHubClock(now)
  const api = withRetries(place.github, place, (reply) => clock.set(reply))
  const lastRead = new Map<string, Stamped>()
  const nameOf = (id: TriggerId) => `${branch} ${file(id)}`

  const load = async (id: TriggerId): Promise<Stamped> => {
    const stamped = await loadFile(branch, id, api)
    lastRead.set(nameOf(id), stamped)
    return stamped
  }
  const remembered = async (id: TriggerId): Promise<Stamped | undefined> => {
    const last = lastRead.get(nameOf(id))
    if (last) return last
    const text = await known.read(nameOf(id))
    return text === undefined ? undefined : stampedText(text, id, branch)
  }

  return {
    load: async (id) => ({ state: (await load(id)).state, now: clock.now() }),
    async change(id, update): Promise<Snapshot> {
      let stamped = await remembered(id)
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const { state, stamp } = stamped ?? (await load(id))
        const before = { state, now: clock.now() }
        const after = update(state, before.now)
        if (after === state) return before
        const text = fileText(id, after)
        if (await saveFile(branch, id, text, stamp, api)) {
          lastRead.set(nameOf(id), { state: after, stamp: await blobSha(text) })
          await known.write(nameOf(id), text)
          return before
        }
        if (attempt > 0) await sleep(jitter(attempt, random(), CONFLICT_PAUSE))
        stamped = undefined
      }
      throw new UserError({
        message: `the branch ${branch}: too many runs write at once, gave up after ${MOST_ATTEMPTS} attempts`,
        notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
      })
    },
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

/** A state, and what names it to GitHub; `undefined` where there was no file yet. */
interface Stamped {
  readonly state: TriggerState
  readonly stamp: string | undefined
}

async function loadFile(branch: string, id: TriggerId, api: GitHubApi): Promise<Stamped> {
  const reply = await api('GET /repos/{owner}/{repo}/contents/{path}', {
    path: file(id),
    ref: branch,
    // A cached answer would be refused with every attempt to replace it.
    headers: { 'if-none-match': '' },
  })
  if (reply.status === 404) return { state: NO_STATE, stamp: undefined }
  if (reply.status !== 200) throw refusalError(reply, `the branch ${branch}`)
  const found = v.safeParse(contentSchema, reply.data)
  if (!found.success || found.output.encoding !== 'base64') {
    const { place, reset } = naming(id, branch)
    throw new UserError({ message: `${place} is not a state of Hookline`, notes: [reset] })
  }
  const { content, sha } = found.output
  const text = new TextDecoder().decode(fromBase64(content.replace(/\s/g, '')))
  return { state: readStateFile(triggerStateSchema, text, naming(id, branch)), stamp: sha }
}

/** What is no state counts as not known. */
async function stampedText(
  text: string,
  id: TriggerId,
  branch: string,
): Promise<Stamped | undefined> {
  try {
    const state = readStateFile(triggerStateSchema, text, naming(id, branch))
    return { state, stamp: await blobSha(text) }
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

/** The name that git gives to the content of a file. */
async function blobSha(text: string): Promise<string> {
  // It is ASCII: as many bytes as characters.
  const blob = new TextEncoder().encode(`blob ${text.length}\0${text}`)
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-1', blob)))
}

function naming(id: TriggerId, branch: string) {
  const place = `${file(id)} on the branch ${branch}`
  const reset = `to start over, delete the file, or the branch: git push origin --delete ${branch}`
  return { place, reset }
}

/** @returns false, and changes nothing, when somebody else did so since the stamp was read */
async function saveFile(
  branch: string,
  id: TriggerId,
  text: string,
  stamp: string | undefined,
  api: GitHubApi,
): Promise<boolean> {
  const reply = await api('PUT /repos/{owner}/{repo}/contents/{path}', {
    path: file(id),
    branch,
    message: message(id),
    content: btoa(text),
    ...(stamp !== undefined && { sha: stamp }),
  })
  if (reply.status === 404) return begin(branch, id, text, api)
  if (reply.status === 200 || reply.status === 201) return true
  // Somebody else wrote in between: another blob stands there, or one where there was none, or the
  // branch moved on. Rules that protect the branch are told with 409 too, in many words.
  const isConflict =
    reply.status === 409
      ? /does not match|but expected/i.test(reply.message)
      : reply.status === 422 && reply.message.includes(`"sha" wasn't supplied`)
  if (isConflict) return false
  throw refusalError(reply, `the branch ${branch}`)
}

/** Makes the branch, with the file as its first commit. */
async function begin(
  branch: string,
  id: TriggerId,
  text: string,
  api: GitHubApi,
): Promise<boolean> {
  const place = `the branch ${branch}`
  const tree = await made(
    place,
    api('POST /repos/{owner}/{repo}/git/trees', {
      tree: [{ path: file(id), mode: '100644', type: 'blob', content: text }],
    }),
  )
  const commit = await made(
    place,
    api('POST /repos/{owner}/{repo}/git/commits', {
      message: message(id),
      tree,
      parents: [],
    }),
  )
  const ref = `refs/heads/${branch}`
  const reply = await api('POST /repos/{owner}/{repo}/git/refs', { ref, sha: commit })
  if (reply.status === 201) return true
  if (reply.status === 422 && /already exists/i.test(reply.message)) return false
  throw refusalError(reply, place)
}

async function made(place: string, call: Promise<GitHubReply>): Promise<string> {
  const reply = await call
  const object = v.safeParse(objectSchema, reply.data)
  if (reply.status === 201 && object.success) return object.output.sha
  throw refusalError(reply, place)
}

function file({ workflow, trigger }: TriggerId): string {
  return `${encodeURIComponent(workflow)}/${trigger}.json`
}

function message({ workflow, trigger }: TriggerId): string {
  return `Keep the state of ${workflow}/${trigger}`
}

/** ASCII, since keys are hashes and names are encoded: so its base64 is that of its characters. */
function fileText({ workflow, trigger }: TriggerId, state: TriggerState): string {
  const head = { format: FORMAT, version: VERSION, workflow: encodeURIComponent(workflow), trigger }
  return `${JSON.stringify(head).slice(0, -1)},${stateJson(state).slice(1)}\n`
}

/** What GitHub's refusal means for the store, and what would help. */
function refusalError(reply: GitHubReply, place: string): UserError {
  const { status, message } = reply
  const answer = status === 0 ? 'gave' : `answered ${status}:`
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
  if (status === 409 || /rule violation|protected/i.test(message)) {
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
      const reply = await api(route, parameters)
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
