import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'
import { jitter } from '../wire/http.ts'
import { type BranchApi, branchApi, type FileText, naming } from './branch-api.ts'
import { changedFiles, FOLDER_PREFIX, folderOf, stateFromFiles } from './branch-files.ts'
import type { StorePlace } from './place.ts'
import { type Snapshots, type StateBackend, type TriggerId, updated } from './store.ts'

/** One run wins each round, so this is enough for dozens of concurrent runs. */
const MOST_ATTEMPTS = 40

/**
 * Long enough for another run to read and write: each conflict costs two calls of the hourly rate
 * limit.
 */
const CONFLICT_PAUSE = { first: 2_000, longest: 16_000 }

/**
 * Stores each trigger in its own folder on a branch without common history with other branches. The
 * keys are split into files by their hash, so that an event changes few lines; the times and the
 * cursor are in another file. A write is one commit, which GitHub accepts only on the head that was
 * read. The last text that was read or written is used as GitHub's, until GitHub reports a
 * conflict.
 *
 * @see https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
 */
export function openBranch(branch: string, place: StorePlace): StateBackend {
  const { known, sleep, random } = place
  const api = branchApi(branch, place)
  let last: Stored | undefined

  const load = async (ids: readonly TriggerId[]): Promise<Stored> => {
    last = await loadFolders(branch, ids.map(folderOf), api)
    return last
  }
  const remembered = async (ids: readonly TriggerId[]): Promise<Stored | undefined> => {
    const text = last ? undefined : await known.read(branch)
    const stored = last ?? (text === undefined ? undefined : storedOf(text))
    return ids.every((id) => stored?.folders.has(folderOf(id))) ? stored : undefined
  }
  const keep = async (stored: Stored) => {
    last = stored
    const folders = [...stored.folders].map(([name, files]) => [name, Object.fromEntries(files)])
    const text = { head: stored.head, folders: Object.fromEntries(folders) }
    await known.write(branch, JSON.stringify(text))
  }
  const snapshots = (ids: readonly TriggerId[], { folders }: Stored): Snapshots => ({
    states: ids.map((id) => {
      const folder = folderOf(id)
      return stateFromFiles(folders.get(folder) ?? new Map(), naming(folder, branch))
    }),
    now: api.now(),
  })

  return {
    load: async (ids) => snapshots(ids, await load(ids)),

    async change(ids, update): Promise<Snapshots> {
      let stored = await remembered(ids)
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        stored ??= await load(ids)
        const before = snapshots(ids, stored)
        const changes = filesToCommit(ids, stored, before, update(before.states, before.now))
        if (changes.size === 0) return before
        const head = await api.commit(filesOf(changes), stored.head)
        if (head !== undefined) {
          await keep({ head, folders: merged(stored.folders, changes) })
          return before
        }
        await sleep(jitter(attempt, random(), CONFLICT_PAUSE))
        stored = undefined
      }
      throw new UserError({
        message: `the branch ${branch}: too many concurrent runs write to it, gave up after ${MOST_ATTEMPTS} attempts`,
        notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
      })
    },

    endedRuns: (runs) => api.endedRuns(runs),
  }
}

type Folders = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Folders of triggers, and the commit that contains them; `undefined` if there is no branch. */
interface Stored {
  readonly head: string | undefined
  readonly folders: Folders
}

function filesToCommit(
  ids: readonly TriggerId[],
  { folders }: Stored,
  before: Snapshots,
  after: readonly Snapshots['states'][number][],
): Folders {
  const changes = new Map<string, ReadonlyMap<string, string>>()
  for (const [place, id] of ids.entries()) {
    const [had, has] = [updated(before.states, place), updated(after, place)]
    if (had === has) continue
    const files = changedFiles(folders.get(folderOf(id)) ?? new Map(), had, has)
    if (files.size > 0) changes.set(folderOf(id), files)
  }
  return changes
}

function filesOf(folders: Folders): FileText[] {
  return [...folders].flatMap(([folder, files]) =>
    [...files].map(([name, text]) => ({ path: `${folder}/${name}`, text })),
  )
}

function merged(folders: Folders, changes: Folders): Folders {
  const changed = [...changes].map(([folder, files]) => {
    return [folder, new Map([...(folders.get(folder) ?? []), ...files])] as const
  })
  return new Map([...folders, ...changed])
}

async function loadFolders(
  branch: string,
  folders: readonly string[],
  api: BranchApi,
): Promise<Stored> {
  const found = await api.read(folders)
  if (found) refuseOtherForm(branch, found.names)
  const texts = folders.map(
    (folder, place) => [folder, found?.folders[place] ?? new Map()] as const,
  )
  return { head: found?.head, folders: new Map(texts) }
}

/**
 * Refuses a branch without folders of this format: another program or another version created it.
 */
function refuseOtherForm(branch: string, names: readonly string[]): void {
  if (names.length === 0 || names.some((name) => name.startsWith(FOLDER_PREFIX))) return
  const isNewer = names.some((name) => /^v([3-9]|\d\d+)\./.test(name))
  if (!isNewer) {
    throw new UserError({
      message: `the branch ${branch} contains no state of Hookline`,
      // The branch may be the user's own, such as `main`, so no note says how to delete it.
      notes: ['name a branch that does not exist yet, such as: state: branch:hookline-state'],
    })
  }
  throw new UserError({
    message: `the branch ${branch} was written by a newer version of Hookline`,
    notes: [
      `to start anew, delete it: git push origin --delete ${branch}`,
      'or name another branch',
    ],
  })
}

const knownSchema = v.object({
  head: v.optional(v.string()),
  folders: v.record(v.string(), v.record(v.string(), v.string())),
})

/** The text that an earlier process of the job saved; an invalid text counts as unknown. */
function storedOf(text: string): Stored | undefined {
  try {
    const { head, folders } = v.parse(knownSchema, JSON.parse(text))
    const maps = Object.entries(folders).map(([name, files]) => {
      return [name, new Map(Object.entries(files))] as const
    })
    return { head, folders: new Map(maps) }
  } catch {
    return undefined
  }
}
