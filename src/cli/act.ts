import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { GitHubEvent } from '../wire/payload.ts'
import { readSetting } from '../wire/settings.ts'
import { NATIVE_FOLDER } from './files.ts'
import { environmentFor, PROXY_VARIABLES } from './programs.ts'

export interface ActRuns {
  /**
   * Runs the jobs of a workflow for an event, after those that wait.
   *
   * @param hear one line of what they say, or of what became of them
   */
  start(workflow: string, event: GitHubEvent, hear?: (line: string) => void): void
  /** Ends the run that is under way; those that wait are dropped. */
  close(): void
}

interface ActOptions {
  readonly root: string
  /** Secrets and variables, in the form of `.env`; `undefined` where there is none. */
  readonly envFile: string | undefined
  /** One line of what a run says, or of what became of it. */
  readonly tell: (line: string) => void
}

/** What a program of the user's own containers needs, besides. */
const CONTAINERS = ['DOCKER_*', 'XDG_*', 'ACT_*', ...PROXY_VARIABLES]

/** Hands events to `act`, one run at a time. Its settings are the user's own `.actrc`. */
export function actRuns({ root, envFile, tell: tellAll }: ActOptions): ActRuns {
  const stopping = new AbortController()
  let last = Promise.resolve()
  const run = (workflow: string, event: GitHubEvent, hear?: (line: string) => void) =>
    new Promise<void>((resolve) => {
      if (stopping.signal.aborted) return resolve()
      const tell = (line: string) => {
        tellAll(line)
        hear?.(line)
      }
      const file = ['yml', 'yaml']
        .map((ending) => `${NATIVE_FOLDER}/${workflow}.${ending}`)
        .find((name) => existsSync(join(root, name)))
      if (file === undefined) {
        tell(`act: there is no ${NATIVE_FOLDER}/${workflow}.yml: run hookline build first`)
        return resolve()
      }
      const folder = mkdtempSync(join(tmpdir(), 'hookline-act-'))
      const end = (words: string) => {
        rmSync(folder, { recursive: true, force: true })
        tell(`act: ${words}`)
        resolve()
      }
      // The event stands in a file of this user alone: it may hold what a sender keeps to itself.
      const eventFile = join(folder, 'event.json')
      writeFileSync(eventFile, JSON.stringify(event.payload), { mode: 0o600 })
      const values = envFile ? ['--secret-file', envFile, '--var-file', envFile] : []
      const args = [event.name, '--workflows', file, '--eventpath', eventFile, ...values]
      tell(`act: runs ${file}`)
      const child = spawn(readSetting(process.env, 'HOOKLINE_ACT'), args, {
        cwd: root,
        env: environmentFor(...CONTAINERS),
        stdio: ['ignore', 'pipe', 'pipe'],
        signal: stopping.signal,
      })
      let failure: string | undefined
      child.on('error', (error: NodeJS.ErrnoException) => {
        failure = error.code === 'ENOENT' ? NOT_INSTALLED : 'it could not be started, or was ended'
        if (child.pid === undefined) end(failure)
      })
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => tell(`  ${line}`))
      }
      child.on('close', (code) => {
        if (child.pid !== undefined)
          end(failure ?? (code === 0 ? 'succeeded' : `failed (exit ${code})`))
      })
    })
  return {
    start(workflow, event, hear) {
      last = last.then(() => run(workflow, event, hear))
    },
    close: () => stopping.abort(),
  }
}

const NOT_INSTALLED =
  'there is no program "act" on the PATH: install it from https://nektosact.com, or name it in HOOKLINE_ACT'
