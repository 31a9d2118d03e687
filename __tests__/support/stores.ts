import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { githubApi, stateFiles } from '../../src/action/store.ts'
import { branchBackend, withRetries } from '../../src/state/branch.ts'
import { fileBackend } from '../../src/state/file.ts'
import { createStore, type StateStore } from '../../src/state/index.ts'
import { startContentsApi } from './contents-api.ts'

/** A place for state that several stores, of several processes so to speak, share. */
export interface SharedPlace {
  /** A store of its own on that place. */
  open(): StateStore
  /** Puts text where the state of `hook/webhook` lies. */
  overwrite(text: string): Promise<void>
  /** What a user is told the place is. */
  readonly name: RegExp
  close(): Promise<void>
}

export const PORTS = { sleep: (duration: number) => sleep(duration), random: Math.random }

export const PLACES: readonly [string, () => Promise<SharedPlace>][] = [
  ['file', filePlace],
  ['branch', branchPlace],
]

async function filePlace(): Promise<SharedPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-state-'))
  const path = join(folder, 'deep/state.json')
  return {
    open: () => createStore(fileBackend(path, 'deep/state.json', stateFiles, PORTS)),
    overwrite: (text) => stateFiles.replace(path, text),
    name: /deep\/state\.json/,
    close: () => rm(folder, { recursive: true }),
  }
}

async function branchPlace(): Promise<SharedPlace> {
  const api = await startContentsApi()
  process.env.GITHUB_API_URL = api.url
  process.env.GITHUB_REPOSITORY = 'octo/repo'
  return {
    open: () => createStore(branchBackend('state', withRetries(githubApi('token'), PORTS), PORTS)),
    overwrite: async (text) => api.put('state', 'hook/webhook.json', text),
    name: /hook\/webhook\.json on the branch state/,
    async close() {
      const violations = api.calls.flatMap((call) => call.violations)
      await api.close()
      if (violations.length > 0) throw new Error(`calls against the description: ${violations}`)
    },
  }
}

function sleep(duration: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration))
}
