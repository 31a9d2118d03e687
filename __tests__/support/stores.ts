import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { githubPort, stateFiles } from '../../src/action/state-store.ts'
import { openBranch } from '../../src/state/branch.ts'
import { openFile } from '../../src/state/file.ts'
import type { StorePlace } from '../../src/state/place.ts'
import {
  type ClaimedKey,
  createStore,
  type KeyState,
  type Run,
  type Snapshot,
  type StateStore,
  type TriggerId,
  type WantedKeys,
} from '../../src/state/store.ts'
import type { Json } from '../../src/wire/json.ts'
import { startContentsApi } from './contents-api.ts'
import { randomOf } from './fake-time.ts'

/** Keys in the form of a claim. */
export function named(keys: readonly string[], delivery?: string): ClaimedKey[] {
  return keys.map((key) => (delivery === undefined ? { key } : { key, delivery }))
}

type Options = Pick<WantedKeys, 'lease' | 'force' | 'ended'>

/** A store with a simpler interface for one trigger at a time. */
export interface SingleStore {
  read(id: TriggerId): Promise<Snapshot>
  claim(id: TriggerId, keys: readonly ClaimedKey[], run: Run, by: Options): Promise<KeyState[]>
  commit(id: TriggerId, run: { id: string; at?: number }, cursor?: Json): Promise<void>
  readonly endedRuns?: StateStore['endedRuns']
}

export function single(store: StateStore): SingleStore {
  return {
    async read(id) {
      const [snapshot] = await store.read([id])
      if (!snapshot) throw new Error('a store gave no snapshot')
      return snapshot
    },
    claim: async (id, keys, run, options) =>
      (await store.claim([{ ...id, ...options, keys }], run))[0] ?? [],
    commit: (id, { id: run, at }, cursor) =>
      store.commit(
        [{ ...id, ...(at !== undefined && { at }), ...(cursor !== undefined && { cursor }) }],
        run,
      ),
    ...(store.endedRuns && { endedRuns: store.endedRuns }),
  }
}

/** Storage that several stores share, like several processes. */
export interface SharedPlace {
  /** A new store on this storage. */
  open(): SingleStore
  /** Replaces the state of `hook/webhook` by a string. */
  overwrite(text: string): Promise<void>
  /** Replaces the storage by that of a newer version. */
  overwriteByNewer(): Promise<void>
  /** Sets the storage's clock, in milliseconds since 1970. */
  setClock(now: number): void
  /** The name of the storage in messages. */
  readonly name: RegExp
  close(): Promise<void>
}

const random = randomOf(1)

/** The environment of a store in a run, with real waits; tests change parts of it. */
export function storePlace(folder: string, other: Partial<StorePlace> = {}): StorePlace {
  return {
    sleep: (duration) => new Promise((resolve) => setTimeout(resolve, duration)),
    random,
    now: Date.now,
    repository: 'octo/repo',
    files: stateFiles(folder),
    github: githubPort('token'),
    known: { read: async () => undefined, write: async () => {} },
    ...other,
  }
}

export const PLACES: readonly [string, () => Promise<SharedPlace>][] = [
  ['file', filePlace],
  ['branch', branchPlace],
]

async function filePlace(): Promise<SharedPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-state-'))
  const path = 'deep/state.json'
  let ahead = 0
  const now = () => Date.now() + ahead
  const overwrite = async (text: string) => {
    await stateFiles(folder).remove(path)
    await stateFiles(folder).write(path, text)
  }
  return {
    open: () => single(createStore(openFile(path, storePlace(folder, { now })))),
    overwrite,
    overwriteByNewer: () => overwrite('{"format":"hookline-state","version":2,"entries":{}}'),
    setClock(time) {
      ahead = time - Date.now()
    },
    name: /deep\/state\.json/,
    close: () => rm(folder, { recursive: true }),
  }
}

const quickly = (duration: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, duration / 50))

async function branchPlace(): Promise<SharedPlace> {
  const api = await startContentsApi()
  process.env.GITHUB_API_URL = api.url
  process.env.GITHUB_REPOSITORY = 'octo/repo'
  return {
    // The stand-in responds in milliseconds instead of tenths of a second, so waits are shorter,
    // too.
    open: () => single(createStore(openBranch('state', storePlace('', { sleep: quickly })))),
    overwrite: async (text) => api.put('state', 'v2.hook.webhook/00', text),
    overwriteByNewer: async () => api.put('state', 'v3.hook.webhook/00', 'x'),
    setClock(time) {
      api.clock.ahead = time - Date.now()
    },
    name: /v2\.hook\.webhook on the branch state/,
    async close() {
      const violations = api.calls.flatMap((call) => call.violations)
      await api.close()
      if (violations.length > 0) throw new Error(`calls against the description: ${violations}`)
    },
  }
}
