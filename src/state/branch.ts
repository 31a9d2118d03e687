import * as v from 'valibot'
import { fromBase64 } from '../wire/bytes.ts'
import { UserError } from '../wire/errors.ts'
import { compareAndSwap, type Swappable } from './compare-and-swap.ts'
import type { GitHubApi, GitHubReply } from './github-api.ts'
import { refused } from './github-refusal.ts'
import type { Shelf, StorePorts } from './store.ts'
import {
  FORMAT,
  NO_STATE,
  readStateFile,
  stateJson,
  type TriggerId,
  type TriggerState,
  triggerStateSchema,
  VERSION,
} from './trigger-state.ts'

/** A file as the contents API tells it; larger ones come without their content. */
const contentSchema = v.object({ sha: v.string(), content: v.string(), encoding: v.string() })
const objectSchema = v.object({ sha: v.string() })

/**
 * One JSON file for each trigger on a branch that has nothing in common with the others. GitHub
 * replaces a file only when the blob that is to be replaced is named.
 *
 * @see https://docs.github.com/en/rest/repos/contents#create-or-update-file-contents
 */
export function branchShelf(branch: string, api: GitHubApi, ports: StorePorts): Shelf {
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
  if (isOutrun(reply)) return false
  throw refused(reply, `the branch ${branch}`)
}

type Stamped = Awaited<ReturnType<Swappable['load']>>

function readReply(reply: GitHubReply, id: TriggerId, branch: string): Stamped {
  if (reply.status !== 200) throw refused(reply, `the branch ${branch}`)
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
function isOutrun({ status, message }: GitHubReply): boolean {
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
  throw refused(reply, place)
}

async function made(place: string, call: Promise<GitHubReply>): Promise<string> {
  const reply = await call
  const object = v.safeParse(objectSchema, reply.data)
  if (reply.status === 201 && object.success) return object.output.sha
  throw refused(reply, place)
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
