import * as v from 'valibot'
import { fromBase64 } from '../wire/bytes.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import {
  FORMAT,
  NO_STATE,
  readStateFile,
  type StateBackend,
  type StorePorts,
  stateJson,
  type TriggerId,
  type TriggerState,
  triggerStateSchema,
  type Update,
  VERSION,
} from './index.ts'

/** A file as the contents API tells it; larger ones come without their content. */
const contentSchema = v.object({ sha: v.string(), content: v.string(), encoding: v.string() })

const objectSchema = v.object({ sha: v.string() })

/**
 * One JSON file for each trigger on a branch that has nothing in common with the others. GitHub
 * replaces a file only when the blob that is to be replaced is named.
 *
 * @see https://docs.github.com/en/rest/repos/contents#create-or-update-file-contents
 */
export function branchBackend(branch: string, api: GitHubApi, ports: StorePorts): StateBackend {
  return {
    load: async (id) => (await load(branch, id, api)).state,
    change: (id, step) => {
      const swappable: Swappable = {
        place: `the branch ${branch}`,
        load: () => load(branch, id, api),
        save: (state, stamp) => save(branch, id, state, stamp, api),
      }
      return compareAndSwap(swappable, step, ports)
    },
  }
}

async function load(branch: string, id: TriggerId, api: GitHubApi): Promise<Stamped> {
  const reply = await api('GET /repos/{owner}/{repo}/contents/{path}', {
    path: file(id),
    ref: branch,
    // A cached answer would be refused with every attempt to replace it.
    headers: { 'if-none-match': '' },
  })
  if (reply.status === 404) return { state: NO_STATE, stamp: undefined }
  return readReply(reply, id, branch)
}

async function save(
  branch: string,
  id: TriggerId,
  state: TriggerState,
  stamp: string | undefined,
  api: GitHubApi,
): Promise<boolean> {
  const reply = await api('PUT /repos/{owner}/{repo}/contents/{path}', {
    path: file(id),
    branch,
    message: message(id),
    content: btoa(write(id, state)),
    ...(stamp !== undefined && { sha: stamp }),
  })
  if (reply.status === 404) return begin(branch, id, state, api)
  if (reply.status === 200 || reply.status === 201) return true
  if (isConflict(reply)) return false
  throw refusalError(reply, `the branch ${branch}`)
}

type Stamped = Awaited<ReturnType<Swappable['load']>>

function readReply(reply: GitHubReply, id: TriggerId, branch: string): Stamped {
  if (reply.status !== 200) throw refusalError(reply, `the branch ${branch}`)
  const place = `${file(id)} on the branch ${branch}`
  const reset = `to begin anew, delete the file, or the branch: git push origin --delete ${branch}`
  const found = v.safeParse(contentSchema, reply.data)
  if (!found.success || found.output.encoding !== 'base64') {
    throw new UserError({ message: `${place} is no state of Hookline`, notes: [reset] })
  }
  const { content, sha } = found.output
  const text = new TextDecoder().decode(fromBase64(content.replace(/\s/g, '')))
  return { state: readStateFile(triggerStateSchema, text, { place, reset }), stamp: sha }
}

/**
 * Somebody else wrote in between: another blob stands there, or one where there was none, or the
 * branch moved on.
 */
function isConflict({ status, message }: GitHubReply): boolean {
  if (status === 409) return !/rule violation|protected/i.test(message)
  return status === 422 && message.includes(`"sha" wasn't supplied`)
}

/** Makes the branch, with the file as its first commit. */
async function begin(
  branch: string,
  id: TriggerId,
  state: TriggerState,
  api: GitHubApi,
): Promise<boolean> {
  const place = `the branch ${branch}`
  const tree = await made(
    place,
    api('POST /repos/{owner}/{repo}/git/trees', {
      tree: [{ path: file(id), mode: '100644', type: 'blob', content: write(id, state) }],
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
function write({ workflow, trigger }: TriggerId, state: TriggerState): string {
  const head = { format: FORMAT, version: VERSION, workflow: encodeURIComponent(workflow), trigger }
  return `${JSON.stringify(head).slice(0, -1)},${stateJson(state).slice(1)}\n`
}

/** A state that can be replaced only by one who knows what stands in its place. */
interface Swappable {
  /** How the user knows the place. */
  readonly place: string
  /** `stamp` is `undefined` when there was nothing yet. */
  load(): Promise<{ readonly state: TriggerState; readonly stamp: string | undefined }>
  /** @returns false, and changes nothing, when somebody else did so since the stamp was read */
  save(state: TriggerState, stamp: string | undefined): Promise<boolean>
}

/** Somebody wins each round, so this is enough for dozens of runs at once. */
const MOST_ATTEMPTS = 40

const LONGEST_WAIT = 2_000

/**
 * Reads, changes and saves, again and again until nobody came in between.
 *
 * @returns the state before
 * @throws UserError when there is no end to it
 */
async function compareAndSwap(
  { place, load, save }: Swappable,
  step: Update,
  { sleep, random }: StorePorts,
): Promise<TriggerState> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const { state, stamp } = await load()
    if (await save(step(state), stamp)) return state
    await sleep(random() * Math.min(LONGEST_WAIT, 50 * 2 ** attempt))
  }
  throw new UserError({
    message: `${place}: too many runs write at once, gave up after ${MOST_ATTEMPTS} attempts`,
    notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
  })
}

/** What GitHub's refusal means for the store, and what would help. */
function refusalError(reply: GitHubReply, place: string): UserError {
  const { status, message } = reply
  const answer = status === 0 ? 'gave' : `answered ${status}:`
  return new UserError({
    message: `${place} cannot be used as state: GitHub ${answer} ${oneLine(message)}`,
    notes: notes(reply),
  })
}

function notes({ status, message }: GitHubReply): NonNullable<Problem['notes']> {
  if (status === 401) return ['the input `github-token` is no token that GitHub knows']
  if (/rule violation|protected/i.test(message)) {
    return ['a rule protects the branch: exempt it, or choose another name']
  }
  if (/secondary rate/i.test(message))
    return ['GitHub limits how often it is called: try again later']
  if (status === 403 || status === 404) {
    return [
      'the job needs `permissions: contents: write`',
      "another token than the job's own goes into the input `github-token`",
    ]
  }
  return ['try again later']
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200)
}

const MOST_CALLS = 5

const LONGEST_PAUSE = 4_000

/**
 * Asks again when GitHub is busy or gave no answer. A write may then have taken effect already: the
 * next one is refused as a conflict, and what is read afterwards holds the run's own claims.
 */
export function withRetries(api: GitHubApi, { sleep, random }: StorePorts): GitHubApi {
  return async (route, parameters) => {
    for (let attempt = 1; ; attempt++) {
      const reply = await api(route, parameters)
      if (!isTransient(reply) || attempt === MOST_CALLS) return reply
      await sleep(random() * Math.min(LONGEST_PAUSE, 250 * 2 ** attempt))
    }
  }
}

function isTransient({ status, message }: GitHubReply): boolean {
  return status === 0 || status === 429 || status >= 500 || /secondary rate/i.test(message)
}

/** The answer to a call, whatever its status. */
export interface GitHubReply {
  /** 0 when no answer came. */
  readonly status: number
  readonly data: unknown
  /** What GitHub says is wrong; empty when nothing is. */
  readonly message: string
}

/**
 * Calls GitHub for the repository of the run: a route such as `GET /repos/{owner}/{repo}/…` in which
 * owner and repository are filled in.
 */
export type GitHubApi = (
  route: string,
  parameters: Readonly<Record<string, unknown>>,
) => Promise<GitHubReply>
